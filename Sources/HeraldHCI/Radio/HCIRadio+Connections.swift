import HeraldBluetooth
import HeraldHAL

// How connections open and close.
extension HCIRadio where Transport: ~Copyable {
  /// LE Connection Complete.
  mutating func opened<Handler: RadioEventHandler & ~Copyable>(
    _ event: LEConnectionComplete, _ handler: inout Handler
  ) {
    guard session.state == .ready else {
      // A controller that was not reset, or kept its connections: the connection is closed once commands can
      // be sent.
      if event.status.isSuccess { turnAway(event.handle, isKnown: true) }
      return
    }
    guard event.status.isSuccess else {
      if event.role == .central { handle(session.connectEnded(event.status), &handler) }
      return
    }
    if hasOrphan, orphan == event.handle { hasOrphan = false }
    // A handle that is in use belongs to a connection whose end was not reported.
    closed(acl.indexOf(event.handle), .connectionTimeout, &handler)
    let isFormer = event.role == .peripheral && session.advertisesFormerAddress()
    let isWanted = session.opened(event.role) && !isFormer
    let index = isWanted ? acl.firstIndex(.free) : -1
    guard index >= 0 else {
      counters.count(.connectionsRefused)
      guard !hasOrphan || orphanAt > now || isFormer else {
        // Two connections to be closed and one slot to store them: a reset ends both.
        fail(&handler)
        return
      }
      turnAway(event.handle, isKnown: true)
      if isWanted, event.role == .central { handler.connectionFailed(.limitedResources, at: now) }
      return
    }
    storeConnection(event, at: index)
    handler.connectionOpened(
      ConnectionOpened(connection: ConnectionID(index: index), role: event.role, peer: event.peer), at: now)
  }

  /// Disconnects a connection that has no slot here, unless another is pending already. Its peer continues
  /// to send, which gives another opportunity. One that `isKnown`, as its report was received, precedes one
  /// of which only data was received: the report of that one may still follow.
  @inline(never)
  mutating func turnAway(_ handle: ConnectionHandle, isKnown: Bool) {
    guard !hasOrphan || isKnown && orphanAt > now else { return }
    orphan = handle
    hasOrphan = true
    orphanAt = isKnown ? now : now + Self.longestDelay
  }

  mutating func storeConnection(_ event: LEConnectionComplete, at index: Int) {
    counters.count(.connectionsOpened)
    acl[index] = ACLConnection()
    acl[index].life = .open
    acl[index].handle = event.handle
    acl[index].l2cap.role = event.role
    acl[index].wantsDataLength = session.support.canSetDataLength
  }

  /// A connection ended: its slot is free, and the controller's buffers it held are free again (Vol 4, Part
  /// E, 4.1.1).
  mutating func closed<Handler: RadioEventHandler & ~Copyable>(
    _ index: Int, _ reason: DisconnectReason, _ handler: inout Handler
  ) {
    guard session.state == .ready, index >= 0 else { return }
    credits &+= acl[index].inFlight
    acl[index].inFlight = 0
    acl[index].life = .free
    // A refusal that is still outstanding is for this connection, not for the next in its slot.
    if pendingIndex == index { pendingIndex = -1 }
    handler.connectionClosed(ConnectionID(index: index), reason, at: now)
  }

  /// One entry of Number Of Completed Packets.
  mutating func completed(_ entry: CompletedPackets) { credits &+= acl.completed(entry) }
}
