import HeraldHAL

/// The numbers of the page format (docs/log-format.md).
enum LogFormat {
  /// "HLog" read as a little-endian number.
  static var magic: UInt32 { 0x676F_4C48 }
  /// The version this code writes.
  static var version: UInt8 { 3 }
  /// The oldest version it reads.
  static var oldestVersion: UInt8 { 2 }
  /// Bytes in a header.
  static var headerSize: Int { 40 }
  /// The most bytes a block takes in a page.
  static var blockSize: Int { 128 }
  /// The most coded bytes in a block: all but its mark and its checksum.
  static var codedLimit: Int { 125 }
  /// The most payload bytes in a block: all but two marks and its checksum.
  static var rawLimit: Int { 124 }
  /// The most bytes a block of a sealed segment takes in a page.
  static var sealedBlockSize: Int { 192 }
  /// The most coded bytes in it: all but its mark and its tag.
  static var sealedLimit: Int { 187 }
  /// Bytes of a tag.
  static var tagSize: Int { 4 }
  /// Bytes of the header of a sealed segment and of what its keys are found with.
  static var sealedHeaderSize: Int { 80 }
  /// A header that is not at the start of its page is at a multiple of this.
  static var segmentAlignment: Int { 64 }
  /// The most targets a page can distinguish at a time.
  static var maximumDictionary: Int { 64 }
  /// The most records in a page's first segment: four bits a record in 4,096 bytes, where recordings need
  /// seven to eleven.
  static var maximumRecords: UInt16 { 8192 }

  /// The most records in a segment behind one that may hold `limit`: half as many, but never fewer than 64. A
  /// page thus has a bound, whatever the number of its segments, which a device can observe without the
  /// number of records in its newest page after a restart.
  @inline(__always)
  static func recordLimit(after limit: UInt16) -> UInt16 { max(limit &>> 1, 64) }

  /// Sequence numbers above this are not valid.
  static var maximumSequence: UInt32 { 0x7FFF_FFFF }
  /// Sequence numbers above this are not continued after a restart, so that 2²⁸ next ones always exist.
  static var lastMountedSequence: UInt32 { 0x6FFF_FFFF }

  /// CRC-16 of CCITT (x¹⁶+x¹²+x⁵+1, most significant bit first) continued over one byte, without a table.
  @inline(__always)
  static func crc16(_ crc: UInt16, _ byte: UInt8) -> UInt16 {
    var crc = crc.byteSwapped ^ UInt16(byte)
    crc ^= (crc & 0xFF) &>> 4
    crc ^= crc &<< 12
    crc ^= (crc & 0xFF) &<< 5
    return crc
  }

  /// CRC-32 of IEEE 802.3 (as in zip and Ethernet) over the first `count` bytes. Only headers have it, so it
  /// may be slow.
  static func crc32(_ bytes: Span<UInt8>, count: Int) -> UInt32 { CRC32.of(bytes.extracting(0..<count)) }

  /// `count` rounded up to whole words of 1, 2, 4 or 8 bytes.
  @inline(__always)
  static func aligned(_ count: Int, to word: Int) -> Int { (count &+ word &- 1) & ~(word &- 1) }

  /// How much room in a page an event with this many payload bytes needs: its blocks, the pending block, and
  /// one to begin the record in.
  static func room(forPayload count: Int, isSealed: Bool) -> Int {
    let full = count / rawLimit
    let rest = count % rawLimit
    // The frame has two bytes more, which may take another word, and the pending block is larger.
    if isSealed { return full &* 136 &+ aligned(rest &+ 6, to: 8) &+ 288 }
    return full &* blockSize &+ aligned(rest &+ 4, to: 8) &+ 224
  }

