import HeraldBluetooth
import HeraldHAL

/// Opens sealed pages with the owner's private key (docs/sealed-log.md): bytes in, the same page as if it had
/// not been sealed out, for `LogPageDecoder`.
///
/// The bytes may be hostile. A block is used only if its tag is right, in its place; so is a segment only if
/// its header, key and device are those that it was sealed with. Allocates nothing. Consecutive pages cost
/// one step of the chain of keys; others up to 255, and the first of each key pair an X25519.
public struct SealedPageOpener: BitwiseCopyable, Sendable {
  private var secret: [32 of UInt8] = .init(repeating: 0)
  /// The owner's public key.
  public private(set) var publicKey: [32 of UInt8] = .init(repeating: 0)
  /// The key pair of the device to which the chain belongs, and the chain's first and present keys.
  private var known: [32 of UInt8] = .init(repeating: 0)
  /// The serial number of that device, as many bytes of it as the keys depend on.
  private var device: [32 of UInt8] = .init(repeating: 0)
  private var deviceCount = 0
  private var start: [32 of UInt8] = .init(repeating: 0)
  private var chain: [32 of UInt8] = .init(repeating: 0)
  private var step = -1

  /// With a private key of 32 bytes.
  public init(secret bytes: Span<UInt8>) {
    for index in 0..<min(bytes.count, 32) { secret[index] = bytes[index] }
    publicKey = Self.product(bytes, Span())
  }

  /// Erases the private key and all values derived from it.
  public mutating func wipe() {
    var bytes = secret.mutableSpan
    bytes.wipe()
    bytes = start.mutableSpan
    bytes.wipe()
    bytes = chain.mutableSpan
    bytes.wipe()
    step = -1
  }

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

  /// Opens a page of the device with this serial number, whose first header is sealed, into `output`, which
  /// has `room(for:)` bytes.
  public mutating func open(
    _ page: Span<UInt8>, serial: Span<UInt8>, into output: inout MutableSpan<UInt8>
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
      let end = open(header, page, offset, serial: serial, into: &output, &outcome)
      offset = max(
        LogFormat.aligned(end, to: LogFormat.segmentAlignment), offset &+ LogFormat.segmentAlignment)
    }
    return outcome
  }

  /// Opens a segment. Returns where its last whole block ends.
  private mutating func open(
    _ header: LogPageHeader, _ page: Span<UInt8>, _ offset: Int, serial: Span<UInt8>,
    into output: inout MutableSpan<UInt8>, _ outcome: inout Outcome
  ) -> Int {
    var position = offset &+ LogFormat.sealedHeaderSize
    var keys: [32 of UInt8] = .init(repeating: 0)
    var key = LogSegmentSeal()
    if position <= page.count, isKey(&keys, of: page, offset, serial: serial) {
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

  /// Finds the keys of a segment, and whether its check is theirs.
  private mutating func isKey(
    _ keys: inout [32 of UInt8], of page: Span<UInt8>, _ offset: Int, serial: Span<UInt8>
  ) -> Bool {
    var segment: [75 of UInt8] = .init(repeating: 0)
    for index in 0..<73 { segment[index] = page[offset &+ index] }
    segment[73] = UInt8(truncatingIfNeeded: offset)
    segment[74] = UInt8(truncatingIfNeeded: offset &>> 8)
    let pair = page.extracting((offset &+ 40)..<(offset &+ 72))
    let wanted = Int(segment[72])
    if step < 0 || !known.span.equalsInConstantTime(pair) || !isKnown(serial) {
      var secret = Self.product(self.secret.span, pair)
      guard !secret.span.isZeroInConstantTime else { return false }
      for index in 0..<32 { known[index] = pair[index] }
      deviceCount = min(serial.count, 32)
      for index in 0..<deviceCount { device[index] = serial[index] }
      LogSealKeys.begin(
        &start, secret: secret.span, publicKey: pair, owner: publicKey.span, serial: serial)
      var bytes = secret.mutableSpan
      bytes.wipe()
      step = 256
    }
    if wanted < step {
      chain = start
      step = 0
    }
    while step < wanted {
      LogSealKeys.skip(&chain)
      step &+= 1
    }
    LogSealKeys.take(&keys, from: &chain, segment: segment.span)
    step &+= 1
    return keys.span.extracting(16..<23).equalsInConstantTime(
      page.extracting((offset &+ 73)..<(offset &+ 80)))
  }

  /// Whether the chain belongs to the device with this serial number.
  private mutating func isKnown(_ serial: Span<UInt8>) -> Bool {
    let count = min(serial.count, 32)
    guard count == deviceCount else { return false }
    for index in 0..<count where serial[index] != device[index] { return false }
    return true
  }

  private static func product(_ secret: Span<UInt8>, _ point: Span<UInt8>) -> [32 of UInt8] {
    var curve = X25519()
    curve.begin(scalar: secret, point: point)
    while !curve.advance() {}
    var result: [32 of UInt8] = .init(repeating: 0)
    curve.finish(into: &result)
    curve.wipe()
    return result
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
    var place = output._mutatingExtracting(position..<(position &+ LogFormat.headerSize))
    crc = header.write(to: &place)
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
