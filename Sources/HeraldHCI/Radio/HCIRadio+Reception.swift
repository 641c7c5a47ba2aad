import HeraldBluetooth
import HeraldHAL

// From the transport to the handler.
extension HCIRadio where Transport: ~Copyable {
  /// Reads and handles received bytes. Returns whether there may be more.
  mutating func receive<Handler: RadioEventHandler & ~Copyable>(into handler: inout Handler) -> Bool {
    var reads = 0
    while reads < Self.readsPerPoll {
      let count = receiver.fill(from: &transport)
      if !Transport.isAlwaysThere, count < 0 {
        line = line == .up ? .lost : .missing
        fail(&handler)
      }
      if count <= 0 { return false }
      session.receivedAt = now
      let isAll = Transport.readsAll && receiver.hasRoom
      drain(into: &handler)
      if isAll { return false }
      reads &+= 1
    }
    return true
  }

  /// Handles all whole packets in the receive buffer.
  mutating func drain<Handler: RadioEventHandler & ~Copyable>(into handler: inout Handler) {
    while true {
      switch receiver.next(&counters) {
      case .none:
        return
      case .event(let start, let count):
        let code = receiver.storage[start]
        if code == EventCode.leMeta {
          meta(from: start &+ 2, count: count, into: &handler)
        } else {
          isQuiet = false
          event(code, from: start &+ 2, count: count, into: &handler)
        }
      case .aclData(let start, let count):
        isQuiet = false
        if connections > 0 { aclData(from: start, count: count, into: &handler) }
      case .lostSync:
        isQuiet = false
        // Before the reset is complete nothing can be lost; its response is what the receiver hunts for.
        if !session.awaitsReset() { fail(&handler) }
      }
    }
  }

  /// One LE Meta event.
  mutating func meta<Handler: RadioEventHandler & ~Copyable>(
    from start: Int, count: Int, into handler: inout Handler
  ) {
    counters.countOften(.events)
    guard count > 0 else {
      counters.count(.malformedEvents)
      return
    }
    // Without scanning and connections there is no code for their events.
    if !Handler.isObserver, connections == 0 {
      isQuiet = false
      return
    }
    switch receiver.storage[start] {
    case LESubevent.advertisingReport where Handler.isObserver:
      legacyReports(from: start, count: count, into: &handler)
    case LESubevent.extendedAdvertisingReport where Handler.isObserver:
      extendedReports(from: start, count: count, into: &handler)
    default:
      isQuiet = false
      otherMeta(from: start, count: count, into: &handler)
    }
  }

  /// Passes the reports of a legacy event to the handler in place.
  @inline(never)
  mutating func legacyReports<Handler: RadioEventHandler & ~Copyable>(
    from start: Int, count: Int, into handler: inout Handler
  ) {
    let bytes = receiver.storage.span.extracting(start..<(start &+ count))
    var reports = LegacyAdvertisingReports(bytes)
    while let found = reports.next(bytes) {
      counters.countOften(.advertisingReports)
      guard session.state == .ready else { continue }
      let data = bytes.extracting(unchecked: found.range)
      handler.received(found.report, data: data, at: now)
    }
    if !reports.isComplete { counters.count(.malformedEvents) }
  }

  /// Passes the reports of an extended event to the handler in place.
  @inline(never)
  mutating func extendedReports<Handler: RadioEventHandler & ~Copyable>(
    from start: Int, count: Int, into handler: inout Handler
  ) {
    let bytes = receiver.storage.span.extracting(start..<(start &+ count))
    var reports = ExtendedAdvertisingReports(bytes)
    while let found = reports.next(bytes) {
      counters.countOften(.advertisingReports)
      guard session.state == .ready else { continue }
      if continuation.continues(found.report) {
        counters.count(.continuedReports)
        continue
      }
      let data = bytes.extracting(unchecked: found.range)
      handler.received(found.report, data: data, at: now)
    }
    if !reports.isComplete { counters.count(.malformedEvents) }
  }

  /// The subevents that are not advertising reports.
  @inline(never)
  mutating func otherMeta<Handler: RadioEventHandler & ~Copyable>(
    from start: Int, count: Int, into handler: inout Handler
  ) {
    switch receiver.storage[start] {
    case LESubevent.connectionComplete:
      guard let event = LEConnectionComplete(receiver.bytes(start, count)) else { break }
      opened(event, &handler)
      return
    case LESubevent.longTermKeyRequest:
      guard count >= 3 else { break }
      let index = acl.indexOf(ConnectionHandle(rawValue: receiver.bytes(start, count).u16(unchecked: 1)))
      if index >= 0 { acl[index].wantsKeyRefused = true }
      return
    case LESubevent.connectionUpdateComplete, LESubevent.dataLengthChange,
      LESubevent.advertisingSetTerminated, LESubevent.channelSelectionAlgorithm:
      return
    default:
      counters.count(.unknownEvents)
      return
    }
    counters.count(.malformedEvents)
  }

