/// A sensor that detects that the board is moved.
///
/// The sensor keeps that it was moved until it is asked: a caller that asks seldom misses nothing.
public protocol MotionSource: ~Copyable {
  /// Configures the sensor and starts the detection, also after a loss of its configuration. `false`: there
  /// is no response, or another part than expected. A sensor that has just been powered may need a repetition
  /// some milliseconds later. Blocks for the transfers on its bus only, for a few milliseconds at most.
  mutating func start() -> Bool
  /// Whether the board was moved since the last call; `nil` if the sensor does not respond, or its response
  /// is not one that the configured sensor can give. Blocks as `start` does.
  mutating func wasMoved() -> Bool?
  /// Ends the detection, with the lowest current that the board allows.
  mutating func stop()
}
