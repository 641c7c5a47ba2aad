/// What is known of a practice ward: what its logs are to be read as. Persons and badges are indices into
/// `PracticeWard.people` and `PracticeWard.badges`, dates are milliseconds since 1970-01-01T00:00:00Z.
public struct PracticeTruth: Sendable {
  /// A person and the badge.
  public struct Wearer: Equatable, Sendable {
    /// The person.
    public let person: Int
    /// The badge.
    public let badge: Int
  }

  /// How long two persons were together on a day, in whole minutes, whatever their badges recorded.
  public struct Together: Equatable, Sendable {
    /// The two persons, the lower index first.
    public let people: [Int]
    /// The day, from 0 on.
    public let day: Int
    /// The minutes at most 2 m apart in one room.
    public var near = 0
    /// The minutes in one room.
    public var inOneRoom = 0
  }

  /// The badge whose battery ran out.
  public internal(set) var flat: Wearer
  /// When the flat badge recorded nothing.
  public internal(set) var flatTime: Range<UInt64>
  /// The badge that is covered: it is received weakly, and receives almost nothing.
  public internal(set) var covered: Wearer
  /// The badge whose clock is fast.
  public internal(set) var fast: Wearer
  /// By how many milliseconds the clock is fast.
  public internal(set) var fastBy: UInt64
  /// The badges that lie in one box while nobody wears them.
  public internal(set) var boxed: [Wearer]
  /// The person who got a second badge.
  public internal(set) var exchanged: Wearer
  /// The second badge of that person.
  public internal(set) var second: Int
  /// When the second badge replaced the first.
  public internal(set) var exchangedAt: UInt64
  /// The minutes of each pair and day with at least one minute in one room.
  public internal(set) var together: [Together] = []
}
