/// The first two bytes of a PDU on a data channel (Core Specification, Vol 6, Part B, 2.4).
public struct DataHeader: Equatable, BitwiseCopyable, Sendable {
  /// LLID.
  public enum Content: UInt8, BitwiseCopyable, Sendable {
    /// Reserved for future use: such a PDU is acknowledged and discarded.
    case reserved = 0
    /// The continuation of an L2CAP PDU, or an empty PDU.
    case continuation = 1
    /// The start of an L2CAP PDU, or a complete one.
    case start = 2
    /// A control PDU.
    case control = 3
  }

  /// The maximum length of the payload without data length extension.
  public static var longestPayload: Int { 27 }

  /// LLID, NESN, SN and MD as transmitted.
  private let bits: UInt8
  /// The number of bytes after the header: 0…27 in valid PDUs.
  public let length: UInt8

  /// Creates a header from its fields.
  public init(_ content: Content, nextExpected: Bool, sequence: Bool, hasMore: Bool, length: UInt8) {
    bits = content.rawValue | (nextExpected ? 4 : 0) | (sequence ? 8 : 0) | (hasMore ? 16 : 0)
    self.length = length
  }

  /// The header of `pdu`; `nil` unless the length of the PDU is that of its header, which is at most 27.
  public init?(of pdu: Span<UInt8>) {
    guard pdu.count >= 2, Int(pdu[unchecked: 1]) == pdu.count &- 2, pdu.count <= 29 else { return nil }
    bits = pdu[unchecked: 0]
    length = pdu[unchecked: 1]
  }

  /// LLID: the type of the payload.
  public var content: Content { Content(rawValue: bits & 3) ?? .reserved }
  /// NESN: the sequence number that the sender expects next.
  public var nextExpected: Bool { bits & 4 != 0 }
  /// SN: the sequence number of this PDU.
  public var sequence: Bool { bits & 8 != 0 }
  /// MD: the sender has more data for this connection event.
  public var hasMore: Bool { bits & 16 != 0 }
  /// The first byte of the PDU.
  public var firstByte: UInt8 { bits }
}
