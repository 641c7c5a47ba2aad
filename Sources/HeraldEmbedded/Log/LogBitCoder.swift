/// One binary decision after another, written or read: the same model drives both.
///
/// An arithmetic coder on the interval `low…high` of 32-bit numbers. A decision divides the interval in proportion to a
/// 12-bit probability; leading bytes on which both ends agree are final. 32-bit multiplications only.
protocol LogBitCoder: ~Copyable, ~Escapable {
  /// Codes a decision that is 1 with probability `chance`/4096, 1…4095. A writer takes `bit` and returns it; a reader
  /// ignores it and returns what it found.
  @_lifetime(self: copy self)
  mutating func code(_ bit: UInt32, chance: UInt32) -> UInt32
}

/// Where an interval divides; the 1 gets the lower part, up to and including the result.
@inline(__always)
func logIntervalSplit(_ low: UInt32, _ high: UInt32, chance: UInt32) -> UInt32 {
  let range = high &- low
  return low &+ (range &>> 12) &* chance &+ (((range & 0xFFF) &* chance) &>> 12)
}

/// Writes decisions into a buffer that has the shape of a block: a mark, coded bytes up to the block's limit, two bytes for
/// the checksum, then what the record that filled the block has beyond it.
@usableFromInline
struct LogBitEncoder: LogBitCoder, ~Copyable {
  /// A block, and 32 bytes for a record that begins in it and ends behind it.
  @usableFromInline static var capacity: Int { 160 }

  @usableFromInline var buffer: [160 of UInt8]
  /// Coded bytes so far. More than fit are counted but not kept.
  @usableFromInline var count: Int
  /// How many coded bytes this block takes, 1…125.
  @usableFromInline var limit: Int
  private var low: UInt32
  /// The complement of the upper end, so that the idle state is all zero bits.
  private var highComplement: UInt32

  @inline(__always)
  @usableFromInline
  init() {
    buffer = .init(repeating: 0)
    count = 0
    limit = 0
    low = 0
    highComplement = 0
  }

  /// Whether bytes were lost for want of room.
  @usableFromInline var overflowed: Bool { count > Self.capacity &- 3 }

  @inline(__always)
  private mutating func emit(_ byte: UInt8) {
    let place = count < limit ? count &+ 1 : count &+ 3
    if place < Self.capacity { buffer[unchecked: place] = byte }
    count &+= 1
  }

  @inline(__always)
  mutating func code(_ bit: UInt32, chance: UInt32) -> UInt32 {
    var high = ~highComplement
    let split = logIntervalSplit(low, high, chance: chance)
    // Which bit comes cannot be predicted: processors that can choose without a branch do.
    low = bit != 0 ? low : split &+ 1
    high = bit != 0 ? split : high
    while (low ^ high) &>> 24 == 0 {
      emit(UInt8(truncatingIfNeeded: high &>> 24))
      low = low &<< 8
      high = high &<< 8 | 0xFF
    }
    highComplement = ~high
    return bit
  }

  /// Ends the codeword with the byte that, followed by zeros, lies in the interval. A block is never empty.
  mutating func finish() {
    if low != 0 || count == 0 {
      let top = low &>> 24
      emit(UInt8(truncatingIfNeeded: low & 0x00FF_FFFF == 0 ? top : top &+ 1))
    }
    restart()
  }

  /// Begins a codeword.
  mutating func restart() {
    low = 0
    highComplement = 0
  }

  /// Makes the first `content` bytes, at most `limit`, a block, and returns its size. What is beyond `limit` stays; with
  /// fewer than `limit` it is lost.
  mutating func seal(content: Int, final: Bool, crc: inout UInt16, word: Int) -> Int {
    buffer[0] = UInt8(truncatingIfNeeded: content) | (final ? 0x80 : 0)
    return close(end: content &+ 1, crc: &crc, word: word)
  }

  /// Makes payload bytes a block and returns its size. Coded bytes are lost.
  mutating func sealRaw(_ bytes: Span<UInt8>, crc: inout UInt16, word: Int) -> Int {
    buffer[0] = 0
    buffer[1] = UInt8(truncatingIfNeeded: bytes.count)
    for index in 0..<min(bytes.count, LogFormat.rawLimit) { buffer[2 &+ index] = bytes[index] }
    return close(end: bytes.count &+ 2, crc: &crc, word: word)
  }

  @inline(never)
  private mutating func close(end: Int, crc: inout UInt16, word: Int) -> Int {
    guard end > 0, end <= LogFormat.blockSize &- 2 else { return 0 }
    for index in 0..<end { crc = LogFormat.crc16(crc, buffer[unchecked: index]) }
    buffer[end] = UInt8(truncatingIfNeeded: crc)
    buffer[end &+ 1] = UInt8(truncatingIfNeeded: crc &>> 8)
    let size = LogFormat.aligned(end &+ 2, to: word)
    var index = end &+ 2
    while index < size {
      buffer[index] = 0xFF
      index &+= 1
    }
    return size
  }

  /// Moves what lies beyond the block's limit to the front: the block has been programmed.
  mutating func shift() {
    let rest = min(count, Self.capacity &- 3) &- limit
    var index = 0
    while index < rest {
      buffer[unchecked: 1 &+ index] = buffer[unchecked: limit &+ 3 &+ index]
      index &+= 1
    }
    count = max(rest, 0)
  }
}

// The encoder's buffer also serves to read headers and blocks at the start, when nothing is being coded.
extension LogBitEncoder {
  /// The header in the buffer.
  @usableFromInline
  mutating func readHeader() -> LogPageHeader? { LogPageHeader(buffer.span) }

  /// The low half of the checksum of the header in the buffer.
  @usableFromInline
  func readHeaderCheck() -> UInt16 {
    UInt16(buffer[LogFormat.headerSize &- 4]) | UInt16(buffer[LogFormat.headerSize &- 3]) &<< 8
  }

  /// Puts a header into the buffer and returns the low half of its checksum.
  @usableFromInline
  mutating func write(_ header: LogPageHeader) -> UInt16 {
    var span = buffer.mutableSpan
    return header.write(to: &span)
  }

  /// The block in the first `count` bytes of the buffer.
  @usableFromInline
  mutating func readBlock(count: Int, seed: UInt16, word: Int) -> LogBlock? {
    LogBlock(buffer.span.extracting(0..<count), seed: seed, word: word)
  }

  /// Whether the first `count` bytes of the buffer are all ones.
  @usableFromInline
  mutating func isErased(count: Int) -> Bool {
    let bytes = buffer.span
    for index in 0..<count where bytes[index] != 0xFF { return false }
    return true
  }
}
