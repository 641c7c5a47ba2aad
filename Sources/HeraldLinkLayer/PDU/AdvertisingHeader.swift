import HeraldBluetooth

/// The first two bytes of a PDU on the advertising channels (Core Specification, Vol 6, Part B, 2.3).
public struct AdvertisingHeader: Equatable, BitwiseCopyable, Sendable {
  /// PDU types. Those above 6 came with Bluetooth 5 and are not understood.
  public enum Kind: UInt8, BitwiseCopyable, Sendable {
    /// ADV_IND: connectable and scannable, undirected.
    case connectable = 0
    /// ADV_DIRECT_IND: connectable by one device.
    case directed = 1
    /// ADV_NONCONN_IND: neither connectable nor scannable.
    case nonConnectable = 2
    /// SCAN_REQ.
    case scanRequest = 3
    /// SCAN_RSP.
    case scanResponse = 4
    /// CONNECT_IND.
    case connect = 5
    /// ADV_SCAN_IND: scannable, not connectable.
    case scannable = 6
  }

  /// The longest payload: an address and 31 bytes of data.
  public static var longestPayload: Int { 37 }

  /// What the PDU is.
  public let kind: Kind
  /// TxAdd: the kind of the address that the payload begins with.
  public let sender: DeviceAddress.Kind
  /// RxAdd: the kind of the second address, where there is one.
  public let receiver: DeviceAddress.Kind
  /// How many bytes follow the header: 0…63 as the field has it.
  public let length: UInt8

  /// Stated one by one.
  public init(
    _ kind: Kind, sender: DeviceAddress.Kind, receiver: DeviceAddress.Kind = .public, length: UInt8
  ) {
    self.kind = kind
    self.sender = sender
    self.receiver = receiver
    self.length = length
  }

  /// The header of `pdu`; `nil` unless the PDU is of a known type, has the length that its header says, and
  /// that is one that the type can have. The bits reserved in Bluetooth 4 are passed over.
  public init?(of pdu: Span<UInt8>) {
    guard pdu.count >= 2, let kind = Kind(rawValue: pdu[unchecked: 0] & 0x0F) else { return nil }
    self.kind = kind
    sender = pdu[unchecked: 0] & 0x40 == 0 ? .public : .random
    receiver = pdu[unchecked: 0] & 0x80 == 0 ? .public : .random
    length = pdu[unchecked: 1] & 0x3F
    guard Int(length) == pdu.count &- 2 else { return nil }
    switch kind {
    case .directed, .scanRequest: guard length == 12 else { return nil }
    case .connect: guard length == 34 else { return nil }
    case .connectable, .nonConnectable, .scanResponse, .scannable:
      guard length >= 6, length <= 37 else { return nil }
    }
  }

  /// Whether it is an advertisement, which may come without being asked for.
  public var isAdvertisement: Bool {
    switch kind {
    case .connectable, .directed, .nonConnectable, .scannable: true
    case .scanRequest, .scanResponse, .connect: false
    }
  }

  /// The first byte.
  public var firstByte: UInt8 { kind.rawValue | sender.rawValue &<< 6 | receiver.rawValue &<< 7 }
}
