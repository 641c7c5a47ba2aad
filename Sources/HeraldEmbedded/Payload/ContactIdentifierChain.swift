import HeraldHAL

/// The contact identifiers of one day, each computed in at most 62 hashes.
///
/// The period seeds run backwards, so the identifier of the first period lies 240 hashes behind the matching
/// key. `start` computes 181 hashes once and stores half a seed at every sixtieth period; from the next such
/// seed every period is at most 60 steps away. The stored seeds give access to this day only, as the matching
/// key does. 64 bytes.
public struct ContactIdentifierChain: ~Copyable {
  private static var spacing: Int { 60 }
  /// The first halves of the seeds of periods 60, 120, 180 and 240.
  private var halves: [64 of UInt8]

  /// A chain of no day; all zero bits.
  public init() { halves = .init(repeating: 0) }

  /// Makes this the chain of the day with this matching key.
  public mutating func start(matchingKey: [32 of UInt8]) {
    var seed = matchingKey
    start(&seed)
  }

  /// The same with the key in a buffer that is overwritten with derived values and erased.
  mutating func start(_ seed: inout [32 of UInt8]) {
    SimpleKeySchedule.hash(&seed)
    var slot = 3
    while true {
      for index in 0..<16 { halves[slot &* 16 &+ index] = seed[index] }
      if slot == 0 { break }
      for _ in 0..<Self.spacing { SimpleKeySchedule.stepBack(&seed) }
      slot &-= 1
    }
    SimpleKeySchedule.wipe(&seed)
  }

  /// The contact identifier of a period, 0…239; `nil` for any other period.
  public mutating func identifier(period: Int) -> [16 of UInt8]? {
    var identifier: [16 of UInt8] = .init(repeating: 0)
    return copyIdentifier(period: period, into: &identifier) ? identifier : nil
  }

  /// The same, written to its slot; `false` for any other period.
  mutating func copyIdentifier(period: Int, into identifier: inout [16 of UInt8]) -> Bool {
    guard period >= 0, period < SimpleKeySchedule.periodsPerDay else { return false }
    let slot = period / Self.spacing
    var seed: [32 of UInt8] = .init(repeating: 0)
    for index in 0..<16 { seed[index] = halves[slot &* 16 &+ index] }
    var at = (slot &+ 1) &* Self.spacing
    while at > period {
      SimpleKeySchedule.stepBack(&seed)
      at &-= 1
    }
    SimpleKeySchedule.copyIdentifier(of: &seed, into: &identifier)
    return true
  }

  /// Erases the day.
  public mutating func wipe() {
    var bytes = halves.mutableSpan
    bytes.wipe()
  }
}
