import HeraldChips
import HeraldEmbedded

/// The I2C bus of a board: TWIM0.
public typealias NRF52I2C = NRF.TWIM<MappedRegisters>

// The buffer of TWIM0, which EasyDMA accesses.
nonisolated(unsafe) private var transfer: [16 of UInt8] = .init(repeating: 0)

extension NRF52Kit where Motion == NoDelegate {
  /// There is none.
  public static func motion() -> NoDelegate { NoDelegate() }
}

extension NRF52Kit {
  /// The bus with its lines on these pins of port 0, with the resistors of the chip. To be called once.
  public static func i2c(clock: UInt8, data: UInt8) -> NRF52I2C {
    var bus = unsafe NRF52I2C(
      MappedRegisters(at: 0x4000_3000), port: NRF.GPIO(MappedRegisters(at: 0x5000_0000)), clock: clock,
      data: data, pull: .up, buffer: &transfer)
    bus.start()
    return bus
  }
}

extension NRF52Board where Bluetooth: ~Copyable {
  /// The motion sensor of the board; `NoDelegate` without one.
  public typealias Motion = Kit.Motion
  /// The motion sensor. To be called once.
  public static func motion() -> Motion { Kit.motion() }
}
