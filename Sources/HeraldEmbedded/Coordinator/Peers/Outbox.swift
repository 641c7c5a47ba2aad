import HeraldBluetooth
import HeraldHAL

// Messages of the application, sent ahead of everything else (HP-30…HP-32).

/// The one message of the application that is being sent. Zero bits when there is none.
struct Outbox: BitwiseCopyable {
  /// The buffer of the message in the pool, plus one; 0 for none.
  var buffer: UInt8
  /// When it is dropped.
  var until: Instant

  /// How long delivery of a message is tried, and how recently a peer must have been received to be one of
  /// "all" (HP-32).
  static var messageLife: Interval { .seconds(60) }

  /// The connection number under which the message's buffer is claimed: a number that no radio uses.
  static var connection: ConnectionID { ConnectionID(index: 255) }

  init() {
    buffer = 0
    until = .start
  }

  /// Whether a message is being sent.
  var isPending: Bool { buffer != 0 }

  /// Accepts a message in a buffer of the pool.
  mutating func take<let count: Int>(
    _ message: Span<UInt8>, in pool: inout PayloadPool<count>, at now: Instant
  ) throws(ImmediateSendError) {
    if isPending { throw .busy }
    guard message.count <= ATTLimits.longestValue &- 3 else { throw .tooLong }
    guard let buffer = pool.claim(Self.connection, .message) else { throw .noBuffer }
    _ = pool.buffers[buffer].composeMessage(message)
    self.buffer = UInt8(truncatingIfNeeded: buffer &+ 1)
    until = now + Self.messageLife
  }

  /// The message was delivered to every peer, or is dropped.
  mutating func end<let count: Int>(in pool: inout PayloadPool<count>) {
    pool.release(Self.connection)
    self = Outbox()
  }
}

/// Why a message was not accepted for sending.
public enum ImmediateSendError: Error, Equatable, BitwiseCopyable, Sendable {
  /// Another message is still being sent: try again when it is delivered, after a minute at the latest.
  case busy
  /// More than 509 bytes, the capacity of an attribute.
  case tooLong
  /// Every buffer is in use: try again soon.
  case noBuffer
  /// The peer is not known, is out of range, or is not connectable.
  case unreachable
}