  /// Every event except LE Meta.
  @inline(never)
  mutating func event<Handler: RadioEventHandler & ~Copyable>(
    _ code: UInt8, from start: Int, count: Int, into handler: inout Handler
  ) {
    counters.count(.events)
    switch code {
    case EventCode.commandComplete, EventCode.commandStatus:
      let outcome = session.answered(
        receiver.bytes(start, count), isComplete: code == EventCode.commandComplete,
        connects: connections > 0, at: now, &counters)
      guard let outcome else { break }
      handle(outcome, &handler)
      return
    case EventCode.disconnectionComplete:
      guard connections > 0 else { return }
      guard let event = DisconnectionComplete(receiver.bytes(start, count)) else { break }
      if event.status.isSuccess {
        closed(acl.indexOf(event.handle), event.reason.disconnectReason, &handler)
      }
      return
    case EventCode.numberOfCompletedPackets:
      guard connections > 0 else { return }
      guard count >= 1, count > Int(receiver.storage[start]) &* 4 else { break }
      var left = Int(receiver.storage[start])
      while left > 0 {
        left &-= 1
        // Each entry is read again: the bytes are borrowed from what `completed` changes.
        guard let entry = CompletedPackets(receiver.bytes(start, count), left) else { break }
        completed(entry)
      }
      return
    case EventCode.hardwareError:
      counters.count(.hardwareErrors)
      if !session.awaitsReset() { fail(&handler) }
      return
    case EventCode.dataBufferOverflow:
      // More was sent than the controller had room for: the packets it holds of each connection are unknown
      // now.
      counters.count(.bufferOverflows)
      if !session.awaitsReset() { fail(&handler) }
      return
    default:
      counters.count(.unknownEvents)
      return
    }
    counters.count(.malformedEvents)
  }

  /// Evaluates the response to a command.
  mutating func handle<Handler: RadioEventHandler & ~Copyable>(
    _ outcome: ControllerSession.Outcome, _ handler: inout Handler
  ) {
    switch outcome {
    case .nothing:
      return
    case .ready:
      credits = session.support.acl.count
      known = session.support.capabilities(connections: connections)
      handler.radioChanged(.ready, at: now)
    case .failed:
      fail(&handler)
    case .connectFailed, .measured, .refused:
      if connections > 0 { handle(onConnection: outcome, &handler) }
    }
  }

  /// Evaluates the response to a command for a connection.
  @inline(__always)
  mutating func handle<Handler: RadioEventHandler & ~Copyable>(
    onConnection outcome: ControllerSession.Outcome, _ handler: inout Handler
  ) {
    switch outcome {
    case .nothing, .ready, .failed:
      return
    case .connectFailed(let reason):
      handler.connectionFailed(reason, at: now)
    case .measured(let handle, let rssi):
      let index = acl.indexOf(handle)
      if index >= 0, acl[index].life == .open {
        handler.measured(rssi, on: ConnectionID(index: index), at: now)
      }
    case .refused(let status):
      let index = pendingIndex
      guard index >= 0, index < connections, acl[index].life != .free else { return }
      // A connection unknown to the controller has ended, even if no event reported it.
      if status == .unknownConnection {
        closed(index, acl[index].life == .open ? .connectionTimeout : .localHostTerminated, &handler)
      } else if session.pendingPurpose == .readRSSI, acl[index].life == .open {
        handler.measured(.notAvailable, on: ConnectionID(index: index), at: now)
      }
    }
  }

  /// One ACL packet, whose header is at `start`.
  @inline(never)
  mutating func aclData<Handler: RadioEventHandler & ~Copyable>(
    from start: Int, count: Int, into handler: inout Handler
  ) {
    let head = UInt16(receiver.storage[start]) | UInt16(receiver.storage[start &+ 1]) &<< 8
    let index = acl.indexOf(ConnectionHandle(rawValue: head))
    // Packet_Boundary_Flag: 00 and 10 start a PDU, 01 continues it, 11 is not for LE.
    guard session.state == .ready, index >= 0, acl[index].life == .open, head & 0x3000 != 0x3000 else {
      transfers.count(.fragmentsMalformed)
      if session.state == .ready, index < 0 {
        turnAway(ConnectionHandle(rawValue: head), isKnown: false)
      }
      return
    }
    let slot = take(from: start &+ 4, count: count, isStart: head & 0x1000 == 0, index)
    guard slot >= 0 else {
      // The response on a control channel is sent before the next request is processed, which may need its
      // place.
      if acl[index].l2cap.control.isOwed, !hasBackpressure { transmitData() }
      return
    }
    let answer = buffers.handOver(
      index, slot, count: Int(acl[index].l2cap.slots[slot].length), to: &handler, at: now)
    buffers.answered(answer, by: &acl[index].l2cap, index, slot)
    // The response is sent before the next PDU is processed, which may need its buffer.
    if answer > 0, !hasBackpressure { transmitData() }
  }
  /// Passes one fragment to its connection. Returns the slot that holds a whole ATT PDU now, −1 for none.
  mutating func take(from start: Int, count: Int, isStart: Bool, _ index: Int) -> Int {
    let hasSpare = acl.hasSpare(index)
    let fragment = receiver.storage.span.extracting(start..<(start &+ count))
    let slot = acl[index].l2cap.slot(
      for: fragment, isStart: isStart, hasSpare: hasSpare, &transfers)
    return slot < 0 ? -1 : buffers.append(fragment, to: &acl[index].l2cap, index, slot, &transfers)
  }
}
