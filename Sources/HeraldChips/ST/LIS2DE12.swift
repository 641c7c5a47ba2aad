import HeraldHAL

/// The accelerometer LIS2DE12 of STMicroelectronics, or that of the LSM303AGR, as a motion sensor on an I2C
/// bus (data sheets, "Register description"). The registers that are used here are the same in both.
///
/// It measures ten times a second in low-power mode. An acceleration of more than 64 mg on any axis, without
/// the constant part, sets a latch, which is read over the bus. Its interrupt pins are not used.
public struct LIS2DE12<Bus: I2CBus & ~Copyable>: MotionSource, ~Copyable {
  /// The bus.
  public var bus: Bus
  private let address: UInt8
  private let polarity: UInt8

  /// A sensor at `address`: 0x18, or 0x19 with SA0 high. An LSM303AGR has 0x19. `pinIdlesHigh`: INT1 is on a
  /// line with other open-drain outputs, and is not to pull it low.
  public init(_ bus: consuming Bus, address: UInt8, pinIdlesHigh: Bool = false) {
    self.bus = bus
    self.address = address
    polarity = pinIdlesHigh ? 0x02 : 0
  }

  /// 64 mg: four steps of 16 mg at ±2 g.
  private static var threshold: UInt8 { 4 }
  /// High events on each of the three axes, any of them.
  private static var events: UInt8 { 0x2A }

  /// Checks the part and writes each register that the detection uses, as another program may have changed
  /// it.
  public mutating func start() -> Bool {
    do throws(I2CError) {
      guard try bus.read(At.identity, of: address) == 0x33 else { return false }
      try bus.write(0, to: At.events, of: address)
      // From CTRL_REG1 on: 10 Hz, low power, all axes; high-pass filter for data and interrupt 1; no output
      // on INT1; ±2 g; latch of interrupt 1; level of the idle pins.
      let control: [7 of UInt8] = [
        At.control1 | At.increment, 0x2F, 0x09, 0x00, 0x00, 0x08, polarity,
      ]
      try bus.send(control.span, to: address)
      // Threshold and duration.
      let limits: [3 of UInt8] = [At.threshold | At.increment, Self.threshold, 0]
      try bus.send(limits.span, to: address)
      // A read sets the filter to the present acceleration.
      _ = try bus.read(At.reference, of: address)
      try bus.write(Self.events, to: At.events, of: address)
      return try bus.read(At.control1, of: address) == 0x2F
    } catch {
      return false
    }
  }

  /// Whether the latch was set; reading it clears it. The configuration of the interrupt is read with it: a
  /// sensor that has lost its supply has none.
  public mutating func wasMoved() -> Bool? {
    let register: [1 of UInt8] = [At.events | At.increment]
    var values: [2 of UInt8] = [0, 0]
    var target = values.mutableSpan
    do throws(I2CError) { try bus.send(register.span, to: address, receiving: &target) } catch { return nil }
    // Bit 7 of INT1_SRC is always 0.
    guard values[0] == Self.events, values[1] & 0x80 == 0 else { return nil }
    return values[1] & 0x40 != 0
  }

  /// Power-down mode.
  public mutating func stop() {
    do throws(I2CError) { try bus.write(0x0F, to: At.control1, of: address) } catch { return }
  }

  private typealias At = LIS2DE12Registers
}

private enum LIS2DE12Registers {
  static var identity: UInt8 { 0x0F }
  static var control1: UInt8 { 0x20 }
  static var reference: UInt8 { 0x26 }
  static var events: UInt8 { 0x30 }
  static var threshold: UInt8 { 0x32 }
  /// The bit of a register's number with which a transfer continues at the next register.
  static var increment: UInt8 { 0x80 }
}
