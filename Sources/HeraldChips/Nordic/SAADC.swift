import HeraldHAL

extension NRF {
  /// The analogue-to-digital converter, to the extent required for measuring a supply (nRF52840 Product
  /// Specification, "SAADC").
  public struct SAADC<Block: RegisterBlock & ~Copyable>: ~Copyable {
    private var registers: Block
    private let result: SharedBytes

    /// Uses the converter with these registers, which writes its result to `result`: a separate variable at a
    /// fixed address.
    public init(_ registers: consuming Block, result: UnsafeMutablePointer<UInt32>) {
      self.registers = registers
      self.result = unsafe SharedBytes(UnsafeMutableRawPointer(result))
    }

    /// The input to be measured.
    public enum Input: BitwiseCopyable, Sendable {
      /// The chip's supply, VDD.
      case vdd
      /// The high-voltage supply VDDH (nRF52833, nRF52840), divided by five in the chip.
      case vddh
      /// A pin, AIN0…AIN7 as 0…7, behind a voltage divider. The measured voltage is that on the pin times
      /// `times`, the whole resistance, at most 4,600, over `over`, the resistance to ground, not 0.
      case pin(UInt8, times: UInt16, over: UInt16)
    }

    /// The voltage of an input in millivolts; `nil` if the converter does not respond. Blocks for about 50
    /// µs: 40 µs of acquisition time, as required by dividers with high resistance, and the conversion.
    public mutating func millivolts(_ input: Input) -> UInt32? {
      let (select, factor, divisor): (UInt32, UInt32, UInt32) =
        switch input {
        case .vdd: (9, 1, 1)
        case .vddh: (0xD, 5, 1)
        case .pin(let number, let times, let over):
          (UInt32(number & 7) &+ 1, UInt32(min(times, 4_600)), UInt32(max(over, 1)))
        }
      registers.write(1, to: At.enable)
      defer { registers.write(0, to: At.enable) }
      registers.write(select, to: At.selectPositive)
      registers.write(0, to: At.selectNegative)
      // Gain 1/6 with the 0.6 V reference: full scale 3.6 V; acquisition time 40 µs; single-ended input.
      registers.write(5 &<< 16, to: At.configuration)
      registers.write(2, to: At.resolution)  // 12 bits
      registers.write(registers.busAddress(of: result.buffer(2)), to: At.resultPointer)
      registers.write(1, to: At.resultCount)
      for event in 0..<6 { registers.clear(At.events.at(event)) }
      registers.trigger(At.start)
      guard wait(for: At.started) else { return nil }
      registers.trigger(At.sample)
      guard wait(for: At.end) else { return nil }
      let value = Int16(bitPattern: UInt16(result[0]) | UInt16(result[1]) &<< 8)
      registers.trigger(At.stop)
      guard wait(for: At.stopped) else { return nil }
      // Noise near 0 V reads as a negative value.
      // 3,600 and 4,096, both divided by 16: the product fits into 32 bits.
      return UInt32(max(value, 0)) &* 225 &* factor / divisor / 256
    }

    private mutating func wait(for event: Register<Event>) -> Bool {
      for _ in 0..<Self.pollLimit where registers.hasHappened(event) { return true }
      return false
    }

    /// The maximum number of polls for an event before the converter is considered failed: several
    /// milliseconds.
    private static var pollLimit: Int { 20_000 }

    private typealias At = SAADCRegisters
  }

  /// A battery measured by the converter, as the power source of the battery sensor.
  public struct Battery<Block: RegisterBlock & ~Copyable>: PowerSource, ~Copyable {
    private var converter: SAADC<Block>
    private var power: Power<Block>
    private let input: SAADC<Block>.Input
    private let empty: UInt32
    private let full: UInt32

    /// A battery on `input` with the voltages in millivolts at which it is empty and full; the level is
    /// interpolated linearly: 2,000 and 3,000 for a lithium coin cell, 3,300 and 4,200 for a lithium-ion
    /// cell. `power` determines whether USB supplies the device.
    public init(
      _ converter: consuming SAADC<Block>, _ input: SAADC<Block>.Input, power: consuming Power<Block>,
      empty: UInt32, full: UInt32
    ) {
      self.converter = converter
      self.power = power
      self.input = input
      self.empty = empty
      self.full = full
    }

    /// Measures the voltage and returns the level; `nil` if the converter does not respond.
    public mutating func read() -> PowerReading? {
      guard let voltage = converter.millivolts(input) else { return nil }
      let range = full > empty ? full &- empty : 1
      let above = voltage > empty ? min(voltage &- empty, range) : 0
      return PowerReading(
        level: UInt8(truncatingIfNeeded: above &* 100 / range), isExternal: power.hasUSBSupply())
    }
  }

  private enum SAADCRegisters {
    static var start: Register<Task> { Register(0x000) }
    static var sample: Register<Task> { Register(0x004) }
    static var stop: Register<Task> { Register(0x008) }
    /// The first of six: STARTED, END, DONE, RESULTDONE, CALIBRATEDONE, STOPPED.
    static var events: Register<Event> { Register(0x100) }
    static var started: Register<Event> { Register(0x100) }
    static var end: Register<Event> { Register(0x104) }
    static var stopped: Register<Event> { Register(0x114) }
    static var enable: Register<UInt32> { Register(0x500) }
    static var selectPositive: Register<UInt32> { Register(0x510) }
    static var selectNegative: Register<UInt32> { Register(0x514) }
    static var configuration: Register<UInt32> { Register(0x518) }
    static var resolution: Register<UInt32> { Register(0x5F0) }
    static var resultPointer: Register<UInt32> { Register(0x62C) }
    static var resultCount: Register<UInt32> { Register(0x630) }
  }
}

extension NRF.SAADC: SupplyMeter where Block: ~Copyable {
  public mutating func supplyMillivolts() -> UInt32? { millivolts(.vdd) }
}
