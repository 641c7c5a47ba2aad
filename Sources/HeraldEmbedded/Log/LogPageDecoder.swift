import HeraldHAL

/// Reads one page of a log, independently: bytes in, records out (docs/log-format.md).
///
/// The bytes may be hostile, torn or truncated at any position: the decoder returns the complete records and
/// ends. It takes 2.2 KB and allocates nothing.
public struct LogPageDecoder: ~Copyable, ~Escapable {
  private var bits: LogBitDecoder
  private var model = LogModel()
  private var targets: [64 of LogTarget] = .init(repeating: LogTarget())
  private var order: [64 of UInt8] = .init(repeating: 0)
  private var milliseconds: UInt64
  private var isInCodeword = false
  /// Whether a segment before the present one was `malformed`.
  private var wasMalformed = false
  /// How many records the present segment may hold, and how many of them are still to come.
  private var limit = LogFormat.maximumRecords
  private var recordsLeft = LogFormat.maximumRecords

  /// How decoding of a page ended.
  public enum Ending: Equatable, BitwiseCopyable, Sendable {
    /// There may be more records.
    case reading
    /// At the end of what was committed.
    case complete
    /// The block after the committed ones is damaged, as by a loss of power while it was programmed.
    case torn
    /// The records violate the format: damage that the checksums did not detect, or a page of another writer.
    case malformed
  }

  /// The header of the records that follow. A page has a further one after a restart of the device.
  public private(set) var header: LogPageHeader
  /// How decoding ended: that of the last of several segments, if none before it was `malformed`.
  public private(set) var ending: Ending

  /// A decoder at the first record of `page`, which may be truncated; `nil` if there is no valid header at
  /// its start, or it is sealed: such a page is opened first (`SealedPage`).
  @_lifetime(copy page)
  public init?(_ page: Span<UInt8>) {
    guard let header = LogPageHeader(page), !header.isSealed else { return nil }
    self.header = header
    ending = .reading
    milliseconds = header.uptime.milliseconds
    bits = LogBitDecoder(page)
    bits.beginSegment(at: 0, word: header.wordSize)
    model.reset()
  }

  /// The next record; `nil` at the end. Its payload bytes go to the start of `payload`, which should have
  /// room for `LogEvent.maximumBytes`; bytes that do not fit are dropped.
  @_lifetime(self: copy self)
  public mutating func next(payload: inout MutableSpan<UInt8>) -> LogRecord? {
    while ending == .reading {
      if !isInCodeword {
        switch bits.beginCodeword() {
        case .started: isInCodeword = true
        case .clean: endSegment(.complete)
        case .damaged: endSegment(.torn)
        case .contradictory: endSegment(.malformed)
        }
        continue
      }
      var record = LogRecordFields(kind: .end)
      var slots = targets.mutableSpan
      var known = slots._mutatingExtracting(0..<header.dictionaryCapacity)
      var ranks = order.mutableSpan
      let isRight =
        header.version == 2
        ? model.readVersion2(&record, targets: &known, order: &ranks, with: &bits)
        : model.code(&record, bytes: Span(), targets: &known, order: &ranks, with: &bits)
      if bits.isStarved {
        // The bytes the record needs were never committed.
        endSegment(bits.isDamaged ? .torn : .complete)
      } else if !isRight || bits.hasOverrun {
        endSegment(.malformed)
      } else if record.kind == .end {
        isInCodeword = false
        if !bits.isAtCodewordEnd { endSegment(.malformed) }
      } else if recordsLeft > 0, let event = record.event {
        recordsLeft &-= 1
        milliseconds = milliseconds &+ UInt64(wide: record.step) &* 10
        let count = copyPayload(of: record, to: &payload)
        bits.forgetPayload()
        return LogRecord(event: event, at: Instant(milliseconds: milliseconds), byteCount: count)
      } else {
        endSegment(.malformed)
      }
    }
    return nil
  }

  @_lifetime(self: copy self)
  private mutating func copyPayload(of record: LogRecordFields, to buffer: inout MutableSpan<UInt8>) -> Int {
    if UInt32(record.payload) == LogModel.inBlocks { return bits.copyPayload(to: &buffer) }
    let count = min(Int(record.payload), buffer.count)
    for index in 0..<count { buffer[index] = model.payloads[index] }
    return count
  }

  @inline(never)  // once for all callers, to keep their stack frames small
  @_lifetime(self: copy self)
  private mutating func endSegment(_ how: Ending) {
    isInCodeword = false
    if how == .malformed { wasMalformed = true }
    guard let found = bits.nextSegment(after: header) else {
      ending = wasMalformed ? .malformed : how
      return
    }
    header = found
    milliseconds = found.uptime.milliseconds
    limit = LogFormat.recordLimit(after: limit)
    recordsLeft = limit
    model.reset()
  }
}

