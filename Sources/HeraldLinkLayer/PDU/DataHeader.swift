/// The first two bytes of a PDU on a data channel (Core Specification, Vol 6, Part B, 2.4).
public struct DataHeader: Equatable, BitwiseCopyable, Sendable {
  /// LLID.
  public enum Content: UInt8, BitwiseCopyable, Sendable {
    /// Reserved: such a PDU is acknowledged and dropped.
    case reserved = 0
    /// The continuation of an L2CAP PDU, or nothing.
    case continuation = 1
    /// The start of an L2CAP PDU, or all of it.
    case start = 2
    /// A control PDU.
    case control = 3
  }

  /// The longest payload without data length extension.
  public static var longestPayload: Int { 27 }

  /// LLID, NESN, SN and MD as they are sent.
  private let bits: UInt8
  /// How many bytes follow: 0…27 of valid ones.
  public let length: UInt8

  /// Stated one by one.
  public init(_ content: Content, nextExpected: Bool, sequence: Bool, hasMore: Bool, length: UInt8) {
    bits = content.rawValue | (nextExpected ? 4 : 0) | (sequence ? 8 : 0) | (hasMore ? 16 : 0)
    self.length = length
  }

  /// The header of `pdu`; `nil` unless the PDU has the length that its header says, 27 at most.
  public init?(of pdu: Span<UInt8>) {
    guard pdu.count >= 2, Int(pdu[unchecked: 1]) == pdu.count &- 2, pdu.count <= 29 else { return nil }
    bits = pdu[unchecked: 0]
    length = pdu[unchecked: 1]
  }

  /// LLID: what the payload is.
  public var content: Content { Content(rawValue: bits & 3) ?? .reserved }
  /// NESN: the sequence number that the sender expects next.
  public var nextExpected: Bool { bits & 4 != 0 }
  /// SN: the number of this PDU.
  public var sequence: Bool { bits & 8 != 0 }
  /// MD: the sender has more to send in this event.
  public var hasMore: Bool { bits & 16 != 0 }
  /// The first byte.
  public var firstByte: UInt8 { bits }
}
