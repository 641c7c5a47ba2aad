import HeraldBluetooth

/// The first two bytes of a PDU on the advertising channels (Core Specification, Vol 6, Part B, 2.3).
public struct AdvertisingHeader: Equatable, BitwiseCopyable, Sendable {
  /// PDU types. Values above 6 were introduced with Bluetooth 5 and are not supported.
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

  /// The maximum length of the payload: an address and 31 bytes of data.
  public static var longestPayload: Int { 37 }

  /// The PDU type.
  public let kind: Kind
  /// TxAdd: the type of the address at the beginning of the payload.
  public let sender: DeviceAddress.Kind
  /// RxAdd: the type of the second address, if the PDU has one.
  public let receiver: DeviceAddress.Kind
  /// The number of bytes after the header: 0…63, as the field permits.
  public let length: UInt8

  /// Creates a header from its fields.
  public init(
    _ kind: Kind, sender: DeviceAddress.Kind, receiver: DeviceAddress.Kind = .public, length: UInt8
  ) {
    self.kind = kind
    self.sender = sender
    self.receiver = receiver
    self.length = length
  }

  /// The header of `pdu`; `nil` unless the PDU type is known, the length of the PDU is that of its header,
  /// and this length is valid for the type. Bits reserved in Bluetooth 4 are ignored.
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

  /// Whether it is an advertising PDU, which is transmitted without a request.
  public var isAdvertisement: Bool {
    switch kind {
    case .connectable, .directed, .nonConnectable, .scannable: true
    case .scanRequest, .scanResponse, .connect: false
    }
  }

  /// The first byte of the PDU.
  public var firstByte: UInt8 { kind.rawValue | sender.rawValue &<< 6 | receiver.rawValue &<< 7 }
}
