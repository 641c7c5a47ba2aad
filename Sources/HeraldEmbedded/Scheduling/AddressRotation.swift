import HeraldHAL

/// When the own address changes.
///
/// A new address is due at start-up and then once in every period. The application may hold rotation (for
/// example while it shows a code to a person), and so may the core (during a connection attempt, when a
/// radio's address cannot change); a rotation that became due meanwhile takes place as soon as it is no
/// longer held.
public struct AddressRotation: BitwiseCopyable, Sendable {
  /// Time from one address to the next.
  public let period: Interval
  /// Whether the application holds rotation.
  public var isHeld: Bool
  private var due: Instant

  /// The default period, that of every phone.
  public static var usualPeriod: Interval { .minutes(15) }

  /// A first address is due at once, later ones every `period` (at least a second).
  public init(period: Interval = Self.usualPeriod) {
    self.period = period < .seconds(1) ? .seconds(1) : period
    isHeld = false
    due = .start
  }

  /// Whether a new address is to be taken now.
  public func isDue(at now: Instant) -> Bool { !isHeld && now >= due }
  /// When a new address is to be taken; `.never` while it is held.
  public var deadline: Instant { isHeld ? .never : due }
  /// A new address was taken at `now`.
  public mutating func rotated(at now: Instant) { due = now + period }
  /// Schedules a new address at `moment` if none is due before.
  public mutating func noLater(than moment: Instant) { if moment < due { due = moment } }
  /// Schedules a new address at the next opportunity.
  public mutating func rotateSoon() { due = .start }
}
