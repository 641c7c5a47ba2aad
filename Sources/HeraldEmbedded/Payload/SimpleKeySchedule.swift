import HeraldCrypto
import HeraldHAL

/// How the simple payload derives an identifier for every six minutes of 2001 days from one secret of 2048
/// bytes.
///
/// With H = SHA-256 and T the first sixteen of 32 bytes:
///
/// | seed of day 2000 | H(secret) |
/// | --- | --- |
/// | seed of day d − 1 | H(T(seed of day d)), down to day −1 |
/// | matching key of day d | H(seed of d ⊕ seed of d − 1) |
/// | seed of period 240 | H(matching key) |
/// | seed of period p − 1 | H(T(seed of period p)), down to period −1 |
/// | contact key of period p | H(seed of p ⊕ seed of p − 1) |
/// | contact identifier | T(contact key) |
///
/// The secret and the day seeds stay with the host: from the seed of a day all earlier days can be derived. A
/// device gets matching keys, each of which gives access to one day only.
public enum SimpleKeySchedule {
  /// The last day of the schedule; the first is 0.
  public static var lastDay: Int { 2000 }
  /// Periods in a day; the first is 0.
  public static var periodsPerDay: Int { 240 }
  /// Seconds in a period.
  public static var periodSeconds: Int { 360 }
  /// Bytes of the secret.
  public static var secretSize: Int { 2048 }
  /// Bytes of a matching key.
  public static var matchingKeySize: Int { 32 }

  /// Derives the matching keys of days `first`…`last` and writes them one after the other, 32 bytes each: the
  /// data that a host sends to a device. Takes about 2,000 hashes for any number of days.
  public static func deriveMatchingKeys(
    from secret: Span<UInt8>, first: Int, last: Int, into keys: inout MutableSpan<UInt8>
  ) throws(KeyScheduleError) {
    guard secret.count == secretSize else { throw .secretLength }
    guard first >= 0, first <= last else { throw .emptyWindow }
    guard last <= lastDay else { throw .pastEnd }
    guard keys.count / matchingKeySize >= last &- first &+ 1 else { throw .bufferTooSmall }
    var seed = SHA256.digest(of: secret)
    var earlier: [32 of UInt8] = .init(repeating: 0)
    var day = lastDay
    while day >= first {
      earlier = seed
      stepBack(&earlier)
      if day <= last {
        combine(&seed, with: &earlier)
        let start = (day &- first) &* matchingKeySize
        for index in 0..<matchingKeySize { keys[start &+ index] = seed[index] }
      }
      seed = earlier
      day &-= 1
    }
    wipe(&seed)
    wipe(&earlier)
  }

  /// The contact identifier of a period, 0…239, from the matching key of its day, in up to 243 hashes. Index
  /// 240, the start of the chain, which no device shows but phones' matchers expect, is derived too; `nil`
  /// for any other. `ContactIdentifierChain` takes fewer hashes for many periods of one day.
  public static func contactIdentifier(matchingKey: [32 of UInt8], period: Int) -> [16 of UInt8]? {
    guard period >= 0, period <= periodsPerDay else { return nil }
    var seed = matchingKey
    hash(&seed)
    var at = periodsPerDay
    while at > period {
      stepBack(&seed)
      at &-= 1
    }
    var identifier: [16 of UInt8] = .init(repeating: 0)
    copyIdentifier(of: &seed, into: &identifier)
    return identifier
  }

  /// Writes the contact identifiers of all 240 periods of a day, 16 bytes each, in 481 hashes: for whoever
  /// looks for them in readings. The matching key is erased; `false` if there is no room.
  public static func contactIdentifiers(
    matchingKey seed: inout [32 of UInt8], into identifiers: inout MutableSpan<UInt8>
  ) -> Bool {
    defer { wipe(&seed) }
    guard identifiers.count / 16 >= periodsPerDay else { return false }
    hash(&seed)
    stepBack(&seed)
    var earlier: [32 of UInt8] = .init(repeating: 0)
    var period = periodsPerDay
    while period > 0 {
      period &-= 1
      earlier = seed
      stepBack(&earlier)
      combine(&seed, with: &earlier)
      for index in 0..<16 { identifiers[period &* 16 &+ index] = seed[index] }
      seed = earlier
    }
    wipe(&earlier)
    return true
  }