  /// A moment rounded down to 10 ms, in 32-bit steps: 2³² leaves 6 when divided by 10. Not inlined: a
  /// division by 10 has no side effects, so the optimiser would move it ahead of the check whether a page is
  /// to be begun and do it for every record; the smallest cores take 600 instructions for each.
  @inline(never)
  static func tickStart(_ now: Instant) -> Instant {
    let high = now.milliseconds.high32 % 10
    let low = now.milliseconds.low32 % 10
    let rest = (high &* 6 &+ low) % 10
    return Instant(milliseconds: now.milliseconds &- UInt64(wide: rest))
  }
}

/// The contents of the header of a page, or of a later segment of it.
public struct LogPageHeader: Equatable, BitwiseCopyable, Sendable {
  /// The page's number: one more than the page before.
  public var sequence: UInt32
  /// The log's epoch: changes when the whole log is erased.
  public var epoch: UInt32
  /// Which start-up of the device the records belong to.
  public var boot: UInt32
  /// The uptime from which the records count, a multiple of 10 ms.
  public var uptime: Instant
  /// Milliseconds since 1970-01-01T00:00:00Z at `uptime`; 0 when the date was not known.
  public var unixMilliseconds: UInt64
  /// The source of the date.
  public var clockSource: WallClock.Source
  /// How many targets the writer distinguishes at a time, 1…64.
  public var dictionaryCapacity: Int
  /// Blocks begin at multiples of this many bytes: 1, 2, 4 or 8.
  public var wordSize: Int
  /// Whether the blocks are sealed (docs/log-format.md), which those of version 2 are not.
  public var isSealed = false
  /// The version of the format of this segment, 2 or 3; a header is written with 3.
  public let version: UInt8

  /// Initialises each member.
  public init(
    sequence: UInt32, epoch: UInt32, boot: UInt32, uptime: Instant, unixMilliseconds: UInt64,
    clockSource: WallClock.Source, dictionaryCapacity: Int, wordSize: Int
  ) {
    self.init(
      sequence: sequence, epoch: epoch, boot: boot, uptime: uptime, unixMilliseconds: unixMilliseconds,
      clockSource: clockSource, dictionaryCapacity: dictionaryCapacity, wordSize: wordSize,
      version: LogFormat.version)
  }

  @inline(__always)
  init(
    sequence: UInt32, epoch: UInt32, boot: UInt32, uptime: Instant, unixMilliseconds: UInt64,
    clockSource: WallClock.Source, dictionaryCapacity: Int, wordSize: Int, version: UInt8
  ) {
    self.sequence = sequence
    self.epoch = epoch
    self.boot = boot
    self.uptime = uptime
    self.unixMilliseconds = unixMilliseconds
    self.clockSource = clockSource
    self.dictionaryCapacity = dictionaryCapacity
    self.wordSize = wordSize
    self.version = version
  }

  /// The header in the first 40 of `bytes`; `nil` unless its magic, version, checksum and every field are
  /// valid.
  public init?(_ bytes: Span<UInt8>) {
    guard bytes.count >= LogFormat.headerSize else { return nil }
    // It is ten words, of which the second is four bytes.
    var words: [10 of UInt32] = .init(repeating: 0)
    var reader = ByteReader(bytes)
    var index = 0
    while index < words.count {
      words[index] = reader.u32() ?? 0
      index &+= 1
    }
    let word = Int(words[1] &>> 8 & 0xFF)
    let capacity = Int(words[1] &>> 16 & 0xFF)
    let version = UInt8(truncatingIfNeeded: words[1])
    guard words[0] == LogFormat.magic, version >= LogFormat.oldestVersion, version <= LogFormat.version,
      word == 1 || word == 2 || word == 4 || word == 8,
      capacity >= 1, capacity <= LogFormat.maximumDictionary,
      let source = WallClock.Source(
        rawValue: UInt8(truncatingIfNeeded: words[1] &>> 24) & (version > 2 ? 0x7F : 0xFF)),
      words[3] >= 1, words[3] <= LogFormat.maximumSequence,
      words[9] == LogFormat.crc32(bytes, count: LogFormat.headerSize &- 4)
    else { return nil }
    self.init(
      sequence: words[3], epoch: words[2], boot: words[4],
      uptime: Instant(milliseconds: UInt64(high: words[6], low: words[5])),
      unixMilliseconds: UInt64(high: words[8], low: words[7]), clockSource: source,
      dictionaryCapacity: capacity, wordSize: word, version: version)
    isSealed = words[1] &>> 31 != 0
  }

