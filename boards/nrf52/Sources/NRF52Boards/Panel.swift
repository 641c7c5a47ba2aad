import HeraldChips
import HeraldFirmware
import HeraldHAL

/// The parts of an LED with three colours.
public struct NRF52Colours {
  let red: NRF52Light
  let green: NRF52Light
  let blue: NRF52Light

  /// Initialises each member.
  public init(red: NRF52Light, green: NRF52Light, blue: NRF52Light) {
    self.red = red
    self.green = green
    self.blue = blue
  }
}

/// The LED, button, cable and charger of a board.
///
/// While the button is not pressed, its pin ends a sleep by the PORT event of GPIOTE, without a clock.
public struct NRF52Panel<Kit: NRF52Kit>: PanelPins, ~Copyable {
  private var event = NRF.PortEvent(FixedRegisters<0x400060>())

  /// The interrupt of GPIOTE.
  static var interrupt: UInt32 { 6 }

  /// The pins, configured.
  public init() {
    Kit.statusLight?.configure(isOn: false)
    if let colours = Kit.statusColours {
      colours.red.configure(isOn: false)
      colours.green.configure(isOn: false)
      colours.blue.configure(isOn: false)
    }
    guard Kit.button != nil else { return }
    watchButton(true)
    event.enableInterrupt()
  }

  /// Whether there is a button.
  public static var hasButton: Bool { Kit.button != nil }

  /// Whether the button is down.
  public mutating func isButtonDown() -> Bool {
    guard let button = Kit.button else { return false }
    // First: a level that changes after it was read causes the event.
    event.clear()
    return !button.isHigh()
  }

  /// Connects the button, or releases it.
  public mutating func watchButton(_ isWatched: Bool) {
    guard let button = Kit.button else { return }
    if isWatched {
      button.becomeWatchedInput()
      _ = button.becomesHigh()
    } else {
      button.disconnect()
      event.clear()
    }
  }

  /// Switches the LED.
  public mutating func light(_ isOn: Bool) {
    Kit.statusLight?.set(isOn)
    guard !isOn, let colours = Kit.statusColours else { return }
    colours.red.set(false)
    colours.green.set(false)
    colours.blue.set(false)
  }

  /// Switches on a part of the LED, or all of one with one colour.
  public mutating func light(in colour: LightColour) {
    guard let colours = Kit.statusColours else { return light(true) }
    switch colour {
    case .usual: light(true)
    case .blue: colours.blue.set(true)
    case .green: colours.green.set(true)
    case .red: colours.red.set(true)
    }
  }

  /// Whether there is VBUS.
  public mutating func hasCable() -> Bool {
    var power = NRF.Power(Clock.control)
    return power.hasUSBSupply()
  }

  /// A measurement of the supply.
  public mutating func power() -> PowerReading? {
    var supply = Kit.measuredSupply()
    return supply.read()
  }

  /// Whether the charger charges. Its pin is an input only for this: while it is low, current flows through
  /// the resistor.
  public mutating func isCharging() -> Bool {
    guard let charger = Kit.charger else { return false }
    charger.becomeInput()
    defer { charger.disconnect() }
    return !charger.becomesHigh()
  }
}
