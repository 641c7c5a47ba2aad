/// The source of a `MotionState`.
public protocol MotionAware: ~Copyable {
  /// Whether there is a motion sensor. A device without one contains no code for it.
  static var hasMotion: Bool { get }
  /// The present state.
  var motion: MotionState { get }
  /// Switches the detection on or off (`Setting.motionDetection`). It is on at first.
  mutating func switchMotion(_ isOn: Bool)
}

extension MotionAware where Self: ~Copyable {
  @inline(__always) public static var hasMotion: Bool { false }
  /// Unknown.
  @inline(__always) public var motion: MotionState { .unknown }
  /// No effect.
  @inline(__always) public mutating func switchMotion(_ isOn: Bool) {}
}
