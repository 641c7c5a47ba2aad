import HeraldDeviceLink
import HeraldHAL

/// A panel with a light, and with a button or, without one, a cable.
///
/// - After a short press, or two seconds after a cable was connected, the light shows the condition of the
///   device. A second short press while it does, or the cable, opens the management link over Bluetooth.
/// - A press of five seconds permits one factory reset within 30 s, to a host without a session; another
///   press revokes it. A board without a button always permits it.
/// - A host can have the light show how far the collection of the log is. The condition after a short press
///   takes the place of that, the condition after a cable was connected does not.
/// - A button that is down for a minute is released from its pull resistor, and sampled every ten seconds.
public struct StatusPanel<Pins: PanelPins & ~Copyable>: Panel, ~Copyable {
  /// For how long a factory reset is permitted.
  public static var armedTime: Interval { .seconds(30) }
  /// How long after the cable the condition is shown. After a start by the cable the radio is ready by then.
  public static var cableTime: Interval { .seconds(2) }
  /// The time between samples of a stuck button.
  public static var stuckPeriod: Interval { .seconds(10) }

  public static var isThere: Bool { true }

  /// The pins.
  public var pins: Pins
  private var button = Button()
  private var light = StatusLight()
  private var isLit = false
  private var armedUntil: Instant?
  /// While the button is stuck: when it is connected next.
  private var releasedUntil: Instant?
  private var hasCable = false
  /// When the condition is shown because of the cable.
  private var cableShowsAt: Instant?

  public init() { pins = Pins() }

  public mutating func update(at now: Instant) -> PanelRequest {
    let request = Pins.hasButton ? sampleButton(at: now) : sampleCable(at: now)
    let isOn = light.state(at: now).isOn
    if isOn != isLit { turn(isOn) }
    return request
  }

  private mutating func sampleButton(at now: Instant) -> PanelRequest {
    if let releasedUntil {
      guard now >= releasedUntil else { return .none }
      pins.watchButton(true)
      self.releasedUntil = nil
    }
    let press = button.sample(isDown: pins.isButtonDown(), at: now)
    if button.isStuck(at: now) {
      pins.watchButton(false)
      releasedUntil = now + Self.stuckPeriod
    }
    switch press {
    case .none: return .none
    case .short:
      guard !takeResetPermission(at: now) else { return .none }
      return light.isShowing ? .openManagement : .showCondition
    case .long:
      armedUntil = now + Self.armedTime
      light.show(.resetArmed, at: now)
      return .none
    }
  }

  private mutating func sampleCable(at now: Instant) -> PanelRequest {
    let isConnected = pins.hasCable()
    if isConnected != hasCable {
      hasCable = isConnected
      cableShowsAt = isConnected ? now + Self.cableTime : nil
    }
    guard let cableShowsAt, now >= cableShowsAt else { return .none }
    self.cableShowsAt = nil
    return .cable
  }

  public mutating func show(_ condition: DeviceCondition, at now: Instant) {
    // A board without a button shows its condition because of the cable.
    if !Pins.hasButton, light.isShowingSignal { return }
    light.show(condition, at: now)
    turn(true)
  }

  public mutating func signal(_ signal: CollectionSignal, at now: Instant) -> Bool {
    guard light.signal(signal, at: now) else { return false }
    turn(light.state(at: now).isOn)
    return true
  }

  /// Switches the light, first off, as the colour may have changed.
  private mutating func turn(_ isOn: Bool) {
    isLit = isOn
    pins.light(false)
    if isOn { pins.light(in: light.colour) }
  }

  /// A stuck button is sampled by a round that follows its time: the loop has one each second.
  public mutating func deadline(after now: Instant) -> Instant {
    var next = light.state(at: now).until
    if Pins.hasButton {
      let sample = releasedUntil == nil ? button.nextSample(after: now) : .never
      if sample < next { next = sample }
    } else if let cableShowsAt, cableShowsAt < next {
      next = cableShowsAt
    }
    return next
  }

  public mutating func takeResetPermission(at now: Instant) -> Bool {
    guard Pins.hasButton else { return true }
    guard let armedUntil else { return false }
    self.armedUntil = nil
    light.end()
    return now < armedUntil
  }

  public mutating func power() -> PowerReading? { pins.power() }
  public mutating func isCharging() -> Bool { pins.isCharging() }
}
