/// What a motion sensor indicates about the use of a device.
public enum MotionState: UInt8, BitwiseCopyable, Sendable {
  /// The device is moved, or was within the last five minutes.
  case worn = 0
  /// The device has not been moved for five minutes.
  case lying = 1
  /// There is no sensor, it does not respond, or it is switched off.
  case unknown = 2
}
