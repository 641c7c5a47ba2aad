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
    var count = session.state == .ready ? planForLinks(into: packet.mutableSpan, &subject) : 0
    if count == 0 { count = session.plan(into: packet.mutableSpan, summary(), at: now) }
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
    settle(session.pending, subject)
  }

  @inlinable
  mutating func clog() {
    isClogged = true
    counters.count(.writesRefused)
  }

  /// The next command that is about one connection, and which place that has; −1 for a connection without one.
  @inlinable
  mutating func planForLinks(into buffer: consuming MutableSpan<UInt8>, _ subject: inout Int) -> Int {
    if hasOrphan { return Disconnect(orphan, reason: .remoteLowResources).packet(into: buffer) }
    var index = 0
    while index < connections {
      let handle = links[index].handle
      subject = index
      switch links[index].life {
      case .closing:
        return Disconnect(handle).packet(into: buffer)
      case .open:
        if links[index].wantsKeyRefused {
          return LELongTermKeyRequestNegativeReply(handle).packet(into: buffer)
        }
        // The answer that accepts the new timing goes first.
        if links[index].wantsUpdate, links[index].controlCount == 0 {
          return LEConnectionUpdate(handle, timing: links[index].timing).packet(into: buffer)
        }
        if links[index].wantsDataLength { return LESetDataLength(handle).packet(into: buffer) }
        if links[index].wantsRSSI { return ReadRSSI(handle).packet(into: buffer) }
      case .free, .closed:
        break
      }
      index &+= 1
    }
    subject = -1
    return 0
  }

  /// A command about the connection at `subject` has left: it is no longer owed.
  @inlinable
  mutating func settle(_ opcode: Opcode, _ subject: Int) {
    pendingLink = subject
    guard subject >= 0 else {
      if opcode == Disconnect.opcode { hasOrphan = false }
      return
    }
    switch opcode {
    case Disconnect.opcode:
      links[subject].life = .closed
      goodbyeBy = now + Self.longestGoodbye
    case LELongTermKeyRequestNegativeReply.opcode: links[subject].wantsKeyRefused = false
    case LEConnectionUpdate.opcode: links[subject].wantsUpdate = false
    case LESetDataLength.opcode: links[subject].wantsDataLength = false
    case ReadRSSI.opcode: links[subject].wantsRSSI = false
    default: break
    }
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
