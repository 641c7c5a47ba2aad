/// The state of a sensor.
public enum SensorState: UInt8, BitwiseCopyable, Sendable {
  /// Not active at present: it was switched off, or the radio is starting.
  case off = 0
  case on = 1
  /// Not available: the radio has failed permanently.
  case unavailable = 2
}
