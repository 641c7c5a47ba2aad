import HeraldHAL

/// The part of the log that is independent of flash: it accepts records and returns blocks to program.
///
/// Enough room is kept at a page's end to end the codeword: a record begins only with `recordReserve` bytes
/// left and is taken back if it leaves fewer than `endReserve`.
struct LogPageWriter: ~Copyable {
  /// Bytes that must be left in a page's last block for a record to begin, besides those of a payload in it.
  static var recordReserve: Int { 24 }
  /// Bytes that must be left after it: enough to end the codeword, and more than the four a reader reads
  /// ahead.
  static var endReserve: Int { 12 }
  /// A further block is begun only with this many bytes left in the page: it must hold the bytes in the
  /// encoder's buffer beyond a block, and `endReserve`.
  static var smallestBlock: Int { 48 }
  /// How many bytes a reader reads ahead: a record is readable when that many follow its last coded byte, or
  /// the codeword ends.
  static var lookahead: Int { 4 }

  var encoder: LogBitEncoder
  var model: LogModel
  /// The position of the next block in the page: everything before it is programmed.
  var position: Int
  var pageSize: Int
  var word: Int
  /// Whether no further block fits behind the one being filled.
  private var isLastBlock: Bool
  private var crc: UInt16
  /// How many more records the segment may hold. Set before `begin`, which does not change it.
  var recordsLeft: UInt16
  /// The time of the last record, rounded down to 10 ms.
  private var time: UInt64
  /// Records that a loss of power would lose.
  var pending: UInt32
  /// The records of these that will not be readable with the block being filled.
  private var late: UInt32

  // Inlined, like those of its members: otherwise it would be built on the stack and copied.
  @inline(__always)
  init() {
    encoder = LogBitEncoder()
    model = LogModel()
    position = 0
    pageSize = 0
    word = 0
    isLastBlock = false
    crc = 0
    recordsLeft = 0
    time = 0
    pending = 0
    late = 0
  }

  /// The result of encoding a record.
  enum Outcome: BitwiseCopyable {
    /// The record is in the buffer.
    case stored
    /// The record is in the buffer, and a full block is ready to be sealed and programmed.
    case blockReady
    /// The record was not accepted. The codeword can be ended as it is.
    case pageFull
    /// The record was removed again. Program the result of `sealTruncated`; the codeword must not be
    /// continued.
    case takenBack(kept: Int)

    @inline(__always)
    var isStored: Bool { if case .stored = self { true } else { false } }
  }

  /// Begins a segment whose header has been written up to `position`.
  @inline(never)
  mutating func begin(at position: Int, uptime: Instant, crc: UInt16) {
    self.position = position
    self.crc = crc
    time = uptime.milliseconds
    pending = 0
    late = 0
    model.reset()
    encoder.count = 0
    encoder.restart()
    measureBlock()
  }

  @inline(never)
  private mutating func measureBlock() {
    let room = (pageSize &- position) & ~(word &- 1)
    if encoder.seal.isOn {
      // One byte more than a final block needs: an open one that is not full states its length.
      encoder.limit = max(min(LogFormat.sealedLimit, room &- LogFormat.tagSize &- 2), 0)
      isLastBlock = room &- LogFormat.sealedBlockSize < Self.smallestBlock
    } else {
      encoder.limit = max(min(LogFormat.codedLimit, room &- 3), 0)
      isLastBlock = room &- LogFormat.blockSize < Self.smallestBlock
    }
  }

  /// Bytes left in the page behind the programmed part.
  var room: Int { pageSize &- position }

  /// Encodes a record; `bytes` are its payload, which it contains if it is short.
  mutating func encode(
    _ record: inout LogRecordFields, bytes: Span<UInt8>, at now: Instant,
    targets: inout MutableSpan<LogTarget>, order: inout MutableSpan<UInt8>
  ) -> Outcome {
    let start = encoder.count
    if recordsLeft == 0
      || (isLastBlock
        && encoder.limit &- start < Self.recordReserve &+ min(bytes.count, LogPayloadMemory.longest))
    {
      return .pageFull
    }
    var milliseconds: UInt32 = 0
    if now.milliseconds > time {
      let elapsed = now.milliseconds &- time
      guard elapsed.high32 == 0 else { return .pageFull }
      milliseconds = elapsed.low32
    }
    // Multiplication is enough for a minute, and the smallest cores have no division.
    record.step = milliseconds < 65536 ? (milliseconds &* 52429) &>> 19 : milliseconds / 10
    guard !model.steps.addingReportingOverflow(record.step).overflow else { return .pageFull }
    _ = model.code(&record, bytes: bytes, targets: &targets, order: &order, with: &encoder)
    let end = encoder.count
    if encoder.overflowed || (isLastBlock && encoder.limit &- end < Self.endReserve) {
      return .takenBack(kept: pending == 0 ? 0 : start &+ Self.lookahead)
    }
    time = time &+ UInt64(wide: record.step &* 10)
    pending &+= 1
    recordsLeft &-= 1
    if end &+ Self.lookahead > encoder.limit { late &+= 1 }
    return end < encoder.limit ? .stored : .blockReady
  }

  // `canSeal` is a constant of each image: where it is false, the image has no code that encrypts.

  /// Makes the full block ready to be programmed and returns its size.
  @inline(__always)
  mutating func sealFull(canSeal: Bool) -> Int {
    close(content: encoder.limit, final: false, canSeal: canSeal)
  }

  @inline(__always)
  private mutating func close(content: Int, final: Bool, canSeal: Bool) -> Int {
    canSeal
      ? encoder.seal(content: content, final: final, crc: &crc, word: word, at: position)
      : encoder.close(content: content, final: final, crc: &crc, word: word)
  }

  /// Ends the codeword; to be followed by `sealFull` while more than a block is pending, then `sealFinal`.
  mutating func endCodeword() {
    model.end(with: &encoder)
    encoder.finish()
  }

  /// Whether the ended codeword needs more than the block being filled.
  var needsAnotherBlock: Bool { encoder.count > encoder.limit }
  /// Whether the page has room for a block behind the one being filled.
  var hasAnotherBlock: Bool { !isLastBlock }

  /// Makes the last block of an ended codeword ready and returns its size.
  @inline(__always)
  mutating func sealFinal(canSeal: Bool) -> Int {
    close(content: encoder.count, final: true, canSeal: canSeal)
  }

  /// Makes the first `kept` bytes of an incomplete codeword ready and returns the block's size.
  @inline(__always)
  mutating func sealTruncated(kept: Int, canSeal: Bool) -> Int {
    close(content: kept, final: false, canSeal: canSeal)
  }

  /// Makes payload bytes ready, 1…124, and returns the block's size. No coded bytes may be pending.
  @inline(__always)
  mutating func sealRaw(_ bytes: Span<UInt8>, canSeal: Bool) -> Int {
    canSeal
      ? encoder.sealRaw(bytes, crc: &crc, word: word, at: position)
      : encoder.closeRaw(bytes, crc: &crc, word: word)
  }

  /// A full block of `size` bytes has been programmed; its codeword continues.
  @inline(never)
  mutating func fullBlockProgrammed(size: Int) {
    pending = late
    late = 0
    encoder.shift()
    position &+= size
    measureBlock()
  }

  /// A final or raw block of `size` bytes has been programmed; nothing is pending.
  @inline(never)
  mutating func blockProgrammed(size: Int) {
    pending = 0
    late = 0
    encoder.count = 0
    position &+= size
    measureBlock()
  }
}
