import HeraldBluetooth
import HeraldHAL

// Messages of the application's, sent ahead of everything else (HP-30…HP-32).

/// The one message of the application's that is on its way. Zero bits when there is none.
@usableFromInline
struct Outbox: BitwiseCopyable {
  /// The buffer of the message in the pool, plus one; 0 for none.
  @usableFromInline var buffer: UInt8
  /// When it is given up.
  @usableFromInline var until: Instant

  /// How long a message is tried to be delivered, and how recently a peer must have been heard to be one of
  /// "all" (HP-32).
  @usableFromInline static var messageLife: Interval { .seconds(60) }

  /// The connection number under which the message's buffer is claimed: none that a radio has.
  @usableFromInline static var connection: ConnectionID { ConnectionID(index: 255) }

  @usableFromInline
  init() {
    buffer = 0
    until = .start
  }

  /// Whether a message is on its way.
  @usableFromInline var isPending: Bool { buffer != 0 }

  /// Takes a message in a buffer of the pool.
  @inlinable
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

  /// The message has arrived everywhere, or is given up.
  @inlinable
  mutating func end<let count: Int>(in pool: inout PayloadPool<count>) {
    pool.release(Self.connection)
    self = Outbox()
  }
}

/// Why a message was not taken to be sent.
public enum ImmediateSendError: Error, Equatable, BitwiseCopyable, Sendable {
  /// Another message is still on its way: try again when it has arrived, in a minute at the latest.
  case busy
  /// More than 509 bytes, which is what an attribute has room for.
  case tooLong
  /// Every buffer is in use: try again soon.
  case noBuffer
  /// The peer is not known, is out of range, or takes no connections.
  case unreachable
}
