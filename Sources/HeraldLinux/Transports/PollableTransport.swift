import HeraldHAL

/// A transport to a controller that an event loop can wait for with `poll(2)`.
package protocol PollableTransport: ControllerTransport, ~Copyable {
  /// The descriptor for `poll(2)`; -1 while the transport is disconnected.
  var descriptor: Int32 { get }
  /// Whether to wait for the descriptor to become writable, too.
  var wantsToWrite: Bool { get }
}
