extension NRF {
  /// The pins of one port (nRF51 Series Reference Manual, "GPIO"; nRF52840 Product Specification, "GPIO").
  ///
  /// Port 0 is at 0x5000_0000, port 1 of the nRF52833 and nRF52840 at 0x5000_0300. A pin is identified by its
  /// number only, as the block determines the port.
  public struct GPIO<Block: RegisterBlock & ~Copyable>: ~Copyable {
    private var registers: Block

    /// Uses the port with these registers.
    public init(_ registers: consuming Block) { self.registers = registers }

    /// The function of a pin.
    public enum Mode: BitwiseCopyable, Sendable {
      /// An input with the given pull resistor.
      case input(Pull)
      /// An input whose output driver, used by a peripheral, pulls the line to ground only, as on an I2C bus.
      case openDrain(Pull)
      /// An input with the given pull resistor, whose level is sensed (`PortEvent`).
      case sensed(Pull, Level)
      /// An output with the given initial level.
      case output(high: Bool)
      /// Neither input nor output: the state after reset.
      case disconnected
    }

    /// The level that is sensed.
    public enum Level: UInt32, BitwiseCopyable, Sendable {
      case high = 2
      case low = 3
    }

    /// The internal pull resistor of a pin, about 13 kΩ.
    public enum Pull: UInt32, BitwiseCopyable, Sendable {
      case none = 0
      /// To ground.
      case down = 1
      /// To the supply.
      case up = 3
    }

    /// Configures pin `number` (0…31) as `mode`.
    public mutating func configure(_ number: UInt8, _ mode: Mode) {
      let pin = Int(number & 31)
      switch mode {
      case .input(let pull):
        registers.write(.input(pull.rawValue), to: configuration.at(pin))
      case .openDrain(let pull):
        registers.write(.openDrain(pull.rawValue), to: configuration.at(pin))
      case .sensed(let pull, let level):
        registers.write(.input(pull.rawValue, sense: level.rawValue), to: configuration.at(pin))
      case .output(let high):
        set(number, high)
        registers.write(.output, to: configuration.at(pin))
      case .disconnected:
        registers.write(.disconnected, to: configuration.at(pin))
      }
    }

    /// Sets the level of output pin `number`.
    public mutating func set(_ number: UInt8, _ high: Bool) {
      registers.write(1 &<< UInt32(number & 31), to: high ? outSet : outClear)
    }

    /// Whether the level of input pin `number` is high.
    public mutating func isHigh(_ number: UInt8) -> Bool {
      registers.read(input) & 1 &<< UInt32(number & 31) != 0
    }

    private var outSet: Register<UInt32> { Register(0x508) }
    private var outClear: Register<UInt32> { Register(0x50C) }
    private var input: Register<UInt32> { Register(0x510) }
    private var configuration: Register<PinConfiguration> { Register(0x700) }
  }

  /// PIN_CNF: direction, input buffer, pull resistor and drive strength of a pin.
  struct PinConfiguration: RegisterValue {
    let bits: UInt32

    /// Input buffer disconnected: bit 1, as after reset.
    static var disconnected: PinConfiguration { PinConfiguration(bits: 1 &<< 1) }
    /// Direction output: bit 0; the input buffer is disconnected.
    static var output: PinConfiguration { PinConfiguration(bits: 1 | 1 &<< 1) }
    /// Direction input with the buffer connected; the pull resistor is in bits 2…3, SENSE in bits 16…17.
    static func input(_ pull: UInt32, sense: UInt32 = 0) -> PinConfiguration {
      PinConfiguration(bits: pull &<< 2 | sense &<< 16)
    }
    /// The same with drive S0D1 (standard 0, disconnect 1) in bits 8…10.
    static func openDrain(_ pull: UInt32) -> PinConfiguration {
      PinConfiguration(bits: pull &<< 2 | 6 &<< 8)
    }
  }

  /// The PORT event of GPIOTE (nRF52840 Product Specification, "GPIOTE", "Port event"), by which a pin ends a
  /// sleep at the current of a sleep: no clock runs for it.
  ///
  /// DETECT is set while a pin of any port has the level that is sensed at it; the event occurs when DETECT
  /// becomes set. It does not occur at a pin while another keeps DETECT set.
  public struct PortEvent<Block: RegisterBlock & ~Copyable>: ~Copyable {
    private var registers: Block

    /// Uses GPIOTE with these registers, at 0x4000_6000.
    public init(_ registers: consuming Block) { self.registers = registers }

    /// Enables the interrupt of the event, number 6.
    public mutating func enableInterrupt() { registers.write(1 &<< 31, to: Register<UInt32>(0x304)) }

    /// Clears the event. To be called before the pins are read: a later change causes the event again.
    public mutating func clear() { registers.clear(Register<Event>(0x17C)) }
  }
}
