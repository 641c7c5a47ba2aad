/// The kind of legacy advertising (7.8.5): the Advertising_Type values that this host uses.
enum AdvertisingType: UInt8, BitwiseCopyable, Sendable {
  /// ADV_IND: connectable and scannable.
  case connectable = 0x00
  /// ADV_SCAN_IND: scannable.
  case scannable = 0x02
  /// ADV_NONCONN_IND: neither.
  case nonConnectable = 0x03

  /// The same kind as Advertising_Event_Properties of a legacy PDU (7.8.53).
  var eventProperties: UInt16 {
    switch self {
    case .connectable: 0x0013
    case .scannable: 0x0012
    case .nonConnectable: 0x0010
    }
  }
}