  /// Bytes to the first block.
  var size: Int { isSealed ? LogFormat.sealedHeaderSize : LogFormat.headerSize }

  /// Writes the 40 bytes of the header to the start of `bytes` and returns the low half of its checksum, with
  /// which the checksums of its blocks begin.
  func write(to bytes: inout MutableSpan<UInt8>) -> UInt16 {
    guard bytes.count >= LogFormat.headerSize else { return 0 }
    var head = bytes._mutatingExtracting(0..<LogFormat.headerSize)
    do {
      var writer = ByteWriter(head._mutatingExtracting(0..<LogFormat.headerSize))
      writer.u32(LogFormat.magic)
      writer.u8(version)
      writer.u8(UInt8(truncatingIfNeeded: wordSize))
      writer.u8(UInt8(truncatingIfNeeded: dictionaryCapacity))
      writer.u8(clockSource.rawValue | (isSealed ? 0x80 : 0))
      writer.u32(epoch)
      writer.u32(sequence)
      writer.u32(boot)
      writer.u64(uptime.milliseconds)
      writer.u64(unixMilliseconds)
    }
    let crc = LogFormat.crc32(head.span, count: LogFormat.headerSize &- 4)
    for index in 0..<4 {
      head[LogFormat.headerSize &- 4 &+ index] = UInt8(
        truncatingIfNeeded: crc &>> UInt32(truncatingIfNeeded: index &* 8))
    }
    return UInt16(truncatingIfNeeded: crc)
  }
}

/// The frame of one block: the unit of programming.
struct LogBlock: BitwiseCopyable {
  /// The contents of the block.
  enum Kind: BitwiseCopyable {
    /// Coded records; the codeword continues in the next block.
    case open
    /// Coded records; the codeword ends here.
    case final
    /// Payload bytes unencoded, for the record that follows.
    case raw
  }

  let kind: Kind
  /// Where the content begins, counted from the block's start.
  let contentStart: Int
  /// Bytes of content, 1…125.
  let contentCount: Int
  /// The block's checksum, with which the next block's begins.
  let crc: UInt16
  /// Bytes to the next block.
  let size: Int

  /// The block at the start of `bytes`; `nil` if there is none or its checksum is wrong. `seed` is the
  /// checksum of the block before, or the low half of the header's.
  init?(_ bytes: Span<UInt8>, seed: UInt16, word: Int) {
    guard bytes.count >= 4 else { return nil }
    let mark = bytes[0]
    guard mark != 0xFF, mark != 0x80 else { return nil }
    if mark == 0 {
      kind = .raw
      contentStart = 2
      contentCount = Int(bytes[1])
      guard contentCount >= 1, contentCount <= LogFormat.rawLimit else { return nil }
    } else {
      kind = mark & 0x80 == 0 ? .open : .final
      contentStart = 1
      contentCount = Int(mark & 0x7F)
      guard contentCount <= LogFormat.codedLimit else { return nil }
    }
    let end = contentStart &+ contentCount
    guard end &+ 2 <= bytes.count else { return nil }
    var crc = seed
    for index in 0..<end { crc = LogFormat.crc16(crc, bytes[unchecked: index]) }
    guard UInt8(truncatingIfNeeded: crc) == bytes[end],
      UInt8(truncatingIfNeeded: crc &>> 8) == bytes[end &+ 1]
    else { return nil }
    self.crc = crc
    size = LogFormat.aligned(end &+ 2, to: word)
  }
}
