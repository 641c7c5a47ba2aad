/// The interval of an arithmetic coder: 32-bit numbers from `low` to `low + range`, both included.
struct LogInterval: BitwiseCopyable {
  var low: UInt32
  var range: UInt32

  /// All numbers.
  static var whole: LogInterval { LogInterval(low: 0, range: .max) }

  /// Where the interval is divided: a 1, with probability `chance`/4096, 1…4095, gets the lower part, from
  /// `low` to `low` plus the returned value, both included.
  @inline(__always)
  func split(chance: UInt32) -> UInt32 { (range &>> 12) &* chance &+ (((range & 0xFFF) &* chance) &>> 12) }

  /// The part of the interval for a decision of 1.
  @inline(__always)
  mutating func keepLower(_ split: UInt32) { range = split }

  /// The part of the interval for a decision of 0.
  @inline(__always)
  mutating func keepUpper(_ split: UInt32) {
    let lower = split &+ 1
    low = low &+ lower
    range = range &- lower
  }

  /// Whether the leading byte may be the same at both ends. This is rare, and `isSettled` is only evaluated
  /// then.
  @inline(__always)
  var isNarrow: Bool { range &>> 24 == 0 }
  /// Whether the leading byte is the same at both ends: it is final.
  @inline(__always)
  var isSettled: Bool { (low ^ (low &+ range)) &>> 24 == 0 }

  /// Removes the leading byte and returns it.
  @inline(__always)
  mutating func shift() -> UInt8 {
    let byte = UInt8(truncatingIfNeeded: low &>> 24)
    low = low &<< 8
    range = range &<< 8 | 0xFF
    return byte
  }
}

/// Binary decisions in sequence, written or read: one model for both directions.
///
/// An arithmetic coder. A decision divides the interval in proportion to a 12-bit probability; leading bytes
/// on which both ends agree are final. 32-bit multiplications only. While several decisions are coded the
/// caller holds the interval, in registers.
protocol LogBitCoder: ~Copyable, ~Escapable {
  /// Whether it reads (decodes).
  static var reads: Bool { get }
  /// The interval between decisions.
  var interval: LogInterval { get set }
  /// One decision, where `interval` is divided at `split`. A writer returns `bit`; a reader ignores it and
  /// returns the decoded bit.
  func decide(_ bit: UInt32, _ interval: LogInterval, split: UInt32) -> UInt32
  /// Writes or reads the leading bytes that are final, and returns the rest of `interval`.
  @_lifetime(self: copy self)
  mutating func settle(_ interval: LogInterval) -> LogInterval
}

/// Writes decisions into a buffer with the layout of a block: a mark, coded bytes up to the block's limit,
/// two bytes for the checksum, then the bytes of the last record that exceed the block.
struct LogBitEncoder: LogBitCoder, ~Copyable {
  /// A block of a sealed segment, and 40 bytes for a record that begins in it and ends behind it.
  static var capacity: Int { 232 }

  var buffer: [232 of UInt8]
  /// Coded bytes so far. Bytes beyond the capacity are counted but not stored.
  var count: Int
  /// How many coded bytes this block holds, 1…125.
  var limit: Int
  /// The key of the segment, if it is sealed.
  var seal = LogSegmentSeal()
  /// To be set by `restart` before anything is coded.
  var interval: LogInterval

  @inline(__always)
  init() {
    buffer = .init(repeating: 0)
    count = 0
    limit = 0
    interval = LogInterval(low: 0, range: 0)
  }

  /// Whether bytes were lost because the buffer was full.
  var overflowed: Bool { count > Self.capacity &- frame }
  /// Bytes of a full block beside its content.
  var frame: Int { seal.isOn ? LogFormat.tagSize &+ 1 : 3 }

  @inline(__always)
  private mutating func emit(_ byte: UInt8) {
    let position = count < limit ? count &+ 1 : count &+ frame
    if position < Self.capacity { buffer[unchecked: position] = byte }
    count &+= 1
  }

  static var reads: Bool { false }

  @inline(__always)
  func decide(_ bit: UInt32, _ interval: LogInterval, split: UInt32) -> UInt32 { bit }

  @inline(never)
  mutating func settle(_ interval: LogInterval) -> LogInterval {
    var interval = interval
    while interval.isSettled { emit(interval.shift()) }
    return interval
  }

  /// Ends the codeword with the byte that, followed by zeros, is in the interval. A block is never empty.
  mutating func finish() {
    let low = interval.low
    if low != 0 || count == 0 {
      let top = low &>> 24
      emit(UInt8(truncatingIfNeeded: low & 0x00FF_FFFF == 0 ? top : top &+ 1))
    }
    restart()
  }

  /// Begins a codeword.
  mutating func restart() { interval = .whole }

  /// Makes the first `content` bytes, at most `limit`, a block, and returns its size. Bytes beyond `limit`
  /// are kept; with fewer than `limit` they are lost.
  @inline(never)
  mutating func seal(content: Int, final: Bool, crc: inout UInt16, word: Int, at position: Int) -> Int {
    if seal.isOn {
      var clear = 1
      if final {
        buffer[0] = UInt8(truncatingIfNeeded: content)
      } else if content == LogFormat.sealedLimit {
        buffer[0] = SealedBlockFrame.fullMark
      } else {
        // Rare: the last block of a page, or of one that a record was taken back from.
        clear = 2
        var index = content
        while index > 0 {
          buffer[index &+ 1] = buffer[index]
          index &-= 1
        }
        buffer[0] = SealedBlockFrame.openMark
        buffer[1] = UInt8(truncatingIfNeeded: content)
      }
      return encrypt(clear: clear, content: content, word: word, at: position)
    }
    return close(content: content, final: final, crc: &crc, word: word)
  }

