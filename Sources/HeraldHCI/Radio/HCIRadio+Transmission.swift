import HeraldBluetooth
import HeraldHAL

// To the transport: the next command, then data as far as the controller has room.
extension HCIRadio where Transport: ~Copyable {
  /// Sends all packets that can be sent.
  @inline(never)
  mutating func transmit() {
    isQuiet = false
    if !hasBackpressure { transmitCommand() }
    if connections > 0, session.state == .ready, !hasBackpressure { transmitData() }
  }

  mutating func transmitCommand() {
    guard session.pending == .none, session.state != .failed else { return }
    var packet = CommandPacket()
    var subject = -1
    let summary = acl.summary()
    var purpose =
      connections > 0 && session.state == .ready ? planForConnections(into: &packet, &subject) : .none
    if purpose == .none, session.isAtVendor {
      if packet.takeVendorCommand(Int(session.vendorCommands), of: &transport) {
        purpose = .bringUp
      } else {
        session.endVendor()
      }
    }
    if purpose == .none {
      purpose = session.plan(summary, connects: connections > 0, at: now)
      if purpose != .none { session.write(purpose, summary, into: &packet) }
    }
    guard purpose != .none else { return }
    guard !session.isBlocked else {
      session.wait(from: now)
      return
    }
    guard transport.write(packet.span) else {
      noteBackpressure()
      return
    }
    counters.count(.commandsSent)
    session.sent(packet, purpose, summary, connects: connections > 0, at: now)
    settle(subject)
  }

  mutating func noteBackpressure() {
    hasBackpressure = true
    counters.count(.writesRefused)
  }

  /// The next command for a connection, and its index; −1 for a connection without one.
  mutating func planForConnections(into packet: inout CommandPacket, _ subject: inout Int) -> CommandPurpose {
    if hasOrphan, now >= orphanAt {
      ACLConnection.refuse(orphan, into: &packet)
      return .disconnect
    }
    var index = 0
    while index < connections {
      let purpose = acl[index].planCommand()
      if purpose != .none {
        acl[index].write(purpose, into: &packet)
        subject = index
        return purpose
      }
      index &+= 1
    }
    return .none
  }

  /// A command for the connection at `subject` was sent: it is no longer pending.
  mutating func settle(_ subject: Int) {
    pendingIndex = subject
    guard subject >= 0 else {
      if session.pendingPurpose == .disconnect { hasOrphan = false }
      return
    }
    let isFirst = session.pendingPurpose == .disconnect && !acl.isClosing()
    acl[subject].commandSent(session.pendingPurpose)
    if isFirst {
      acl[subject].life = .due
      disconnectedBy = now + Self.disconnectTimeout
    }
  }

  /// Sends data, one fragment from each connection in turn.
  mutating func transmitData() {
    let room = min(transport.longestPacket &- L2CAPConnection.packetHeaderSize, L2CAPConnection.slotSize)
    let limit = min(Int(session.support.acl.length), room)
    let open = acl.summary().open
    guard open > 0 else { return }
    // Each connection may use an even share of the controller's buffers, and at least one. While another
    // connection may be opened, the last of three or more is reserved for one that uses none: a stalled peer
    // must not delay a later one. With one or two buffers it can, until its supervision timeout: the
    // alternative, half the throughput for all, costs more.
    let share = max(1, session.support.acl.count / UInt16(truncatingIfNeeded: open))
    let keepsLast = open < connections && session.support.acl.count > 2
    var idle = 0
    while credits > 0, idle < connections {
      let index = nextIndex < connections ? nextIndex : 0
      nextIndex = index &+ 1
      if acl[index].life == .open, acl[index].inFlight < share,
        !keepsLast || credits > 1 || acl[index].inFlight == 0, transmitFragment(index, limit)
      {
        credits &-= 1
        idle = 0
      } else {
        if hasBackpressure { return }
        idle &+= 1
      }
    }
  }

  /// Sends the next packet of one connection; `false` if there is none or the transport refused it.
  mutating func transmitFragment(_ index: Int, _ limit: Int) -> Bool {
    if acl[index].l2cap.sendsControlNext {
      var packet: [17 of UInt8] = .init(repeating: 0)
      let count = acl[index].writeControl(into: &packet)
      guard transport.write(packet.span.extracting(0..<count)) else {
        noteBackpressure()
        return false
      }
      acl[index].l2cap.sentControl(&transfers)
      acl[index].inFlight &+= 1
      return true
    }
    let slot = acl[index].l2cap.nextToSend
    guard slot >= 0, limit > 0 else { return false }
    let fragment = acl[index].l2cap.nextFragment(slot, limit: limit)
    guard buffers.write(fragment, on: acl[index].handle, index, slot, to: &transport) else {
      noteBackpressure()
      return false
    }
    acl[index].l2cap.sent(fragment, slot, &transfers)
    acl[index].inFlight &+= 1
    return true
  }
}
