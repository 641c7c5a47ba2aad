import HeraldBluetooth
import HeraldHAL

/// The scan parameters, and the length of a scan period.
public struct ScanTiming: Equatable, BitwiseCopyable, Sendable {
  /// Milliseconds from the start of one window to the next, 3…10,240.
  public var interval: Interval
  /// Scan window in ms, 3…`interval`.
  public var window: Interval
  /// Scan window in ms while several peers wait for their payloads to be read, `window`…`interval`.
  public var busyWindow: Interval
  /// Whether to send scan requests.
  public var active: Bool
  /// How long to scan in one period.
  public var on: Interval
  /// How long to pause between scan periods, 0 for no pause. Limited by the guarantee.
  public var off: Interval
  /// The time within which each peer that is present is to be received: then scanning is in rounds, as long
  /// and as often as that requires (`ScanRounds`), and `interval` and `window` apply to the first minute, and
  /// while an iPhone is there. 5…300 s; 0 for `interval` and `window` at all times.
  public var latency: Interval

  /// By default scans passively, in rounds, with a latency of 30 s. In the first minute it scans a ninth of
  /// the time, and all of it while several peers wait.
  /// The interval exceeds the usual one of phones, 1 s plus 5 ms of random delay on average, by a window: the
  /// windows thus cover every phase of theirs in turn, and of devices that advertise four times as often.
  public init(
    interval: Interval = .milliseconds(1125), window: Interval = .milliseconds(120),
    busyWindow: Interval = .milliseconds(1125), active: Bool = false, on: Interval = .seconds(4),
    off: Interval = .zero, latency: Interval = .seconds(30)
  ) {
    self.interval = interval
    self.window = window
    self.busyWindow = busyWindow
    self.active = active
    self.on = on
    self.off = off
    self.latency = latency
  }

  /// Scans for `window` in each `interval` at all times, continuously if that is shorter, and continuously
  /// while several peers wait.
  mutating func listen(_ window: Interval, every interval: Interval) {
    self.interval = interval
    self.window = window < interval ? window : interval
    busyWindow = interval
    latency = .zero
  }

  /// The scan parameters for the radio. `isBusy`: several peers wait to have their payloads read.
  func parameters(ownAddress: DeviceAddress, isBusy: Bool) -> ScanParameters {
    ScanParameters(
      ownAddress: ownAddress, interval: interval, window: isBusy ? busyWindow : window, active: active)
  }
}

/// When to scan, and how long a connection attempt may prevent scanning.
///
/// The guarantee: from the end of one scan to the start of the next no more than `longestGap`, 30 s, passes
/// (HP-24). A scan counts once it has lasted `shortestScan`. Where the radio cannot scan while it tries to
/// connect, an attempt is given no longer than the gap allows, and none is started when less than
/// `shortestAttempt` of the gap is left.
///
/// Pure state: from the time and whether the radio is blocked it computes what to scan, and until when.
public struct ScanSchedule: BitwiseCopyable, Sendable {
  /// The scan state to apply and until when it holds.
  public struct Plan: Equatable, BitwiseCopyable, Sendable {
    /// Whether to scan.
    public let scan: Bool
    /// When to call again.
    public let deadline: Instant
  }

  /// The configuration.
  public let timing: ScanTiming
  private var scanning: Bool
  /// When the present scan period or pause began.
  private var since: Instant
  /// The latest time known to be within a valid scan.
  private var lastScan: Instant

  /// The longest time between two scans.
  public static var longestGap: Interval { .seconds(30) }
  /// The reserve of the gap for the time that the radio needs to stop.
  public static var reserve: Interval { .seconds(1) }
  /// How long a scan must last to count: an advertiser with the longest usual interval is received in it.
  public static var shortestScan: Interval { .seconds(2) }
  /// The minimum time for a connection attempt.
  public static var shortestAttempt: Interval { .seconds(2) }

  /// A schedule that has not scanned yet. A longer pause than the guarantee allows is shortened.
  public init(_ timing: ScanTiming) {
    var timing = timing
    let longest = Interval(milliseconds: Self.longestGap.milliseconds &- Self.reserve.milliseconds)
    if timing.off > longest { timing.off = longest }
    if timing.on < Self.shortestScan { timing.on = Self.shortestScan }
    self.timing = timing
    scanning = false
    since = .start
    lastScan = .start
  }

  /// The scan state to apply at `now`. `blocked`: the radio cannot scan, because a connection attempt is
  /// under way, or it is not ready.
  public mutating func next(at now: Instant, blocked: Bool) -> Plan {
    noteProgress(at: now)
    if blocked {
      if scanning {
        scanning = false
        since = now
      }
      return Plan(scan: false, deadline: .never)
    }
    if scanning {
      let end = since + timing.on
      guard timing.off > .zero, now >= end else {
        let counts = since + Self.shortestScan
        let wake = timing.off > .zero ? end : now < counts ? counts : .never
        return Plan(scan: true, deadline: wake)
      }
      scanning = false
      since = now
    }
    let restEnd = since + timing.off
    let guaranteed =
      lastScan + Interval(milliseconds: Self.longestGap.milliseconds &- Self.reserve.milliseconds)
    let start = timing.off == .zero ? now : restEnd < guaranteed ? restEnd : guaranteed
    guard now >= start || lastScan == .start else { return Plan(scan: false, deadline: start) }
    scanning = true
    since = now
    return Plan(
      scan: true, deadline: timing.off > .zero ? now + timing.on : now + Self.shortestScan)
  }

  /// How long a connection attempt begun at `now` may prevent the radio from scanning; `nil` if none may
  /// begin before there has been a scan.
  public mutating func attemptLimit(at now: Instant) -> Instant? {
    noteProgress(at: now)
    // A scan that has not lasted long enough is completed first: the attempt would void it.
    guard !scanning || now >= since + Self.shortestScan else { return nil }
    let limit = lastScan + Interval(milliseconds: Self.longestGap.milliseconds &- Self.reserve.milliseconds)
    guard limit >= now + Self.shortestAttempt else { return nil }
    return limit
  }

  /// The radio lost its state: nothing is being scanned.
  public mutating func radioForgot(at now: Instant) {
    scanning = false
    since = now
  }

  private mutating func noteProgress(at now: Instant) {
    if scanning, now >= since + Self.shortestScan { lastScan = now }
  }
}
