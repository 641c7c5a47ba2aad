/// How many bytes signals may bring to the log, so that nobody can fill it by writing to us. Zero bits when nothing has been spent.
///
/// What is spent is made up for with time. A message is taken as long as less than `limit` is outstanding, and costs what it brings
/// to the log, which is only known afterwards: the last one may go beyond the limit, by one message.
///
/// The numbers: fifty phones that each write how strong they hear us every 15 s (3 bytes) and their payload every 5 minutes (581 at most)
/// bring 107 bytes a second together; if each shares five payloads of 21 bytes every 15 s instead (144), 480. All of them may bring 500 for
/// as long as they like, and 8 KiB beyond that at once, which is fifty phones with payloads of 130 bytes that arrive in the same second.
/// One connection may bring 62 a second, twice of what a phone brings that writes a full message every 15 s, and 2 KiB at once, four full
/// messages, so that one alone cannot take the place of the others. A flood over many of them fills no more than 500 bytes a second.
@usableFromInline
struct SignalBudget: BitwiseCopyable {
  /// Bytes spent and not made up for.
  private var spent: UInt32
  /// Until when time has been taken into account: milliseconds, their lower 32 bits.
  private var settled: UInt32

  @usableFromInline
  init() {
    spent = 0
    settled = 0
  }

  /// What one connection may have outstanding, and the milliseconds in which it makes up for a byte.
  @usableFromInline static var connectionLimit: UInt32 { 2048 }
  @usableFromInline static var connectionPace: UInt32 { 16 }
  /// The same for all of them together.
  @usableFromInline static var limit: UInt32 { 8192 }
  @usableFromInline static var pace: UInt32 { 2 }

  /// Whether another message may be taken at `now`, a byte being made up for in `pace` milliseconds.
  @usableFromInline
  @inline(never)
  mutating func allows(_ limit: UInt32, pace: UInt32, at now: Instant) -> Bool {
    let time = now.milliseconds.low32
    let regained = (time &- settled) / (pace == 0 ? 1 : pace)
    settled = settled &+ regained &* pace
    spent = spent > regained ? spent &- regained : 0
    return spent < limit
  }

  /// Spends so many bytes.
  @usableFromInline
  mutating func spend(_ bytes: Int) { spent = spent &+ UInt32(truncatingIfNeeded: bytes) }
}
