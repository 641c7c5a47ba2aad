import HeraldBluetooth
import HeraldHAL

/// A buffer for one payload, or one signal message, in transfer.
struct PayloadBuffer: BitwiseCopyable {
  /// What a buffer is used for.
  enum Use: UInt8, BitwiseCopyable {
    case free = 0
    case reading = 1
    case serving = 2
    /// A message that a peer writes to us, as far as it was received.
    case receiving = 3
    /// A message that we write to a peer.
    case signalling = 4
    /// A message of the application that is being sent.
    case message = 5
    /// Our payload for peers without Herald.
    case servingLegacy = 6
    /// A prepared write of a peer, as far as it was received.
    case preparing = 7

    /// Whether it belongs to a request of a peer, not of this device.
    var isOfPeers: Bool {
      self == .serving || self == .servingLegacy || self == .receiving || self == .preparing
    }
  }

  /// Room for the longest message, which is longer than the longest value.
  var bytes: [516 of UInt8]
  var length: UInt16
  var connection: UInt8
  var use: Use

  init() {
    bytes = .init(repeating: 0)
    length = 0
    connection = 0
    use = .free
  }

  /// Copies a part of a value to its offset; `false` if it would not fit or leaves a gap.
  mutating func put(_ piece: Span<UInt8>, at offset: Int) -> Bool {
    guard offset >= 0, offset <= Int(length), piece.count <= 516 &- offset else { return false }
    var byte = 0
    while byte < piece.count {
      bytes[offset &+ byte] = piece[byte]
      byte &+= 1
    }
    length = UInt16(truncatingIfNeeded: offset &+ piece.count)
    return true
  }

  /// Fills it with our payload; `false` if there is none.
  mutating func fill<Supplier: PayloadSupplier & ~Copyable>(
    from supplier: inout Supplier, at unixSeconds: UInt64?, now: Instant, isLegacy: Bool
  ) -> Bool {
    var buffer = bytes.mutableSpan
    let count =
      isLegacy
      ? supplier.legacyPayload(at: unixSeconds, now: now, into: &buffer)
      : supplier.payload(at: unixSeconds, now: now, into: &buffer)
    guard count > 0, count <= Payload.maximumLength else { return false }
    length = UInt16(truncatingIfNeeded: count)
    return true
  }

  /// Serves it from `offset` on.
  mutating func read(from offset: Int, into buffer: inout MutableSpan<UInt8>) -> AttributeRead {
    .copying(bytes.span.extracting(0..<Int(length)), from: offset, into: &buffer)
  }

  /// The range of its contents.
  var all: Range<Int> {
    mutating get { 0..<Int(length) }
  }

  /// The digest of the payload in it.
  mutating func digest() -> UInt64 { digest(all) }

  /// The digest of the payload in a part of it.
  mutating func digest(_ range: Range<Int>) -> UInt64 { PayloadDigest.of(bytes.span.extracting(range)) }

  /// Logs a part of it beside a record; `false` if the log refuses it.
  mutating func record<F: Flash & ~Copyable, let dictionary: Int>(
    _ record: inout LogRecordFields, _ range: Range<Int>, in log: inout FlashLog<F, dictionary>,
    at now: Instant, clock: WallClock
  ) -> Bool {
    do throws(LogError) {
      try log.append(&record, bytes: bytes.span.extracting(range), at: now, clock: clock)
      return true
    } catch {
      return false
    }
  }

  /// Reports it to a delegate.
  mutating func report<Delegate: SensorDelegate & ~Copyable>(
    to delegate: inout Delegate, _ target: TargetIdentity, known: Bool, at now: Instant
  ) {
    report(to: &delegate, target, known: known, all, at: now)
  }

  /// Reports a part of it as a payload to a delegate.
  mutating func report<Delegate: SensorDelegate & ~Copyable>(
    to delegate: inout Delegate, _ target: TargetIdentity, known: Bool, _ range: Range<Int>, at now: Instant
  ) {
    delegate.didRead(target, bytes.span.extracting(range), known: known, at: now)
  }

  /// Reports it to a delegate as shared payloads.
  mutating func reportShared<Delegate: SensorDelegate & ~Copyable>(
    to delegate: inout Delegate, _ sharer: TargetIdentity, at now: Instant
  ) {
    delegate.didShare(sharer, bytes.span.extracting(0..<Int(length)), at: now)
  }

  /// Reports it to a delegate as a message to the application.
  mutating func reportMessage<Delegate: SensorDelegate & ~Copyable>(
    to delegate: inout Delegate, _ sender: TargetIdentity, at now: Instant
  ) {
    delegate.didReceive(sender, bytes.span.extracting(0..<Int(length)), at: now)
  }

  /// How many bytes from `start` on are the first payload (HP-42).
  mutating func lengthOfFirstPayload<Supplier: PayloadSupplier & ~Copyable>(
    from start: Int, by supplier: borrowing Supplier
  ) -> Int {
    supplier.lengthOfFirstPayload(inShared: bytes.span.extracting(start..<Int(length)))
  }
}
