import HeraldChips
import HeraldFirmware
import HeraldHAL

/// The button and the LED of a board with an nRF51822. The supply is not shown: what supplies it is not
/// known.
///
/// While the button is not pressed, its pin ends a sleep by the PORT event of GPIOTE, without a clock.
public struct ButtonAndLight: PanelPins, ~Copyable {
  private var port = NRF.GPIO(FixedRegisters<0x500000>())
  private var event = NRF.PortEvent(FixedRegisters<0x400060>())

  /// The interrupt of GPIOTE.
  static var interrupt: UInt32 { 6 }

  /// The pins, configured.
  public init() {
    port.configure(PanelPin.row, .output(high: true))
    port.configure(PanelPin.column, .output(high: true))
    watchButton(true)
    event.enableInterrupt()
  }

  /// There is a button.
  public static var hasButton: Bool { true }

  /// Whether the button is down.
  public mutating func isButtonDown() -> Bool {
    // First: a level that changes after it was read causes the event.
    event.clear()
    return !port.isHigh(PanelPin.button)
  }

  /// Connects the button, or releases it.
  public mutating func watchButton(_ isWatched: Bool) {
    port.configure(PanelPin.button, isWatched ? .sensed(.up, .low) : .disconnected)
    if isWatched {
      // The resistor charges what is connected to the pin.
      for _ in 0..<100 where port.isHigh(PanelPin.button) { break }
    } else {
      event.clear()
    }
  }

  /// Switches the LED.
  public mutating func light(_ isOn: Bool) { port.set(PanelPin.column, !isOn) }

  /// A cable cannot be told from a battery.
  public mutating func hasCable() -> Bool { false }
  /// Not measured.
  public mutating func power() -> PowerReading? { nil }
  /// There is no charger.
  public mutating func isCharging() -> Bool { false }
}
