import HeraldChips
import HeraldHAL
import NRF52Boards

/// The LSM6DS3TR-C of the Sense with its power on P1.08. Without power its lines must not be driven or pulled
/// up. The XIAO without it has no device on these lines, and is not told apart otherwise.
public struct SenseMotion: MotionSource, ~Copyable {
  private var sensor: LSM6DS3TRC<NRF52I2C>

  init(_ bus: consuming NRF52I2C) { sensor = LSM6DS3TRC(bus, address: 0x6A) }

  /// Switches the power on. The sensor responds some milliseconds later, to a further call.
  public mutating func start() -> Bool {
    NRF.Pin(port: 1, 8).becomeOutput(high: true)
    sensor.bus.start()
    return sensor.start()
  }
  /// Whether the board was moved.
  public mutating func wasMoved() -> Bool? { sensor.wasMoved() }
  /// Switches the power off.
  public mutating func stop() {
    sensor.bus.stop()
    NRF.Pin(port: 1, 8).becomeOutput(high: false)
  }
}
