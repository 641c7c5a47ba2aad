/// Whether a sensor works.
public enum SensorState: UInt8, BitwiseCopyable, Sendable {
  /// It does not work at present: it was switched off, or the radio is starting.
  case off = 0
  case on = 1
  /// There is nothing to work with: the radio does not come back.
  case unavailable = 2
}
