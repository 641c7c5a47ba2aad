import HeraldHAL

/// Extracts SMP packets from the bytes of a serial line.
///
/// A packet travels as lines: `06 09` before the first and `04 14` before each further one, then base64, then
/// a line feed. What the base64 of all lines holds is the length of the rest in two bytes, the packet, and
/// its CRC16, big-endian. Lines may be of any length. What is no such line is skipped: a console may share
/// the port. A packet with a wrong character, length or check is dropped, and the next `06 09` begins anew
/// wherever it stands.
public struct SMPSerialDecoder: BitwiseCopyable {
  private enum State: UInt8, BitwiseCopyable {
    case outside = 0
    case afterFirstMark = 1
    case afterNextMark = 2
    case inLine = 3
  }

  private var state = State.outside
  /// Whether the lines of a packet have begun and not ended.
  private var isAssembling = false
  /// Characters of the current group of four, with their bits and how many of them are padding.
  private var groupCount: UInt8 = 0
  private var padding: UInt8 = 0
  private var group: UInt32 = 0
  /// Bytes decoded, the two of the length included.
  private var received = 0
  /// The value of the length field: bytes of the packet and its check.
  private var total = 0
  private var crc = CRC16()
  private var last = Instant.start

  /// Bytes of the packet that is complete; 0 while none is.
  public private(set) var packetCount = 0
  /// Packets that were begun and dropped: damaged, too long, interrupted or incomplete.
  public private(set) var dropped: UInt32 = 0

  /// Whether a packet is incomplete.
  public var isReceiving: Bool { isAssembling }

  /// How long the line may be silent within a packet.
  public static var timeout: Interval { .seconds(2) }

  /// A decoder in its initial state.
  public init() {}

  /// Reads bytes of the line up to the end of a packet, which is written to the start of `packet`, and
  /// returns how many were read: none while a complete packet is pending. `packet` is the same buffer from
  /// call to call; longer packets are dropped.
  public mutating func receive(
    _ bytes: Span<UInt8>, into packet: inout MutableSpan<UInt8>, at now: Instant
  ) -> Int {
    if isAssembling, now.since(last) > Self.timeout { drop() }
    var taken = 0
    while taken < bytes.count, packetCount == 0 {
      take(bytes[unchecked: taken], &packet)
      taken &+= 1
    }
    if taken > 0 { last = now }
    return taken
  }

  /// Releases the complete packet: the next may be received.
  public mutating func release() { packetCount = 0 }

  /// Discards a packet that is incomplete or complete: the line was closed and opened.
  public mutating func reset() {
    isAssembling = false
    packetCount = 0
    state = .outside
  }

  @inline(never)
  private mutating func drop() {
    if isAssembling { dropped &+= 1 }
    isAssembling = false
    state = .outside
  }

  private mutating func take(_ byte: UInt8, _ packet: inout MutableSpan<UInt8>) {
    switch (state, byte) {
    case (.afterFirstMark, SMPSerialLine.first2):
      if isAssembling { drop() }
      isAssembling = true
      received = 0
      total = 0
      crc = CRC16()
      beginLine()
    case (.afterNextMark, SMPSerialLine.next2) where isAssembling: beginLine()
    case (.inLine, SMPSerialLine.end): endLine()
    case (.inLine, UInt8(ascii: "\r")): break
    case (.inLine, _): character(byte, &packet)
    default: state = .outside
    }
    guard state == .outside else { return }
    if byte == SMPSerialLine.first1 { state = .afterFirstMark }
    if byte == SMPSerialLine.next1 { state = .afterNextMark }
  }

  private mutating func beginLine() {
    state = .inLine
    groupCount = 0
    padding = 0
    group = 0
  }

  private mutating func endLine() {
    guard groupCount == 0 else { return drop() }
    state = .outside
    guard received >= 2, received == total &+ 2 else { return }
    guard crc.value == 0 else { return drop() }
    isAssembling = false
    packetCount = total &- 2
  }

  private mutating func character(_ byte: UInt8, _ packet: inout MutableSpan<UInt8>) {
    // After padding only the end of the line is valid.
    if padding > 0, groupCount == 0 { return drop() }
    if byte == UInt8(ascii: "=") {
      guard groupCount >= 2 else { return drop() }
      padding &+= 1
      group = group &<< 6
    } else {
      guard padding == 0, let bits = SMPSerialLine.bits(byte) else { return drop() }
      group = group &<< 6 | UInt32(bits)
    }
    groupCount &+= 1
    guard groupCount == 4 else { return }
    groupCount = 0
    var index: UInt8 = 0
    while index < 3 &- padding {
      guard store(UInt8(truncatingIfNeeded: group &>> (16 &- 8 &* UInt32(index))), &packet) else {
        return drop()
      }
      index &+= 1
    }
    group = 0
  }

  /// Stores one decoded byte; `false` if it is invalid.
  private mutating func store(_ byte: UInt8, _ packet: inout MutableSpan<UInt8>) -> Bool {
    let index = received &- 2
    received &+= 1
    guard index >= 0 else {
      total = total &<< 8 | Int(byte)
      return received < 2 || (total >= SMPHeader.size &+ 2 && total &- 2 <= packet.count)
    }
    guard index < total else { return false }
    crc.feed(byte)
    if index < total &- 2 { packet[index] = byte }
    return true
  }
}