  /// Writes the contact identifier of the period whose seed this is; the seed is erased.
  static func copyIdentifier(of seed: inout [32 of UInt8], into identifier: inout [16 of UInt8]) {
    var earlier = seed
    stepBack(&earlier)
    combine(&seed, with: &earlier)
    for index in 0..<16 { identifier[index] = seed[index] }
    wipe(&seed)
    wipe(&earlier)
  }

  /// One step towards earlier periods: `seed` becomes H(T(seed)).
  @inline(never)
  static func stepBack(_ seed: inout [32 of UInt8]) {
    var hash = SHA256()
    hash.update(seed.span.extracting(0..<16))
    hash.finish(into: &seed)
  }

  /// `seed` becomes H(seed ⊕ earlier), the key of the two. `inout`, as a borrow may be a copy.
  static func combine(_ seed: inout [32 of UInt8], with earlier: inout [32 of UInt8]) {
    for index in 0..<32 { seed[index] ^= earlier[index] }
    hash(&seed)
  }

  /// `seed` becomes H(seed). Not inlined: the state of a hash must not stay on the stack below the next.
  @inline(never)
  static func hash(_ seed: inout [32 of UInt8]) {
    var hash = SHA256()
    hash.update(seed.span)
    hash.finish(into: &seed)
  }

  static func wipe(_ seed: inout [32 of UInt8]) {
    var bytes = seed.mutableSpan
    bytes.wipe()
  }
}

/// The reason why keys were not derived, stored or offered.
public enum KeyScheduleError: Error, BitwiseCopyable, Sendable {
  /// The day is after day 2000, the end of the schedule: 2026-03-17 with the phones' epoch. A re-based epoch,
  /// agreed with the verifier of the identifiers, starts a new schedule.
  case pastEnd
  /// The time is before the epoch.
  case beforeEpoch
  /// No days, or a negative day.
  case emptyWindow
  /// The secret does not have 2048 bytes.
  case secretLength
  /// The destination is too small for the keys.
  case bufferTooSmall
  /// The keys are not a whole number of 32-byte keys.
  case keyLength
  /// A key is all zeros, the value of an erased key.
  case zeroKey
}

/// When day 0 of a key schedule begins.
///
/// All zero bits represent the phones' epoch.
public struct KeyScheduleEpoch: Hashable, BitwiseCopyable, Sendable {
  private static var phonesUnixSeconds: UInt64 { UInt64(wide: 1_600_905_600) }
  /// Seconds after the phones' epoch, modulo 2⁶⁴.
  private let offset: UInt64

  /// Another epoch, to be agreed with the verifier of the identifiers.
  public init(unixSeconds: UInt64) { offset = unixSeconds &- Self.phonesUnixSeconds }

  /// Seconds since 1970-01-01T00:00:00Z.
  public var unixSeconds: UInt64 { offset &+ Self.phonesUnixSeconds }

  /// The epoch of all phones: 2020-09-24T00:00:00Z.
  public static var phones: KeyScheduleEpoch { KeyScheduleEpoch(unixSeconds: phonesUnixSeconds) }

  /// The day and the period of a moment.
  @inline(never)
  public func moment(at unixSeconds: UInt64) throws(KeyScheduleError) -> KeyScheduleMoment {
    guard unixSeconds >= self.unixSeconds else { throw .beforeEpoch }
    // Both limits are below 2³² for every day of the schedule, and anything larger is past its end.
    let seconds = (unixSeconds &- self.unixSeconds).saturated32
    let day = Int(truncatingIfNeeded: seconds / 86_400)
    guard day <= SimpleKeySchedule.lastDay else { throw .pastEnd }
    let second = Int(truncatingIfNeeded: seconds % 86_400)
    return KeyScheduleMoment(
      day: day, period: second / SimpleKeySchedule.periodSeconds,
      secondsLeft: SimpleKeySchedule.periodSeconds &- second % SimpleKeySchedule.periodSeconds)
  }
}

/// A moment in terms of the key schedule.
public struct KeyScheduleMoment: Equatable, BitwiseCopyable, Sendable {
  /// Days since the epoch, 0…2000.
  public let day: Int
  /// The period of six minutes in that day, 0…239.
  public let period: Int
  /// Seconds until the next period, 1…360.
  public let secondsLeft: Int

  /// Initialises each member.
  public init(day: Int, period: Int, secondsLeft: Int) {
    self.day = day
    self.period = period
    self.secondsLeft = secondsLeft
  }
}
