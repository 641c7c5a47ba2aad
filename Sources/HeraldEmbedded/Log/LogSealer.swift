import HeraldCrypto
import HeraldHAL

/// The keys that a device seals its log with (docs/log-format.md).
///
/// The device agrees a secret with the owner's public key by a key pair of its own that it makes for this and
/// forgets: a chain of keys begins with it, one for each segment. A segment's key and the next one of the
/// chain are computed when the segment begins, and the chain cannot be computed backwards.
public struct LogSealer: BitwiseCopyable, Sendable {
  private var curve = X25519()
  private var stage = Stage.idle
  /// The public half of the pair that is being made.
  private var fresh: [32 of UInt8] = .init(repeating: 0)
  /// The public half of the pair with which the chain began.
  private var publicKey: [32 of UInt8] = .init(repeating: 0)
  private(set) var chain: [32 of UInt8] = .init(repeating: 0)
  /// How many keys of the chain were used.
  private var step: UInt8 = 0
  /// Whether there is a chain: pages are sealed.
  public private(set) var isActive = false
  /// Whether the owner's key has changed since the chain began.
  private var isStale = false
  private var begunAt = Instant.start

  private enum Stage: UInt8, BitwiseCopyable {
    case idle, pair, secret
  }

  /// After how many segments a new chain is begun. A reader computes at most 255 steps.
  private static var segments: UInt8 { 192 }
  /// After which time a new chain is begun.
  private static var life: Interval { .minutes(1440) }
  /// Before which time none is begun for its segments.
  private static var pause: Interval { .minutes(60) }

  /// No keys, all zero bits.
  public init() {}

  /// Whether the chain has a key for another segment at `now`.
  ///
  /// The first 192 are there at once, in which the log is filled in hours. Of the other 63 there is one for
  /// each minute that has passed since the chain began: if its segments are used up sooner, by failing flash
  /// or a flood, they last until a new chain may be begun.
  func hasNext(at now: Instant) -> Bool {
    guard step >= Self.segments else { return true }
    return step < 255 && now >= begunAt + .minutes(UInt32(step &- Self.segments) &+ 1)
  }

  /// Whether there is work, a part of which `advance` does: a chain is missing, was used for long enough, or
  /// is being made. For one owner's key it is not begun twice within an hour.
  public func isDue(at now: Instant) -> Bool {
    if !isActive || isStale || stage != .idle { return true }
    return now >= begunAt + (step >= Self.segments ? Self.pause : Self.life)
  }

  /// The owner's key has changed: other keys are due.
  public mutating func ownerChanged() {
    isStale = isActive
    stage = .idle
    curve.wipe()
  }

  /// Whether the work is to begin.
  public var isIdle: Bool { stage == .idle }

  /// Begins with 32 random bytes.
  @inline(never)
  public mutating func begin(secret: Span<UInt8>) {
    curve.begin(scalar: secret, point: Span())
    stage = .pair
  }

  /// Does a part of the work: a part of `X25519`. Returns whether the owner's key is needed to continue, with
  /// `FlashLog.makeKeys`.
  public mutating func advance() -> Bool { curve.advance() }

  /// Continues with the owner's public key, 32 bytes, and the serial number of the device. Returns whether a
  /// new chain has begun: then every derived value but the chain is erased.
  @inline(never)
  mutating func advance(owner: Span<UInt8>, serial: Span<UInt8>, at now: Instant) -> Bool {
    if stage == .pair {
      curve.finish(into: &fresh)
      curve.begin(point: owner)
      stage = .secret
      return false
    }
    guard stage == .secret else { return false }
    stage = .idle
    var secret: [32 of UInt8] = .init(repeating: 0)
    curve.finish(into: &secret)
    curve.wipe()
    var bytes = secret.mutableSpan
    defer { bytes.wipe() }
    guard !bytes.span.isZeroInConstantTime else { return false }
    LogSealKeys.begin(&chain, secret: bytes.span, publicKey: fresh.span, owner: owner, serial: serial)
    publicKey = fresh
    step = 0
    isActive = true
    isStale = false
    begunAt = now
    return true
  }

