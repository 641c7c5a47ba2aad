import HeraldDeviceLink
import HeraldHAL

/// What a person operates and sees on a board: a button, a light, a cable, or nothing.
public protocol Panel: ~Copyable {
  /// Whether there is a panel. Without one its code is omitted.
  static var isThere: Bool { get }
  /// A panel that has not been operated.
  init()
  /// Samples the board and drives the light. Returns what the person wants of the device.
  mutating func update(at now: Instant) -> PanelRequest
  /// Shows a condition by the light.
  mutating func show(_ condition: DeviceCondition, at now: Instant)
  /// Shows by the light how far a host is with the collection of the log, for a limited time. `false` if the
  /// light shows that a reset is permitted, or has just changed.
  mutating func signal(_ signal: CollectionSignal, at now: Instant) -> Bool
  /// When `update` has to be called again at the latest.
  mutating func deadline(after now: Instant) -> Instant
  /// Whether a host without a session may begin a factory reset now. Permission at the board is used up by
  /// this.
  mutating func takeResetPermission(at now: Instant) -> Bool
  /// The power supply; `nil` if it is not measured.
  mutating func power() -> PowerReading?
  /// Whether a charger charges the cell.
  mutating func isCharging() -> Bool
}

/// What a person wants of the device.
public enum PanelRequest: UInt8, BitwiseCopyable, Sendable {
  case none
  /// To see its condition.
  case showCondition
  /// To open the management link over Bluetooth.
  case openManagement
  /// Both: a cable was connected to a board without a button.
  case cable
}

/// A board without button and light.
public struct NoPanel: Panel, BitwiseCopyable, Sendable {
  public static var isThere: Bool { false }
  public init() {}
  public mutating func update(at now: Instant) -> PanelRequest { .none }
  public mutating func show(_ condition: DeviceCondition, at now: Instant) {}
  public mutating func signal(_ signal: CollectionSignal, at now: Instant) -> Bool { false }
  public mutating func deadline(after now: Instant) -> Instant { .never }
  /// Always: access to the board is access to its cable.
  @inline(__always)
  public mutating func takeResetPermission(at now: Instant) -> Bool { true }
  public mutating func power() -> PowerReading? { nil }
  public mutating func isCharging() -> Bool { false }
}

/// The pins of a panel.
public protocol PanelPins: ~Copyable {
  /// Whether there is a button. Without one the cable takes its place.
  static var hasButton: Bool { get }
  /// The pins, configured, with the light off and the button watched.
  init()
  /// Whether the button is down. Later changes end a sleep, if it is watched.
  mutating func isButtonDown() -> Bool
  /// Connects the button to its pull resistor and lets it end a sleep, or releases both, so that a button
  /// that is held draws no current. Connecting waits until the level is valid, some microseconds.
  mutating func watchButton(_ isWatched: Bool)
  /// Switches the light.
  mutating func light(_ isOn: Bool)
  /// Switches on the light in a colour; in its only one unless this is implemented.
  mutating func light(in colour: LightColour)
  /// Whether a cable supplies the board.
  mutating func hasCable() -> Bool
  /// The power supply; `nil` if it is not measured.
  mutating func power() -> PowerReading?
  /// Whether a charger charges the cell.
  mutating func isCharging() -> Bool
}

extension PanelPins where Self: ~Copyable {
  /// The light has one colour.
  @inline(__always)
  public mutating func light(in colour: LightColour) { light(true) }
}
