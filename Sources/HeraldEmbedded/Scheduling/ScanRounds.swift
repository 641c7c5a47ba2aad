import HeraldHAL

/// Which peers that are present were not received in a round of scanning.
enum MissingPeers: UInt8, BitwiseCopyable {
  /// All were received.
  case none = 0
  /// Peers that are received in most windows.
  case frequent = 1
  /// Peers that are received in few windows, as they advertise less often: phones.
  case rare = 2
}

/// When a device scans that wants a reading of each peer within a certain time, at the least charge
/// (docs/energy.md).
///
/// After a start, which uses the windows of `ScanTiming`, there is one window in each round. It is as long as
/// an advertising interval, so that each peer with that interval advertises in it once. While peers that are
/// present were not received in this round, it continues up to `longestWindow`, in which a phone advertises,
/// and is repeated once, `retry` later. The next round begins a little less than the latency after the last
/// one, less a random time: two devices do not stay in step.
///
/// Pure state: from the time, and whether peers are missing, it computes what to scan, and until when.
struct ScanRounds: BitwiseCopyable {
  /// What to scan.
  enum Scanning: UInt8, BitwiseCopyable {
    /// The windows of `ScanTiming`.
    case windows = 0
    /// All of the time.
    case always = 1
    /// Scanning rests.
    case nothing = 2
  }

  /// What to scan, and until when that holds.
  struct Plan: Equatable, BitwiseCopyable {
    let scanning: Scanning
    let deadline: Instant
  }

  private enum Stage: UInt8, BitwiseCopyable {
    case new = 0
    case start = 1
    case window = 2
    case rest = 3
  }

  private var stage: Stage
  /// The window repeats that of this round.
  private(set) var isRepeated: Bool
  private var isLying: Bool
  /// The window has lasted for its length.
  private var isProlonged: Bool
  /// When the start or the window began, or when the rest ends.
  private var moment: Instant
  /// When the first window of this round began.
  private(set) var roundAt: Instant

  /// The device has not scanned yet: all bits are zero.
  init() {
    stage = .new
    isRepeated = false
    isLying = false
    isProlonged = false
    moment = .start
    roundAt = .start
  }

  /// The length of the start.
  static var startLength: Interval { .seconds(60) }
  /// The longest window that is scanned continuously: in this time a phone that advertises once a second does
  /// so.
  static var longestWindow: Interval { .milliseconds(1050) }
  /// How long peers that advertise rarely are awaited, when they can be expected: twice each.
  static var longestAwait: Interval { .milliseconds(2300) }
  /// The time in ms between checks whether peers are still missing.
  static var step: UInt32 { 16 }
  /// The time from the end of a window in which peers were missing to its repetition.
  static var retry: Interval { .seconds(1) }
  /// How much longer than the advertising interval a window is: the random delay of an advertising event (0
  /// to 10 ms), and the event itself.
  static var margin: UInt32 { 13 }

  /// Whether scanning is in rounds now, and no longer in the start.
  var isSparing: Bool { stage == .window || stage == .rest }

  /// Whether the window has lasted for its length, so that `next` uses `misses`.
  func needsSurvey(at now: Instant, window: Interval) -> Bool { stage == .window && now >= moment + window }

  /// The missing peers that may still be awaited in a window.
  struct Expectations: BitwiseCopyable {
    /// The peers that advertise frequently, at any time.
    let frequent: Bool
    /// The peers that advertise rarely, when they can be expected.
    let rare: Bool
    /// The peers whose events repeat, in short windows.
    let awaited: Bool
    /// The peers of a crowd that changes, at any time (`PeerSurvey.isChanging`).
    let changing: Bool
  }

  /// Which of them may be awaited at `now`.
  func expectations(
    at now: Instant, window: Interval, latency: Interval, room: RhythmicRoom = RhythmicRoom()
  ) -> Expectations {
    Expectations(
      frequent: isRepeated || now < moment + window + window,
      rare: isRepeated || now < moment + Self.longestAwait,
      awaited: !isRepeated && now < moment + Self.longestWaiting(latency, room),
      changing: !isRepeated && now < changeEnd(window))
  }

  /// For how long peers whose events repeat are awaited: so long that they are still received within the
  /// latency after the last round, or little later. In a room of fewer than 64 such peers for half of that:
  /// one that is still missing has then perhaps changed its address, and is looked for earlier.
  private static func longestWaiting(_ latency: Interval, _ room: RhythmicRoom) -> Interval {
    Interval(milliseconds: latency.milliseconds / (room.isPresent && !room.isDense ? 8 : 4))
  }

  /// When a window of this length ends in a crowd that changes. 40 % of the events are lost to collisions
  /// among 200 devices: eight are needed for nearly each to be received.
  private func changeEnd(_ window: Interval) -> Instant {
    moment + Interval(milliseconds: window.milliseconds &* 8)
  }

  /// Whether this is the first survey of the round.
  var isFirstSurvey: Bool { !isRepeated && !isProlonged }

  /// What to scan at `now`. `latency`: the time within which each peer is to be received. `window`: the
  /// length of a window. `survey`: the peers that are present and were not received in this round. `chance`:
  /// random bits.
  mutating func next(
    at now: Instant, latency: Interval, window: Interval, survey: PeerSurvey, chance: UInt32
  ) -> Plan {
    switch stage {
    case .new: start(at: now)
    case .start: if now >= moment + Self.startLength { open(at: now) }
    case .rest: if now >= moment { open(at: now) }
    case .window:
      guard now >= moment + window else { break }
      isProlonged = true
      if survey.isChanging, !isLying { return Plan(scanning: .always, deadline: changeEnd(window)) }
      let misses = survey.missing != .none && !isLying
      let longest = isRepeated ? Self.longestWindow : Self.longestAwait
      var end = survey.missing == .rare || isRepeated ? moment + longest : moment + window + window
      if survey.awaits { end = moment + Self.longestWaiting(latency, survey.room) }
      if misses || survey.awaits && !isLying, now < end, survey.wait < .max {
        let check = now + .milliseconds(survey.wait == 0 ? survey.hold : survey.wait)
        return Plan(scanning: survey.wait == 0 ? .always : .nothing, deadline: check < end ? check : end)
      }
      close(misses: misses, latency: latency.milliseconds, chance: chance, at: now)
    }
    switch stage {
    case .new, .start: return Plan(scanning: .windows, deadline: moment + Self.startLength)
    case .window: return Plan(scanning: .always, deadline: moment + window)
    case .rest: return Plan(scanning: .nothing, deadline: moment)
    }
  }

  /// The windows of `ScanTiming` are used for some time: there is something that requires more scanning.
  mutating func start(at now: Instant) {
    stage = .start
    moment = now
    isRepeated = false
  }

  /// Whether the device lies, by its motion sensor: then a window is not prolonged. One that was picked up
  /// scans as after a start.
  mutating func note(isLying: Bool, at now: Instant) {
    if self.isLying, !isLying { start(at: now) }
    self.isLying = isLying
  }

  private mutating func open(at now: Instant) {
    stage = .window
    moment = now
    isProlonged = false
    if !isRepeated { roundAt = now }
  }

  private mutating func close(misses: Bool, latency: UInt32, chance: UInt32, at now: Instant) {
    stage = .rest
    isRepeated = misses && !isRepeated
    let period = latency &- latency / 10 &- chance % (latency / 32 &+ 1)
    let next = roundAt + .milliseconds(period)
    moment = isRepeated ? now + Self.retry : next > now ? next : now
  }
}
