import HeraldHAL

/// The accelerometer of the LSM6DS3TR-C of STMicroelectronics as a motion sensor on an I2C bus (data sheet,
/// "Register description").
///
/// It measures 12.5 times a second in low-power mode; the gyroscope is off. A change of the acceleration of
/// more than 62.5 mg on any axis sets a latch, which is read over the bus.
public struct LSM6DS3TRC<Bus: I2CBus & ~Copyable>: MotionSource, ~Copyable {
  /// The bus.
  public var bus: Bus
  private let address: UInt8

  /// A sensor at `address`: 0x6A, or 0x6B with SA0 high.
  public init(_ bus: consuming Bus, address: UInt8) {
    self.bus = bus
    self.address = address
  }

  /// Interrupts enabled, latched.
  private static var latched: UInt8 { 0x81 }

  /// Checks the part and writes each register that the detection uses.
  public mutating func start() -> Bool {
    do throws(I2CError) {
      guard try bus.read(At.identity, of: address) == 0x6A else { return false }
      // Block data update, automatic increment; push-pull, active high.
      try bus.write(0x44, to: At.control3, of: address)
      // Accelerometer without its high-performance mode, 12.5 Hz and ±2 g; gyroscope off.
      try bus.write(0x10, to: At.control6, of: address)
      let rates: [3 of UInt8] = [At.control1, 0x10, 0x00]
      try bus.send(rates.span, to: address)
      // Two steps of 2 g / 64, in one sample: the weight of a step is the full scale by 2⁶, as with the
      // LSM6DSL, which has the same identity and registers (RIOT, `lsm6dsl.h`).
      let limits: [3 of UInt8] = [At.threshold, 2, 0]
      try bus.send(limits.span, to: address)
      // The event also goes to INT1: that the latch works without it is not stated.
      try bus.write(0x20, to: At.route, of: address)
      try bus.write(Self.latched, to: At.interrupts, of: address)
      _ = try bus.read(At.source, of: address)
      return try bus.read(At.control1, of: address) == 0x10
    } catch {
      return false
    }
  }

  /// Whether the latch was set; reading it clears it. The configuration of the interrupts is read too: a
  /// sensor that has lost its supply has none.
  public mutating func wasMoved() -> Bool? {
    do throws(I2CError) {
      guard try bus.read(At.interrupts, of: address) == Self.latched else { return nil }
      let source = try bus.read(At.source, of: address)
      // Bits 6 and 7 of WAKE_UP_SRC are always 0.
      guard source & 0xC0 == 0 else { return nil }
      return source & 0x08 != 0
    } catch {
      return nil
    }
  }

  /// Power-down mode.
  public mutating func stop() {
    do throws(I2CError) { try bus.write(0, to: At.control1, of: address) } catch { return }
  }

  private typealias At = LSM6DS3TRCRegisters
}

private enum LSM6DS3TRCRegisters {
  static var identity: UInt8 { 0x0F }
  static var control1: UInt8 { 0x10 }
  static var control3: UInt8 { 0x12 }
  static var control6: UInt8 { 0x15 }
  static var source: UInt8 { 0x1B }
  static var interrupts: UInt8 { 0x58 }
  static var threshold: UInt8 { 0x5B }
  static var route: UInt8 { 0x5E }
}
