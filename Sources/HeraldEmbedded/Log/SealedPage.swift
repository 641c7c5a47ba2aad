/// Gives the keys of sealed segments (docs/log-format.md, section 9).
public protocol SealedSegmentKeys {
  /// Writes the key of the segment at `offset` of `page`, which is followed by at least 80 bytes, into the
  /// first 16 bytes of `keys`, and its check into the next seven. `false` if it is not known, or its check is
  /// not that in the page.
  mutating func find(_ keys: inout [32 of UInt8], of page: Span<UInt8>, at offset: Int) -> Bool
}

/// Reads sealed pages: bytes in, the same page as if it had not been sealed out, for `LogPageDecoder`.
///
/// The bytes may be hostile. A block is used only if its tag is right, at its offset; a segment only if its
/// key is known. Allocates nothing.
public enum SealedPage {
  /// The result of opening a page.
  public struct Outcome: Equatable, BitwiseCopyable, Sendable {
    /// Bytes of the opened page; 0 if nothing was opened.
    public var count = 0
    /// Segments that were opened.
    public var opened = 0
    /// Segments that another key or another device belongs to, or whose header or key was changed.
    public var foreign = 0
  }

  /// Bytes that an opened page takes at most: its blocks are smaller, and so more of them.
  public static func room(for count: Int) -> Int { count &* 2 &+ 256 }

  /// Opens a page, whose first header is sealed, into `output`, which has `room(for:)` bytes.
  public static func open(
    _ page: Span<UInt8>, with keys: inout some SealedSegmentKeys, into output: inout MutableSpan<UInt8>
  ) -> Outcome {
    var outcome = Outcome()
    guard let first = LogPageHeader(page), first.isSealed else { return outcome }
    var offset = 0
    while offset &+ LogFormat.headerSize <= page.count {
      let rest = page.extracting(offset..<page.count)
      guard let header = LogPageHeader(rest), header.isSealed, header.sequence == first.sequence,
        header.epoch == first.epoch
      else {
        offset &+= LogFormat.segmentAlignment
        continue
      }
      let end = open(header, page, offset, with: &keys, into: &output, &outcome)
      offset = max(
        LogFormat.aligned(end, to: LogFormat.segmentAlignment), offset &+ LogFormat.segmentAlignment)
    }
    return outcome
  }

  /// Opens a segment. Returns where its last whole block ends.
  private static func open(
    _ header: LogPageHeader, _ page: Span<UInt8>, _ offset: Int, with source: inout some SealedSegmentKeys,
    into output: inout MutableSpan<UInt8>, _ outcome: inout Outcome
  ) -> Int {
    var position = offset &+ LogFormat.sealedHeaderSize
    var keys: [32 of UInt8] = .init(repeating: 0)
    var key = LogSegmentSeal()
    if position <= page.count, source.find(&keys, of: page, at: offset) {
      key.begin(keys.span, sequence: header.sequence)
    } else if position < page.count, page[position] != 0xFF {
      outcome.foreign &+= 1
      return position
    }
    // Power was lost while the header was programmed: no block follows.
    var writer = OpenedSegmentWriter(header, at: outcome.count)
    guard writer.begin(&output) else { return position }
    outcome.opened &+= 1
    while key.isOn, position < page.count, page[position] != 0xFF {
      guard position &+ 1 < page.count,
        let frame = SealedBlockFrame(page.extracting(position..<(position &+ 2))),
        position &+ frame.end <= page.count
      else {
        writer.damage(&output)
        break
      }
      var block: [192 of UInt8] = .init(repeating: 0)
      for index in 0..<frame.end { block[index] = page[position &+ index] }
      var bytes = block.mutableSpan
      var packet = bytes._mutatingExtracting(0..<frame.end)
      guard key.open(&packet, clear: frame.clear, at: position) else {
        writer.damage(&output)
        break
      }
      let content = packet.span.extracting(frame.clear..<(frame.clear &+ frame.content))
      guard writer.add(content, frame.kind, &output) else { break }
      position &+= frame.size(word: header.wordSize)
    }
    key.end()
    outcome.count = writer.position
    return min(position, page.count)
  }
}

/// Writes a segment that is not sealed.
private struct OpenedSegmentWriter {
  private var header: LogPageHeader
  private(set) var position: Int
  private var crc: UInt16 = 0

  init(_ header: LogPageHeader, at end: Int) {
    self.header = header
    self.header.isSealed = false
    position = LogFormat.aligned(end, to: LogFormat.segmentAlignment)
  }

  mutating func begin(_ output: inout MutableSpan<UInt8>) -> Bool {
    guard position &+ LogFormat.headerSize <= output.count else { return false }
    var room = output._mutatingExtracting(position..<(position &+ LogFormat.headerSize))
    crc = header.write(to: &room)
    position &+= LogFormat.headerSize
    return true
  }

  /// Adds a block, in as many as its content needs. `false` if there is no room.
  mutating func add(
    _ content: Span<UInt8>, _ kind: LogBlock.Kind, _ output: inout MutableSpan<UInt8>
  ) -> Bool {
    var done = 0
    while done < content.count {
      let count = min(content.count &- done, LogFormat.codedLimit)
      let isLast = done &+ count == content.count
      guard position &+ LogFormat.blockSize &+ 8 <= output.count else { return false }
      let start = position
      let length = UInt8(truncatingIfNeeded: count)
      if kind == .raw {
        append(0, &output)
        append(length, &output)
      } else {
        append(kind == .final && isLast ? length | 0x80 : length, &output)
      }
      for index in 0..<count { append(content[done &+ index], &output) }
      let check = crc
      output[position] = UInt8(truncatingIfNeeded: check)
      output[position &+ 1] = UInt8(truncatingIfNeeded: check &>> 8)
      let end = start &+ LogFormat.aligned(position &+ 2 &- start, to: header.wordSize)
      position &+= 2
      while position < end {
        output[position] = 0xFF
        position &+= 1
      }
      done &+= count
    }
    return true
  }

  /// The next block is damaged.
  mutating func damage(_ output: inout MutableSpan<UInt8>) {
    guard position < output.count else { return }
    output[position] = 0x80
    position &+= 1
  }

  private mutating func append(_ byte: UInt8, _ output: inout MutableSpan<UInt8>) {
    output[position] = byte
    crc = LogFormat.crc16(crc, byte)
    position &+= 1
  }
}
