import HeraldBluetooth
import HeraldHAL

/// For how long a connection to a peer is attempted.
struct AttemptLength: BitwiseCopyable {
  /// The length.
  private(set) var length: Interval
  /// The attempt is shorter than what a peer that is there needs in any case: if it ends without a
  /// connection, the peer has not failed.
  private(set) var isCut: Bool
  /// The length is that of one window in which the peer is expected to advertise.
  private(set) var isBrief: Bool

  /// The longest attempt while scanning is in rounds: a phone advertises within it.
  private static var inRounds: Interval { .milliseconds(1100) }
  /// The length of an attempt at a stranger while other peers wait: a phone advertises once more within it.
  static var hasty: Interval { .milliseconds(1300) }
  /// For how long after it was last received attempts at a peer last as long as its windows: about four of
  /// them. Then it does not advertise when it is expected to.
  static var briefly: Interval { .seconds(5) }
  /// The time for the event at the end of a window, in ms.
  private static var event: UInt32 { 4 }
  /// When a peer is considered again after an attempt of one window: before the next one.
  static var nextWindow: Interval { .milliseconds(500) }

  /// The length of an attempt that begins now. `othersWait`: other strangers do. `isSparing`: scanning is in
  /// rounds. `isRhythmic`: the events of most peers repeat.
  init<Parts: DeviceParts>(
    of target: Target, othersWait: Bool, isSparing: Bool, isFlooded: Bool, isCrowded: Bool,
    isRhythmic: Bool, _ context: inout CoreContext<Parts>
  ) {
    self.init(
      of: target, usual: context.configuration.attemptTimeout, othersWait: othersWait,
      sparing: isSparing ? context.advertisingInterval.milliseconds : 0, isFlooded: isFlooded, at: context.now
    )
    // The events of a few do not repeat: one attempt of eight is as usual, and all of them after a minute.
    let isRhythmic =
      isRhythmic && !isFlooded
      && (target.silence(at: context.now) < Self.briefly
        || target.isNew(within: .seconds(60), at: context.now) && context.random.next() & 7 > 0)
    guard isCrowded || isRhythmic, target.isCrowdMember(at: context.now) else { return }
    limit(to: target.awaitedWindow(every: context.advertisingInterval.milliseconds, at: context.now))
  }

  /// The length of an attempt that begins at `now`. `usual`: that of `HeraldConfiguration`. `othersWait`:
  /// other strangers do. `sparing`: the advertising interval in ms if scanning is in rounds, otherwise 0.
  init(
    of target: Target, usual: Interval, othersWait: Bool, sparing: UInt32, isFlooded: Bool, at now: Instant
  ) {
    let hasMessage = target.has(Target.awaitsMessageFlag)
    let isHasty = othersWait && target.state != .read && !hasMessage
    length = isHasty ? Self.hasty : usual
    isCut = isHasty
    isBrief = false
    guard sparing > 0, !hasMessage else { return }
    if Self.inRounds < length { length = Self.inRounds }
    guard !isFlooded, target.silence(at: now) < Self.briefly else { return }
    limit(to: target.windowToConnect(every: sparing, at: now))
  }

  /// The attempt lasts as long as this window.
  mutating func limit(to window: AwaitedWindow) {
    length = .milliseconds(window.left &+ Self.event)
    isCut = true
    isBrief = true
  }
}
