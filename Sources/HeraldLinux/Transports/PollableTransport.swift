import HeraldHAL

/// A line to a controller that an event loop can wait for with `poll(2)`.
public protocol PollableTransport: ControllerTransport, ~Copyable {
  /// The descriptor to wait on; -1 while the line is gone.
  var descriptor: Int32 { get }
  /// Whether to wait for the line to take bytes, too.
  var wantsToWrite: Bool { get }
}