/// Reads decisions from the blocks of a page.
struct LogBitDecoder: LogBitCoder, ~Copyable, ~Escapable {
  private let page: Span<UInt8>
  /// Where the next block begins.
  private var position = 0
  private var word = 1
  private var crc: UInt16 = 0
  /// The coded bytes of the present block that have not been read.
  private var contentStart = 0
  private var contentEnd = 0
  private var isFinalBlock = false
  var interval = LogInterval.whole
  /// The value of the coded bytes within the interval.
  private var value: UInt32 = 0
  /// Zeros read beyond the end of an ended codeword.
  private var padding = 0
  private var payloadStart = 0
  private var payloadCount = 0
  /// Whether bytes were needed that were never committed.
  private(set) var isStarved = false
  /// Whether the block that would contain them is damaged.
  private(set) var isDamaged = false

  @_lifetime(copy page)
  init(_ page: Span<UInt8>) { self.page = page }

  enum Beginning {
    case started, clean, damaged, contradictory
  }

  private enum Next {
    case block(LogBlock)
    case nothing
    case damaged
  }

  /// Whether more zeros were read beyond a codeword's end than its last interval can need.
  var hasOverrun: Bool { padding > 4 }
  /// Whether the codeword's last block has been read to its end.
  var isAtCodewordEnd: Bool { isFinalBlock && contentStart == contentEnd }

  /// The header at `offset` has been read; its blocks follow.
  @_lifetime(self: copy self)
  mutating func beginSegment(at offset: Int, word: Int) {
    position = offset &+ LogFormat.headerSize
    self.word = word
    crc = UInt16(page[position &- 4]) | UInt16(page[position &- 3]) &<< 8
    isStarved = false
    isDamaged = false
    payloadCount = 0
  }

  /// The next segment of the page of `header`, behind the blocks that have been read.
  @_lifetime(self: copy self)
  mutating func nextSegment(after header: LogPageHeader) -> LogPageHeader? {
    var offset = LogFormat.aligned(position, to: LogFormat.segmentAlignment)
    while offset <= page.count &- LogFormat.headerSize {
      if let found = LogPageHeader(page.extracting(offset..<(offset &+ LogFormat.headerSize))),
        found.sequence == header.sequence, found.epoch == header.epoch, !found.isSealed
      {
        beginSegment(at: offset, word: found.wordSize)
        return found
      }
      offset &+= LogFormat.segmentAlignment
    }
    return nil
  }

  @_lifetime(self: copy self)
  private mutating func nextBlock() -> Next {
    guard position < page.count else { return .nothing }
    guard page[position] != 0xFF else { return .nothing }
    let end = min(position &+ LogFormat.blockSize, page.count)
    guard let block = LogBlock(page.extracting(position..<end), seed: crc, word: word) else {
      return .damaged
    }
    crc = block.crc
    contentStart = position &+ block.contentStart
    contentEnd = contentStart &+ block.contentCount
    isFinalBlock = block.kind == .final
    position = position &+ block.size
    return .block(block)
  }

  /// Skips payload blocks, and begins the codeword of the coded block behind them.
  @_lifetime(self: copy self)
  mutating func beginCodeword() -> Beginning {
    payloadCount = 0
    while true {
      let start = position
      switch nextBlock() {
      case .nothing: return .clean
      case .damaged: return .damaged
      case .block(let block):
        if block.kind == .raw {
          if payloadCount == 0 { payloadStart = start }
          payloadCount &+= block.contentCount
          guard payloadCount <= LogEvent.maximumBytes else { return .contradictory }
        } else {
          padding = 0
          interval = .whole
          value = 0
          for _ in 0..<4 { value = value &<< 8 | nextByte() }
          return .started
        }
      }
    }
  }

  /// The payload of the record that was just read, whose blocks precede it; returns its length.
  @_lifetime(self: copy self)
  mutating func copyPayload(to buffer: inout MutableSpan<UInt8>) -> Int {
    var offset = payloadStart
    var copied = 0
    var left = payloadCount
    while left > 0, offset &+ 1 < page.count {
      let count = min(min(Int(page[offset &+ 1]), left), page.count &- offset &- 2)
      guard count > 0 else { break }
      for index in 0..<count where copied < buffer.count {
        buffer[copied] = page[offset &+ 2 &+ index]
        copied &+= 1
      }
      left &-= count
      offset &+= LogFormat.aligned(count &+ 4, to: word)
    }
    return copied
  }

  /// Payload blocks belong to one record only.
  @_lifetime(self: copy self)
  mutating func forgetPayload() { payloadCount = 0 }

  @_lifetime(self: copy self)
  private mutating func nextByte() -> UInt32 {
    if contentStart == contentEnd {
      if isFinalBlock {
        padding &+= 1
        return 0
      }
      guard !isStarved else { return 0 }
      switch nextBlock() {
      case .block(let block) where block.kind != .raw: break
      case .nothing:
        isStarved = true
        return 0
      default:
        isStarved = true
        isDamaged = true
        return 0
      }
    }
    let byte = page[contentStart]
    contentStart &+= 1
    return UInt32(byte)
  }

  static var reads: Bool { true }

  @inline(__always)
  func decide(_ bit: UInt32, _ interval: LogInterval, split: UInt32) -> UInt32 {
    value &- interval.low <= split ? 1 : 0
  }

  @_lifetime(self: copy self)
  mutating func settle(_ interval: LogInterval) -> LogInterval {
    var interval = interval
    while interval.isSettled {
      _ = interval.shift()
      value = value &<< 8 | nextByte()
    }
    return interval
  }
}
