import HeraldChips
import HeraldEmbedded

/// The properties that distinguish a board with an nRF52833 or nRF52840 from others.
public protocol NRF52Kit {
  /// The chip.
  static var chip: USBDChip { get }
  /// The name of the board for `script/build`.
  static var identifier: StaticString { get }
  /// The LED that is on while the processor is awake; `nil` if there is none, or it would cost more current
  /// than the board has.
  static var awakeLight: NRF52Light? { get }
  /// The LED that is on while the radio is ready; `nil` if there is none.
  static var readyLight: NRF52Light? { get }
  /// The LED that shows the condition of the device on request; `nil` if there is none.
  static var statusLight: NRF52Light? { get }
  /// The parts of that LED; `nil` if it has one colour.
  static var statusColours: NRF52Colours? { get }
  /// The pin of a button to ground; `nil` if there is none. The cable then takes its place.
  static var button: NRF.Pin? { get }
  /// The pin of the charger that is low while it charges, and is not driven otherwise; `nil` if there is none.
  static var charger: NRF.Pin? { get }
  /// The pin of port 0 that is written to UICR as reset pin, if UICR is erased there. `nil`: UICR is not
  /// written.
  static var resetPin: UInt8? { get }
  /// Whether the board has the inductor of the DC/DC converter of the core's supply (REG1).
  static var hasDCDC: Bool { get }
  /// Whether there is a 32,768 Hz crystal. Without it the low-frequency clock is derived from the crystal of
  /// the high-frequency clock, which therefore always runs.
  static var hasLowFrequencyCrystal: Bool { get }
  /// Whether a boot loader starts the image. The image then stops the peripherals that were left running.
  static var isBehindBootLoader: Bool { get }
  /// How the boot loader is entered on request; `nil` if there is none, or no way.
  static var bootLoaderEntry: NRF52BootLoaderEntry? { get }
  /// Whether the LEDs require 3.0 V while the chip is supplied through VDDH. UICR is then written if it is
  /// erased there, which selects 1.8 V.
  static var needsOutputVoltage: Bool { get }
  /// Whether the management link is on UARTE0, whose interrupt then ends a sleep.
  static var hasSerialLink: Bool { get }
  /// The input of the SAADC with the voltage of the supply.
  static var supply: NRF52SupplyInput { get }
  /// VDD in millivolts below which neither the flash of the chip nor one on the board is changed.
  static var flashMinimum: UInt32 { get }
  /// Configures pins of the board other than those of LEDs, memory and reset.
  static func configurePins()
  /// The motion sensor, as a delegate of the node.
  associatedtype Motion: SensorDelegate & ~Copyable = NoDelegate
  /// The motion sensor. To be called once.
  static func motion() -> Motion
}

extension NRF52Kit {
  /// None.
  public static var awakeLight: NRF52Light? { nil }
  /// None.
  public static var readyLight: NRF52Light? { nil }
  /// None.
  public static var statusLight: NRF52Light? { nil }
  /// One colour.
  public static var statusColours: NRF52Colours? { nil }
  /// None.
  public static var button: NRF.Pin? { nil }
  /// None.
  public static var charger: NRF.Pin? { nil }
  /// None is written.
  public static var resetPin: UInt8? { nil }
  /// The core's supply is the linear regulator.
  public static var hasDCDC: Bool { false }
  /// There is a crystal.
  public static var hasLowFrequencyCrystal: Bool { true }
  /// The image starts at reset.
  public static var isBehindBootLoader: Bool { false }
  /// The boot loader is not entered.
  public static var bootLoaderEntry: NRF52BootLoaderEntry? { nil }
  /// The output voltage is as configured.
  public static var needsOutputVoltage: Bool { false }
  /// The management link is on USB, or there is none.
  public static var hasSerialLink: Bool { false }
  /// VDD, with the voltages of a lithium coin cell.
  public static var supply: NRF52SupplyInput { NRF52SupplyInput(.vdd, empty: 2_000, full: 2_950) }
  /// The flash of the chip can be changed from 1.7 V on.
  public static var flashMinimum: UInt32 { 1_900 }
  /// There are none.
  public static func configurePins() {}
}

/// How a boot loader is entered on request.
public enum NRF52BootLoaderEntry: BitwiseCopyable, Sendable {
  /// By a value in GPREGRET, at a reset by the program.
  case retained(UInt8)
  /// By a pin reset: this pin of port 0 is connected to the reset pin.
  case resetPin(UInt8)
}

/// The input of the SAADC with the voltage of the supply.
public struct NRF52SupplyInput: BitwiseCopyable, Sendable {
  let input: NRF.SAADC<MappedRegisters>.Input
  let empty: UInt32
  let full: UInt32

  /// An input, and the voltages of an empty and a full battery in millivolts.
  public init(_ input: NRF.SAADC<MappedRegisters>.Input, empty: UInt32, full: UInt32) {
    (self.input, self.empty, self.full) = (input, empty, full)
  }
}

/// An LED on a pin.
public struct NRF52Light: BitwiseCopyable, Sendable {
  private let pin: NRF.Pin
  private let isActiveLow: Bool

  /// The LED on pin `number` of `port`.
  public init(port: UInt8 = 0, _ number: UInt8, isActiveLow: Bool) {
    pin = NRF.Pin(port: port, number)
    self.isActiveLow = isActiveLow
  }

  /// Switches the LED on or off.
  @inline(__always)
  func set(_ isOn: Bool) {
    if pin.port == 0 {
      var port = NRF.GPIO(FixedRegisters<0x500000>())
      port.set(pin.number, isOn != isActiveLow)
    } else {
      var port = NRF.GPIO(FixedRegisters<0x500003>())
      port.set(pin.number, isOn != isActiveLow)
    }
  }

  /// Configures the pin, with the LED on or off.
  @inline(__always)
  func configure(isOn: Bool) { pin.becomeOutput(high: isOn != isActiveLow) }
}
