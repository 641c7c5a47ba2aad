import HeraldHAL

/// Whether a crowd arrives: the payloads of several devices that were not known are read within one round of
/// scanning, and these are half of all that are known, or more. In a crowd that is there already, devices
/// that have changed their addresses may seem to be new.
///
/// While a room fills, connections take so much of the radio's time that rounds miss peers that are known
/// already. The device then scans as after a start, for a minute. This takes several times the charge of the
/// rounds, so that it is done four times in succession at most, and once in 15 minutes after that.
struct CrowdArrival: BitwiseCopyable {
  private var starts: RateBudget
  /// The number of payloads since the round began.
  private var payloads: UInt8
  /// The number of peers whose payload is known, with these.
  private var known: UInt8

  /// None: all bits are zero.
  init() {
    starts = RateBudget()
    payloads = 0
    known = 0
  }

  /// From how many payloads on a crowd arrives.
  private static var least: UInt8 { 6 }
  private static var startsInSuccession: UInt32 { 4 }
  /// The milliseconds in which time restores one.
  private static var pace: UInt32 { 900_000 }

  /// The payload of a device was read that was not known.
  mutating func note() { if payloads < .max { payloads &+= 1 } }

  /// A round of scanning begins.
  mutating func beginRound() { payloads = 0 }

  /// The number of peers that are there with a known payload.
  mutating func note(known: UInt8) { self.known = known }

  /// Whether the device is to scan as after a start, from `now` on.
  mutating func takeStart(at now: Instant) -> Bool {
    guard payloads >= Self.least, payloads >= known / 2 else { return false }
    payloads = 0
    guard starts.allows(Self.startsInSuccession, pace: Self.pace, at: now) else { return false }
    starts.spend(1)
    return true
  }
}
