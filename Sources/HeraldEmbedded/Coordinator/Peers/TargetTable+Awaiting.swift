import HeraldBluetooth
import HeraldHAL

// Peers that are awaited in short windows, because their random delays repeat (`AdvertisingRhythm`).

extension Target {
  /// How many more windows are opened for it: with each in which it was not received one less, and as many as
  /// at first when it was received in one. At 0 it is not awaited, as its events do not repeat, or not with
  /// the period of this device. Beside `regularity`.
  var trust: UInt8 {
    get { writtenAt &>> 2 & 7 }
    set { writtenAt = writtenAt & ~0x1C | (newValue & 7) &<< 2 }
  }
  /// The trust in a peer that was just read, and in one that was received in a window.
  static var trustAtFirst: UInt8 { 2 }
  static var trustProven: UInt8 { 6 }

  /// The target's payload was read: until it turns out otherwise it is one that is received in each round,
  /// and whose events repeat. `isDense`: among many, where two windows in succession may well be lost to
  /// collisions.
  mutating func beginRegularity(isDense: Bool) {
    writtenAt = (isDense ? Self.trustProven : Self.trustAtFirst) &<< 2 | 3
  }

  /// Whether a window is open for it.
  var isAwaited: Bool {
    get { writtenAt & 0x20 != 0 }
    set { writtenAt = newValue ? writtenAt | 0x20 : writtenAt & ~0x20 }
  }

  /// Whether its payload was read at another address since it was last received: it has changed its address,
  /// and is not missing.
  var hasMoved: Bool {
    get { writtenAt & 0x40 != 0 }
    set { writtenAt = newValue ? writtenAt | 0x40 : writtenAt & ~0x40 }
  }

  /// Whether it was once received in a window that was open for it: its events repeat.
  var isRhythmic: Bool { writtenAt & 0x80 != 0 }

  /// The target was received: if a window was open for it, its events repeat.
  mutating func endAwaiting() {
    guard isAwaited else { return }
    isAwaited = false
    trust = Self.trustProven
    writtenAt |= 0x80
  }

  /// Whether it is one of the peers that are counted as missing: its payload is known, and it is no iPhone.
  @inline(__always)
  var isCounted: Bool {
    state == .read && system != .iOS && showedService && identityKind != .shared && !isReceiveOnly
  }

  /// The time until its next window, and to the end of that.
  func awaitedWindow(every interval: UInt32, at now: Instant) -> AwaitedWindow {
    AwaitedWindow(
      silence: silence(at: now).milliseconds,
      period: AdvertisingRhythm.period(of: address, interval: interval))
  }

  /// Whether it is a stranger that advertises as this device does.
  var isLikeOwn: Bool { (state == .advertised || state == .confirmed) && txPower == Self.noTxPower }

  /// Whether it is one of those that make a crowd: a stranger like this device that was received lately.
  func isCrowdMember(at now: Instant) -> Bool {
    isLikeOwn && !has(Self.awaitsMessageFlag) && silence(at: now) <= Crowding.presence
  }

  /// The next window in which a connection to it is attempted: from shortly before four intervals after it
  /// was last received, as phones advertise once a second, until its events have passed (`AwaitedWindow`),
  /// and later windows.
  @inline(never)
  func windowToConnect(every interval: UInt32, at now: Instant) -> AwaitedWindow {
    let silence = silence(at: now).milliseconds
    let first = 4 &* interval &- 4
    let end = first &+ 42
    guard silence < end else { return awaitedWindow(every: interval, at: now) }
    return AwaitedWindow(wait: silence < first ? first &- silence : 0, left: end &- silence)
  }

  /// Whether a connection to it is attempted later, when it can be expected to advertise: until then the
  /// radio would receive for nothing. `later` is then that moment, if it was a later one. `inCrowd`: only its
  /// own windows count, not that of a phone.
  func isAwaitedToConnect<Parts: DeviceParts>(
    inCrowd: Bool = false, _ later: inout Instant, _ context: inout CoreContext<Parts>
  ) -> Bool {
    let interval = context.advertisingInterval.milliseconds
    let wait =
      inCrowd
      ? awaitedWindow(every: interval, at: context.now).wait
      : windowToConnect(every: interval, at: context.now).wait
    guard wait > 0 else { return false }
    later = context.earlier(later, context.after(.milliseconds(wait)))
    return true
  }
}

extension TargetTable {
  /// The payload with this digest was read at the peer at `slot`. If it had been read at another address
  /// before, the peer there has moved. Returns whether it had.
  mutating func noteMove(of digest: UInt64, to slot: Int) -> Bool {
    guard let former = find(payloadDigest: digest, otherThan: slot) else { return false }
    if targets[former].isCounted { targets[former].hasMoved = true }
    return true
  }

  /// Opens and closes the windows of the missing peers whose events repeat, which the survey has found, and
  /// adds to it when one of them is open, and for how long. Does nothing if none may be awaited. `interval`:
  /// their advertising interval in ms.
  @inline(never)
  mutating func awaitMissing(
    _ survey: inout PeerSurvey, since round: Instant, latency: Interval, every interval: UInt32,
    at now: Instant
  ) {
    guard survey.awaits else { return }
    let passed = now.since(round)
    let last = Interval(milliseconds: latency.milliseconds &+ passed.milliseconds)
    var slot = 0
    while slot < slotsUsed {
      let silence = targets[slot].silence(at: now)
      if silence > passed, silence < last, isTaken(slot), targets[slot].isCounted,
        targets[slot].trust > 0, !targets[slot].hasMoved
      {
        let window = targets[slot].awaitedWindow(every: interval, at: now)
        survey.expect(in: window.wait)
        if window.wait == 0 {
          targets[slot].isAwaited = true
          survey.hold = min(window.left, Self.awaitedCheckInterval)
        } else if targets[slot].isAwaited {
          targets[slot].isAwaited = false
          targets[slot].trust &-= 1
        }
      }
      slot &+= 1
    }
  }

  /// In a window, how often in ms is checked whether the peer has been received.
  private static var awaitedCheckInterval: UInt32 { 2 }
}
