/// Splits a stream in `btsnoop` format into complete records, so that a file contains only complete records
/// even if the stream is interrupted.
public struct CaptureRecords {
  /// The identification: `btsnoop` and a zero byte; version and data link type follow.
  static let magic = Array("btsnoop\0".utf8)
  static let headerSize = 16
  static let recordHeaderSize = 24
  /// The maximum packet length accepted, in bytes: H4's type byte, the header and the maximum data.
  static let longestPacket: UInt32 = 1 + 4 + 0xFFFF

  private var waiting: [UInt8] = []
  private var hasHeader = false
  /// The number of packets.
  public private(set) var count = 0

  public init() {}

  /// Appends bytes of the stream. Returns what they complete: the header first, then records.
  /// - Throws: `.protocolViolation` if the stream has another format.
  public mutating func append(_ bytes: [UInt8]) throws(HostLinkError) -> [UInt8] {
    waiting += bytes
    var end = 0
    if !hasHeader {
      guard waiting.prefix(8).elementsEqual(Self.magic.prefix(waiting.count)) else {
        throw HostLinkError(
          .protocolViolation, "the received data is no capture of HCI traffic",
          advice: "check the path in --node")
      }
      guard waiting.count >= Self.headerSize else { return [] }
      hasHeader = true
      end = Self.headerSize
    }
    while waiting.count - end >= Self.recordHeaderSize {
      let length = waiting[(end + 4)..<(end + 8)].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
      guard length <= Self.longestPacket else {
        throw HostLinkError(
          .protocolViolation, "the capture has a packet of \(length) bytes, more than the maximum")
      }
      let next = end + Self.recordHeaderSize + Int(length)
      guard next <= waiting.count else { break }
      end = next
      count += 1
    }
    defer { waiting.removeFirst(end) }
    return Array(waiting[..<end])
  }
}
