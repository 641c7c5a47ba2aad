import HeraldHAL

/// The Bluetooth part of a board: a controller on its header (`NRF52Controller`), or the radio of the chip
/// (`NRF52OwnRadio`).
public protocol NRF52Bluetooth: ~Copyable {
  /// Reserves time for the operations of the flash, if the radio is that of the chip.
  associatedtype Pause: RadioPause & ~Copyable = NoRadioPause
  /// The part, not switched on.
  init()
  /// The pause for a flash.
  static func pause() -> Pause
  /// Enables the interrupts that end a sleep.
  mutating func enableInterrupts<Kit: NRF52Kit>(_ sleeper: inout NRF52Sleep<Kit>)
  /// Stops the processor until `deadline` or an interrupt that the loop has to process. Returns whether it
  /// stopped.
  mutating func sleep<Kit: NRF52Kit>(until deadline: Instant, _ sleeper: inout NRF52Sleep<Kit>) -> Bool
  /// Whether there is a reset line to a controller.
  static var hasReset: Bool { get }
  /// Asserts or releases it.
  mutating func holdReset(_ isHeld: Bool)
  /// The number of losses of bytes from a controller.
  static var overruns: UInt32 { get }
  /// Whether this part stops the crystal of the high-frequency clock when USB does not need it.
  static var stopsCrystal: Bool { get }
}

extension NRF52Bluetooth where Self: ~Copyable, Pause == NoRadioPause {
  /// None is required.
  public static func pause() -> NoRadioPause { NoRadioPause() }
}
