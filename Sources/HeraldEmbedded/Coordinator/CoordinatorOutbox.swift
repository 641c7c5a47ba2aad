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

extension HeraldCore
where
  FlashType: ~Copyable, RandomType: ~Copyable, SupplierType: ~Copyable, DelegateType: ~Copyable
{
  /// Sends a message of at most 509 bytes to a peer at once, ahead of all other work and over the open
  /// connection if there is one (HP-30, HP-31). It is given up after a minute; the counters `messages_sent`
  /// and `messages_lost` tell.
  @inlinable
  public mutating func sendImmediately(
    _ message: Span<UInt8>, to target: TargetIdentity, at now: Instant
  ) throws(ImmediateSendError) {
    context.now = now
    guard let place = peers.table.find(target), peers.canBeSent(to: place, &context) else {
      throw .unreachable
    }
    try takeMessage(message)
    peers.queueMessage(for: place)
    hasten()
  }

  /// Sends a message to every peer that is known to speak Herald and was heard within the last minute
  /// (HP-32), and returns how many these are.
  @inlinable
  public mutating func sendImmediatelyToAll(_ message: Span<UInt8>, at now: Instant)
    throws(ImmediateSendError)
    -> Int
  {
    context.now = now
    var count = 0
    var place = 0
    while place < peers.table.placesUsed {
      if peers.canBeSent(to: place, &context),
        peers.table[place].state == .confirmed || peers.table[place].state == .read
      {
        count &+= 1
      }
      place &+= 1
    }
    guard count > 0 else { throw .unreachable }
    try takeMessage(message)
    place = 0
    while place < peers.table.placesUsed {
      if peers.canBeSent(to: place, &context),
        peers.table[place].state == .confirmed || peers.table[place].state == .read
      {
        peers.queueMessage(for: place)
      }
      place &+= 1
    }
    hasten()
    return count
  }

  @inlinable
  mutating func takeMessage(_ message: Span<UInt8>) throws(ImmediateSendError) {
    if outbox.isPending { throw .busy }
    guard message.count <= ATTLimits.longestValue &- 3 else { throw .tooLong }
    guard let buffer = serving.values.pool.claim(Outbox.connection, .message) else { throw .noBuffer }
    _ = serving.values.pool.buffers[buffer].composeMessage(message)
    outbox.buffer = UInt8(truncatingIfNeeded: buffer &+ 1)
    outbox.until = context.after(Outbox.messageLife)
  }

  /// Has the next `run` look for peers at once; an attempt under way for anything else gives way.
  @inlinable
  mutating func hasten() {
    context.hasNews = true
    peers.workAt = context.now
    if peers.attempt.isActive, !peers.attempt.isCancelled,
      !peers.table[Int(peers.attempt.place)].has(Target.awaitsMessageFlag)
    {
      peers.cutAttempt(&context)
    }
  }

  /// Gives the message up when its time is over, or when everybody has it.
  @inlinable
  mutating func tendOutbox() {
    guard outbox.isPending else { return }
    var index = 0
    while index < connections {
      // Its bytes are in use: that ends soon.
      if exchanges.links[index].step == .writeSignal, exchanges.links[index].task == .sendMessage {
        context.wake(by: exchanges.links[index].end)
        return
      }
      index &+= 1
    }
    let isOver = context.hasCome(outbox.until)
    let waiting = peers.awaiting(giveUp: isOver, &context)
    guard isOver || waiting == 0 else {
      context.wake(by: outbox.until)
      return
    }
    serving.values.pool.release(Outbox.connection)
    outbox = Outbox()
  }
}