  /// The same for a segment that is not sealed.
  mutating func close(content: Int, final: Bool, crc: inout UInt16, word: Int) -> Int {
    buffer[0] = UInt8(truncatingIfNeeded: content) | (final ? 0x80 : 0)
    return close(end: content &+ 1, crc: &crc, word: word)
  }

  /// Makes a block of payload bytes and returns its size. Coded bytes are lost.
  mutating func sealRaw(_ bytes: Span<UInt8>, crc: inout UInt16, word: Int, at position: Int) -> Int {
    guard seal.isOn else { return closeRaw(bytes, crc: &crc, word: word) }
    return encrypt(clear: 2, content: putRaw(bytes), word: word, at: position)
  }

  /// The same for a segment that is not sealed.
  mutating func closeRaw(_ bytes: Span<UInt8>, crc: inout UInt16, word: Int) -> Int {
    close(end: putRaw(bytes) &+ 2, crc: &crc, word: word)
  }

  private mutating func putRaw(_ bytes: Span<UInt8>) -> Int {
    let count = min(bytes.count, LogFormat.rawLimit)
    buffer[0] = 0
    buffer[1] = UInt8(truncatingIfNeeded: count)
    for index in 0..<count { buffer[2 &+ index] = bytes[index] }
    return count
  }

  @inline(never)
  private mutating func close(end: Int, crc: inout UInt16, word: Int) -> Int {
    guard end > 0, end <= LogFormat.blockSize &- 2 else { return 0 }
    for index in 0..<end { crc = LogFormat.crc16(crc, buffer[unchecked: index]) }
    buffer[end] = UInt8(truncatingIfNeeded: crc)
    buffer[end &+ 1] = UInt8(truncatingIfNeeded: crc &>> 8)
    return pad(from: end &+ 2, word: word)
  }

  /// Fills the buffer up to the next word from `end` on, and returns the size.
  private mutating func pad(from end: Int, word: Int) -> Int {
    let size = LogFormat.aligned(end, to: word)
    var index = end
    while index < size {
      buffer[index] = 0xFF
      index &+= 1
    }
    return size
  }

  /// Encrypts `content` bytes behind the first `clear`, for this offset in the page, and returns the size of
  /// the block.
  @inline(never)
  private mutating func encrypt(clear: Int, content: Int, word: Int, at position: Int) -> Int {
    let end = clear &+ content &+ LogFormat.tagSize
    guard content > 0, end <= LogFormat.sealedBlockSize else { return 0 }
    var bytes = buffer.mutableSpan
    var packet = bytes._mutatingExtracting(0..<end)
    guard seal.seal(&packet, clear: clear, at: position) else { return 0 }
    return pad(from: end, word: word)
  }

  /// Moves the bytes beyond the block's limit to the front: the block has been programmed.
  mutating func shift() {
    let rest = min(count, Self.capacity &- frame) &- limit
    var index = 0
    while index < rest {
      buffer[unchecked: 1 &+ index] = buffer[unchecked: limit &+ frame &+ index]
      index &+= 1
    }
    count = max(rest, 0)
  }
}

// The encoder's buffer also serves to read headers and blocks at the start, when nothing is being coded.
extension LogBitEncoder {
  /// The header in the buffer.
  mutating func readHeader() -> LogPageHeader? { LogPageHeader(buffer.span) }

  /// The low half of the checksum of the header in the buffer.
  func readHeaderCheck() -> UInt16 {
    UInt16(buffer[LogFormat.headerSize &- 4]) | UInt16(buffer[LogFormat.headerSize &- 3]) &<< 8
  }

  /// Writes a header into the buffer and returns the low half of its checksum.
  mutating func write(_ header: LogPageHeader) -> UInt16 {
    var span = buffer.mutableSpan
    return header.write(to: &span)
  }

  /// The block in the first `count` bytes of the buffer.
  mutating func readBlock(count: Int, seed: UInt16, word: Int) -> LogBlock? {
    LogBlock(buffer.span.extracting(0..<count), seed: seed, word: word)
  }

  /// Writes a header of a sealed segment that begins at `offset` of its page into the buffer, and takes the
  /// next keys.
  @inline(never)
  mutating func write(_ header: LogPageHeader, at offset: Int, sealedBy sealer: inout LogSealer) {
    var span = buffer.mutableSpan
    _ = header.write(to: &span)
    sealer.begin(&seal, header: &span, sequence: header.sequence, at: offset)
  }

  /// Bytes to the block behind that of a sealed segment in the first `count` bytes of the buffer, which is
  /// not checked; `nil` if there is none.
  mutating func sealedBlockSize(count: Int, word: Int) -> Int? {
    SealedBlockFrame(buffer.span.extracting(0..<count))?.size(word: word)
  }

  /// Whether the first `count` bytes of the buffer are all ones.
  mutating func isErased(count: Int) -> Bool {
    let bytes = buffer.span
    for index in 0..<count where bytes[index] != 0xFF { return false }
    return true
  }
}