  /// Erases all keys: what follows is not sealed.
  @inline(never)
  mutating func wipe() {
    curve.wipe()
    var bytes = chain.mutableSpan
    bytes.wipe()
    stage = .idle
    isActive = false
    isStale = false
  }

  /// Takes the keys of the segment whose 40 bytes of header are at the start of `bytes` and which begins at
  /// `offset` of its page, and writes the other 40 behind them.
  @inline(never)
  mutating func begin(
    _ seal: inout LogSegmentSeal, header bytes: inout MutableSpan<UInt8>, sequence: UInt32, at offset: Int
  ) {
    for index in 0..<32 { bytes[LogFormat.headerSize &+ index] = publicKey[index] }
    bytes[72] = step
    bytes[73] = UInt8(truncatingIfNeeded: offset)
    bytes[74] = UInt8(truncatingIfNeeded: offset &>> 8)
    var keys: [32 of UInt8] = .init(repeating: 0)
    LogSealKeys.take(&keys, from: &chain, segment: bytes.span.extracting(0..<75))
    var room = keys.mutableSpan
    seal.begin(room.span, sequence: sequence)
    for index in 0..<7 { bytes[73 &+ index] = room[16 &+ index] }
    room.wipe()
    step &+= 1
  }
}

/// How the keys are derived, by HKDF-SHA256.
enum LogSealKeys {
  /// The first key of the chain. Of a serial number of more than 32 bytes the first 32 are used.
  @inline(never)
  static func begin(
    _ chain: inout [32 of UInt8], secret: Span<UInt8>, publicKey: Span<UInt8>, owner: Span<UInt8>,
    serial: Span<UInt8>
  ) {
    var derivation = HKDFSHA256()
    derivation.extract(salt: publicKey, Span(), keyMaterial: secret)
    var context: [64 of UInt8] = .init(repeating: 0)
    for index in 0..<min(owner.count, 32) { context[index] = owner[index] }
    let count = min(serial.count, 32)
    for index in 0..<count { context[32 &+ index] = serial[index] }
    derivation.expand("herald log 1", context.span.extracting(0..<(32 &+ count)), into: &chain)
    derivation.wipe()
  }

  /// The keys of a segment, 16 bytes of key and 7 of check, and the next key of the chain in place of
  /// that from which both are derived.
  @inline(never)
  static func take(_ keys: inout [32 of UInt8], from chain: inout [32 of UInt8], segment: Span<UInt8>) {
    var derivation = HKDFSHA256()
    derivation.set(key: chain.span)
    derivation.expand("herald log 1 segment", segment, into: &keys)
    derivation.expand("herald log 1 next", Span(), into: &chain)
    derivation.wipe()
  }

  /// The next key of the chain.
  static func skip(_ chain: inout [32 of UInt8]) {
    var derivation = HKDFSHA256()
    derivation.set(key: chain.span)
    derivation.expand("herald log 1 next", Span(), into: &chain)
    derivation.wipe()
  }
}

extension FlashLog where F: ~Copyable {
  /// Continues with the owner's public key, 32 bytes, and the serial number of the device. Pages that are
  /// begun after the last part are sealed; the open one ends if it is not, or is sealed for another owner.
  @inline(never)
  public mutating func makeKeys(owner: Span<UInt8>, serial: Span<UInt8>, at now: Instant) {
    let isForOther = sealer.isForOther
    guard sealer.advance(owner: owner, serial: serial, at: now), isForOther else { return }
    endPage()
  }

  /// Ends a sealed page, and erases all keys: the next one is not sealed.
  @inline(never)
  public mutating func unseal() {
    guard sealer.isActive || !sealer.isIdle else { return }
    if sealer.isActive { endPage() }
    sealer.wipe()
  }

  private mutating func endPage() {
    commit()
    close()
    ring.resume = 0
    writer.encoder.endSeal()
  }
}

extension LogSealer {
  /// Whether the open page is not sealed for the present owner.
  var isForOther: Bool { !isActive || isStale }
}
