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
    peers.hasten(&context)
  }

  /// Sends a message to every peer that is known to speak Herald and was heard within the last minute
  /// (HP-32), and returns how many these are.
  @inlinable
  public mutating func sendImmediatelyToAll(_ message: Span<UInt8>, at now: Instant)
    throws(ImmediateSendError)
    -> Int
  {
    context.now = now
    let count = peers.reachable(queueing: false, &context)
    guard count > 0 else { throw .unreachable }
    try takeMessage(message)
    _ = peers.reachable(queueing: true, &context)
    peers.hasten(&context)
    return count
  }

  @inlinable
  mutating func takeMessage(_ message: Span<UInt8>) throws(ImmediateSendError) {
    if outbox.isPending { throw .busy }
    guard message.count <= ATTLimits.longestValue &- 3 else { throw .tooLong }
    guard let buffer = serving.values.pool.claim(Outbox.connection, .message) else { throw .noBuffer }
    _ = serving.values.pool.buffers[buffer].composeMessage(message)
    outbox.take(in: buffer, at: context.now)
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
