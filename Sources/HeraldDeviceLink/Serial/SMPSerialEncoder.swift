import HeraldHAL

/// Encodes an SMP packet for a serial line, as many bytes at a time as there is room for.
///
/// It stores the position in the packet, not the packet, which stays in its buffer until all of it is sent.
public struct SMPSerialEncoder: BitwiseCopyable {
  /// Bytes of length, packet and check together.
  private var total = 0
  private var packetCount = 0
  private var crc: UInt16 = 0
  /// Where it is: the first of those bytes that is in the current line, and the position in that line: its
  /// marks, its characters, its end.
  struct Position: BitwiseCopyable {
    fileprivate var lineStart = 0
    fileprivate var column = 0
  }

  /// The position. A caller that could not send what was written restores it.
  var position = Position()

  /// An encoder without a packet.
  public init() {}

  /// An encoder at the start of `packet`, whose first 65,533 bytes it sends.
  public init(_ packet: Span<UInt8>) {
    packetCount = min(packet.count, 0xFFFD)
    total = packetCount &+ 4
    crc = CRC16(packet.extracting(0..<packetCount)).value
  }

  /// Whether all of it is sent.
  public var isFinished: Bool { position.lineStart >= total }

  /// Writes the next bytes to `output` from `start` on, as many as fit, and returns their number. `packet` is
  /// that of the encoder.
  public mutating func write(
    _ packet: Span<UInt8>, into output: inout MutableSpan<UInt8>, from start: Int = 0
  ) -> Int {
    guard start >= 0, packet.count >= packetCount else { return 0 }
    var position = start
    while position < output.count, !isFinished {
      output[position] = next(packet)
      position &+= 1
    }
    return position &- start
  }

  private mutating func next(_ packet: Span<UInt8>) -> UInt8 {
    let payload = min(SMPSerialLine.payload, total &- position.lineStart)
    let character = position.column &- 2
    position.column &+= 1
    if character == -2 { return position.lineStart == 0 ? SMPSerialLine.first1 : SMPSerialLine.next1 }
    if character == -1 { return position.lineStart == 0 ? SMPSerialLine.first2 : SMPSerialLine.next2 }
    let inGroup = character & 3
    let groupStart = (character &>> 2) &* 3
    guard groupStart < payload else {
      position.lineStart &+= SMPSerialLine.payload
      position.column = 0
      return SMPSerialLine.end
    }
    let left = payload &- groupStart
    // A group of one byte has two characters and two of padding; one of two bytes has three and one.
    guard inGroup <= left else { return UInt8(ascii: "=") }
    let offset = position.lineStart &+ groupStart
    var group: UInt32 = 0
    var index = 0
    while index < 3 {
      group = group &<< 8 | (index < left ? UInt32(byte(offset &+ index, packet)) : 0)
      index &+= 1
    }
    return SMPSerialLine.character(group &>> UInt32(truncatingIfNeeded: 18 &- 6 &* inGroup))
  }

  /// Byte `index` of length, packet and check.
  private func byte(_ index: Int, _ packet: Span<UInt8>) -> UInt8 {
    let length = packetCount &+ 2
    switch index {
    case 0: return UInt8(truncatingIfNeeded: length &>> 8)
    case 1: return UInt8(truncatingIfNeeded: length)
    case total &- 2: return UInt8(truncatingIfNeeded: crc &>> 8)
    case total &- 1: return UInt8(truncatingIfNeeded: crc)
    default:
      let position = index &- 2
      return position < packet.count ? packet[unchecked: position] : 0
    }
  }
}
