import HeraldHAL

/// Whether the device is in a crowd: many peers wait to have their payloads read, and payloads are read.
///
/// In a crowd each stranger that advertises as this device does is attempted only in the windows in which its
/// events repeat (`AwaitedWindow`), with pauses of random length in between. Otherwise all devices receive
/// all of the time, and attempts last for as long as those of others prevent them.
///
/// Addresses that are invented do not make a crowd: it begins when three payloads were read within some
/// seconds, and ends when none has been read for 2 to 16 s.
struct Crowding: BitwiseCopyable {
  /// Whether the device is in a crowd.
  private(set) var isCrowded: Bool
  /// The strangers that were counted since `beginCount`.
  private var strangers: UInt8
  /// The payloads that were read, which time takes away.
  private var reads: RateBudget
  /// When the next attempt may begin.
  private(set) var pauseEnd: Instant

  /// No crowd: all bits are zero.
  init() {
    isCrowded = false
    strangers = 0
    reads = RateBudget()
    pauseEnd = .start
  }

  /// From how many strangers and payloads on there is a crowd.
  private static var least: (strangers: UInt8, reads: UInt32) { (64, 3) }
  /// When the first crowd can begin. Before, devices that are switched on together read each other as fast as
  /// they can.
  private static var firstAt: Instant { .start + .seconds(30) }
  /// The most payloads that count.
  private static var most: UInt32 { 8 }
  /// The milliseconds in which time takes one away.
  private static var pace: UInt32 { 2048 }
  /// For how long at most an attempt waits: milliseconds, one less than a power of two.
  private static var longestPause: UInt32 { 255 }
  /// For how long after it was last received a stranger is attempted.
  static var presence: Interval { .seconds(30) }

  /// A payload was read.
  mutating func noteRead() { if reads.spent < Self.most { reads.spend(1) } }

  /// A stranger waits that was received not long ago (`Target.isCrowdMember`).
  mutating func count() { if strangers < .max { strangers &+= 1 } }

  /// Begins a crowd, if enough strangers were counted and payloads read, and begins to count again.
  mutating func beginCount(at now: Instant) {
    end(at: now)
    if now >= Self.firstAt, strangers >= Self.least.strangers, reads.spent >= Self.least.reads {
      isCrowded = true
    }
    strangers = 0
  }

  /// Ends the crowd, if no payload has been read for some time.
  mutating func end(at now: Instant) {
    if reads.allows(1, pace: Self.pace, at: now) { isCrowded = false }
  }

  /// An attempt has ended. `chance`: random bits.
  mutating func pause(chance: UInt32, at now: Instant) {
    pauseEnd = now + .milliseconds(chance & Self.longestPause)
  }
}
