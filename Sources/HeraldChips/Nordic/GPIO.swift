extension NRF {
  /// The pins of one port (nRF51 Series Reference Manual, "GPIO"; nRF52840 Product Specification, "GPIO").
  ///
  /// Port 0 is at 0x5000_0000, port 1 of the nRF52833 and nRF52840 at 0x5000_0300. Pins are given by number
  /// alone: the port is the block.
  public struct GPIO<Block: RegisterBlock & ~Copyable>: ~Copyable {
    private var registers: Block

    /// The port with these registers.
    public init(_ registers: consuming Block) { self.registers = registers }

    /// The function of a pin.
    public enum Mode: BitwiseCopyable, Sendable {
      /// Read, with a resistor to supply or ground, or neither.
      case input(Pull)
      /// Driven, high or low from the start.
      case output(high: Bool)
      /// As after reset: not driven and not read.
      case disconnected
    }

    /// A pin's own resistor, about 13 kΩ.
    public enum Pull: UInt32, BitwiseCopyable, Sendable {
      case none = 0
      /// To ground.
      case down = 1
      /// To the supply.
      case up = 3
    }

    /// Configures pin `number` (0…31) as `mode`.
    public mutating func configure(_ number: UInt8, _ mode: Mode) {
      let place = Int(number & 31)
      switch mode {
      case .input(let pull):
        registers.write(.input(pull.rawValue), to: configuration.at(place))
      case .output(let high):
        set(number, high)
        registers.write(.output, to: configuration.at(place))
      case .disconnected:
        registers.write(.disconnected, to: configuration.at(place))
      }
    }

    /// Drives pin `number`, an output, high or low.
    public mutating func set(_ number: UInt8, _ high: Bool) {
      registers.write(1 &<< UInt32(number & 31), to: high ? outSet : outClear)
    }

    /// Whether pin `number`, an input, is high.
    public mutating func isHigh(_ number: UInt8) -> Bool {
      registers.read(input) & 1 &<< UInt32(number & 31) != 0
    }

    private var outSet: Register<UInt32> { Register(0x508) }
    private var outClear: Register<UInt32> { Register(0x50C) }
    private var input: Register<UInt32> { Register(0x510) }
    private var configuration: Register<PinConfiguration> { Register(0x700) }
  }

  /// PIN_CNF: direction, input buffer, pull and drive of a pin.
  struct PinConfiguration: RegisterValue {
    let bits: UInt32

    /// Input buffer disconnected: bit 1, as after reset.
    static var disconnected: PinConfiguration { PinConfiguration(bits: 1 &<< 1) }
    /// Direction out: bit 0; the input buffer is of no use.
    static var output: PinConfiguration { PinConfiguration(bits: 1 | 1 &<< 1) }
    /// Direction in with the buffer connected; the pull is in bits 2…3.
    static func input(_ pull: UInt32) -> PinConfiguration { PinConfiguration(bits: pull &<< 2) }
  }
}
