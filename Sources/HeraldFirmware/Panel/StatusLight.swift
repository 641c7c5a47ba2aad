import HeraldDeviceLink
import HeraldHAL

/// What the light of a board shows (docs/boards.md, "Button and light").
public enum DeviceCondition: UInt8, BitwiseCopyable, Sendable {
  /// The device advertises, has a date, room in its log, and power.
  case allWell
  /// The same, and the charger of the board charges the cell.
  case charging
  /// The management link over Bluetooth was opened for five minutes.
  case managementOpen
  /// No date is set.
  case noDate
  /// At most a tenth of the log's pages is free, or there is no log.
  case logNearlyFull
  /// At most a fifth of the battery's charge is left, and nothing else supplies the board.
  case batteryLow
  /// The device does not advertise: the radio is not ready or off, there is no payload, or the device is in
  /// safe mode.
  case notAdvertising
  /// A host may erase everything.
  case resetArmed
  /// A host reads the log.
  case collecting
  /// A host has the log.
  case collected
  /// A host does not have all of the log.
  case notCollected

  /// The table of patterns: a person counts flashes, which are repeated. More flashes are more urgent.
  var pattern: LightPattern {
    switch self {
    case .allWell: LightPattern(flashes: 1, on: 1_000, off: 500, pause: 0, times: 1)
    case .charging: LightPattern(flashes: 2, on: 1_000, off: 500, pause: 0, times: 1)
    case .managementOpen: LightPattern(flashes: 3, on: 1_000, off: 500, pause: 0, times: 1)
    case .noDate: LightPattern(flashes: 2, on: 150, off: 350, pause: 1_200, times: 3)
    case .logNearlyFull: LightPattern(flashes: 3, on: 150, off: 350, pause: 1_200, times: 3)
    case .batteryLow: LightPattern(flashes: 4, on: 150, off: 350, pause: 1_200, times: 3)
    case .notAdvertising: LightPattern(flashes: 5, on: 150, off: 350, pause: 1_200, times: 3)
    case .resetArmed: LightPattern(flashes: 1, on: 100, off: 100, pause: 0, times: 150)
    case .collecting: LightPattern(flashes: 1, on: 500, off: 500, pause: 0, times: 60)
    case .collected: LightPattern(flashes: 1, on: 120_000, off: 0, pause: 0, times: 1)
    case .notCollected: LightPattern(flashes: 2, on: 150, off: 150, pause: 400, times: 120)
    }
  }
}

extension DeviceCondition {
  /// Whether a host has it shown.
  var isSignal: Bool { rawValue >= DeviceCondition.collecting.rawValue }

  /// The colour of lights that have several.
  var colour: LightColour {
    switch self {
    case .collecting: .blue
    case .collected: .green
    case .notCollected: .red
    default: .usual
    }
  }
}

/// The colour of a light that has several.
public enum LightColour: UInt8, BitwiseCopyable, Sendable {
  /// The colour in which the condition of the device is shown.
  case usual
  case blue
  case green
  case red
}

/// Flashes in groups. Times are in milliseconds.
struct LightPattern: BitwiseCopyable, Sendable {
  /// The number of flashes in a group, each `on` and then `off`.
  let flashes: UInt32
  let on: UInt32
  let off: UInt32
  /// After each group.
  let pause: UInt32
  /// The number of groups.
  let times: UInt32
}

/// A light that shows a condition of the device by flashes.
public struct StatusLight: BitwiseCopyable, Sendable {
  private var shown: DeviceCondition?
  private var since = Instant.start

  /// A light that is off.
  public init() {}

  /// Shows a condition from now on, in place of another.
  public mutating func show(_ condition: DeviceCondition, at now: Instant) {
    shown = condition
    since = now
  }

  /// Shows from now on how far a host is, in place of all but the permission of a reset. `false` in that
  /// case, and within `signalPeriod` of the last change: a stranger cannot make it flicker.
  public mutating func signal(_ signal: CollectionSignal, at now: Instant) -> Bool {
    if let shown {
      if shown == .resetArmed { return false }
      if shown.isSignal, now.since(since) < Self.signalPeriod { return false }
    }
    switch signal {
    case .none: if isShowingSignal { end() }
    case .collecting: show(.collecting, at: now)
    case .done: show(.collected, at: now)
    case .failed: show(.notCollected, at: now)
    }
    return true
  }

  /// The time for which a signal is shown at least.
  public static var signalPeriod: Interval { .milliseconds(250) }

  /// Whether a pattern for a person at the board has begun that `state` has not ended.
  public var isShowing: Bool { shown.map { !$0.isSignal } ?? false }
  /// Whether a pattern for a host has begun that `state` has not ended.
  public var isShowingSignal: Bool { shown.map { $0.isSignal } ?? false }
  /// The colour of the pattern.
  public var colour: LightColour { shown?.colour ?? .usual }

  /// Ends the pattern.
  public mutating func end() { shown = nil }

  /// Whether the light is to be on, and until when; `never` if no pattern follows.
  public mutating func state(at now: Instant) -> (isOn: Bool, until: Instant) {
    guard let shown else { return (false, .never) }
    let pattern = shown.pattern
    let flash = pattern.on &+ pattern.off
    let group = pattern.flashes &* flash &+ pattern.pause
    let passed = now.since(since).milliseconds
    guard passed < group &* pattern.times else {
      end()
      return (false, .never)
    }
    let phase = passed % group
    let start = passed &- phase
    if phase >= pattern.flashes &* flash {
      return (false, since + .milliseconds(start &+ group))
    }
    let begun = phase / flash &* flash
    let isOn = phase &- begun < pattern.on
    return (isOn, since + .milliseconds(start &+ begun &+ (isOn ? pattern.on : flash)))
  }
}
