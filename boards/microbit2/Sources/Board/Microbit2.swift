import HeraldChips
import HeraldEmbedded
import NRF52Boards

/// The micro:bit, version 2. README.md has the sources of these facts.
public enum Microbit2: NRF52LogInChip, NRF52SerialLink {
  /// The chip.
  public static var chip: USBDChip { .nRF52833 }
  /// The name of the board for `script/build`.
  public static var identifier: StaticString { "microbit2" }
  /// The LED in the upper left corner: row 1 is high, column 1 low.
  public static var statusLight: NRF52Light? { NRF52Light(28, isActiveLow: true) }
  /// Button A.
  public static var button: NRF.Pin? { NRF.Pin(14) }
  /// The button on the back.
  public static var resetPin: UInt8? { 18 }
  /// P0.00 and P0.01 have other functions.
  public static var hasLowFrequencyCrystal: Bool { false }
  /// The interface chip is a serial port on USB.
  public static var hasSerialLink: Bool { true }
  /// UART_INT_RX and UART_INT_TX, which are named from the side of the interface chip.
  public static var managementPins: NRF.SerialPins {
    NRF.SerialPins(rxd: NRF.Pin(port: 1, 8), txd: NRF.Pin(6))
  }
  /// The accelerometer of the LSM303AGR, on the internal bus with the interface chip, which is not addressed.
  /// INT1 is on a line with outputs of that chip.
  public static func motion() -> MotionSensor<LIS2DE12<NRF52I2C>> {
    MotionSensor(LIS2DE12(i2c(clock: 8, data: 16), address: 0x19, pinIdlesHigh: true))
  }
  /// Row 1 of the LEDs; the microphone, off; the line to the interface chip.
  public static func configurePins() {
    NRF.Pin(21).becomeOutput(high: true)
    NRF.Pin(20).becomeOutput(high: false)
    NRF.Pin(6).becomeOutput(high: true)
    NRF.Pin(port: 1, 8).becomeInput()
  }
}
