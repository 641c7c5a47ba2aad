import HeraldBluetooth
import HeraldHAL

/// Whether the sensor is on, and the last state that was reported to the delegate. Zero bits at the start,
/// when it is switched on and the radio is not ready.
struct SensorSwitch: BitwiseCopyable {
  /// The radio's state.
  private(set) var radio: RadioState
  /// Whether the application switched the sensor off.
  private(set) var isOff: Bool
  private var shown: SensorState

  init() {
    radio = .starting
    isOff = false
    shown = .off
  }

  /// The radio's state has changed. Returns the state to report to the delegate, if that changed. A radio
  /// that fails once is started again; one that fails again before it was ready counts as absent.
  mutating func radioChanged(_ radio: RadioState) -> SensorState? {
    self.radio = radio
    let state: SensorState
    switch radio {
    case .ready: state = isOff ? .off : .on
    case .failed: state = shown == .on ? .off : .unavailable
    case .starting: state = shown == .on ? .off : shown
    }
    return change(to: state)
  }

  /// The application switches the sensor on or off. Returns the state to report to the delegate, if that
  /// changed.
  mutating func set(isOff: Bool) -> SensorState? {
    self.isOff = isOff
    if !isOff { return radioChanged(radio) }
    return shown == .on ? change(to: .off) : nil
  }

  private mutating func change(to state: SensorState) -> SensorState? {
    guard state != shown else { return nil }
    shown = state
    return state
  }
}
