import HeraldEmbedded

// To the transport: the next command, then data as far as the controller has room.
extension HCIRadio where Transport: ~Copyable {
  /// Sends what may be sent.
  @inlinable
  mutating func transmit() {
    if !isClogged { transmitCommand() }
    if session.state == .ready, !isClogged { transmitData() }
  }

  @inlinable
  mutating func transmitCommand() {
    var packet: [48 of UInt8] = .init(repeating: 0)
    guard session.pending == .none, session.state != .failed else { return }
    var subject = -1
    let links = summary()
    var buffer = packet.mutableSpan
    var count = session.state == .ready ? planForLinks(into: &buffer, &subject) : 0
    if count == 0 { count = session.plan(into: buffer, links, at: now) }
    guard count > 0 else { return }
    guard !session.isBlocked else {
      session.wait(from: now)
      return
    }
    let bytes = packet.span.extracting(0..<count)
    guard transport.write(bytes) else {
      clog()
      return
    }
    session.sent(bytes, at: now, &counters)
    settle(subject)
  }

  @inlinable
  mutating func clog() {
    isClogged = true
    counters.count(.writesRefused)
  }

  /// The next command that is about one connection, and which place that has; −1 for a connection without one.
  @inlinable
  mutating func planForLinks(into buffer: inout MutableSpan<UInt8>, _ subject: inout Int) -> Int {
    if hasOrphan { return Link.refuse(orphan, into: &buffer) }
    var index = 0
    while index < connections {
      let count = links[index].planCommand(into: &buffer)
      if count > 0 {
        subject = index
        return count
      }
      index &+= 1
    }
    return 0
  }

  /// A command about the connection at `subject` has left: it is no longer owed.
  @inlinable
  mutating func settle(_ subject: Int) {
    pendingLink = subject
    guard subject >= 0 else {
      if session.pending == Link.disconnectOpcode { hasOrphan = false }
      return
    }
    links[subject].commandSent(session.pending)
    if links[subject].life == .closed { goodbyeBy = now + Self.longestGoodbye }
  }

  /// Sends data, one fragment from each connection in turn.
  @inlinable
  mutating func transmitData() {
    let limit = min(Int(session.support.acl.length), Link.slotSize)
    let open = summary().open
    guard open > 0 else { return }
    // Each may hold an even share of the controller's buffers, and one at least.
    let share = max(1, session.support.acl.count / UInt16(truncatingIfNeeded: open))
    var idle = 0
    while credits > 0, idle < connections {
      let index = nextLink < connections ? nextLink : 0
      nextLink = index &+ 1
      if links[index].life == .open, links[index].inFlight < share, transmitFragment(index, limit) {
        credits &-= 1
        idle = 0
      } else {
        if isClogged { return }
        idle &+= 1
      }
    }
  }

  /// Sends the next packet of one connection; `false` if there is none or the transport refused it.
  @inlinable
  mutating func transmitFragment(_ index: Int, _ limit: Int) -> Bool {
    if links[index].sendsControlNext {
      let count = Int(links[index].controlCount)
      guard transport.write(links[index].control.span.extracting(0..<count)) else {
        clog()
        return false
      }
      links[index].sentControl(&counters)
      return true
    }
    guard let fragment = links[index].nextFragment(limit: limit, in: &buffers[index]) else { return false }
    let hasLeft = buffers[index].write(fragment, to: &transport)
    links[index].sent(fragment, hasLeft: hasLeft, in: &buffers[index], &counters)
    if !hasLeft { clog() }
    return hasLeft
  }
}
