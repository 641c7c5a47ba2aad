import HeraldBluetooth
import HeraldHAL

// What is received of peers: new peers, silent peers, RSSI readings and payloads.

extension Peers {
  /// Updates a peer's state from its advertisement. Returns `false` if the peer is not to be connected.
  mutating func acquaint(
    _ slot: Int, _ seen: Introspected, _ report: AdvertisingReport, _ context: inout Context
  ) -> Bool {
    if report.kind.contains(.connectable) {
      table[slot].isConnectable = true
      if table[slot].isReceiveOnly {
        table[slot].isReceiveOnly = false
        // A payload that was written does not replace the one that is served: any device could have written
        // it.
        if table[slot].state == .read { table[slot].state = .confirmed }
      }
    }
    if seen.isHerald, !report.kind.contains(.scanResponse) {
      let refusesConnections = !report.kind.contains(.connectable)
      if refusesConnections || table[slot].has(Target.refusesConnectionsFlag) {
        noteRefusesConnections(slot, refusesConnections, &context)
      }
    }
    // Most advertisements: those of peers whose payload is known.
    if table[slot].state == .read {
      if table[slot].owesWork { lookForWork(from: table[slot].retryAt, &context) }
      return true
    }
    switch table[slot].note(seen, at: context.now) {
    case .leftAlone: return false
    case .unchanged: return true
    case .wanted:
      guard table[slot].isConnectable else { return true }
      table.setOwesWork(slot, true)
      lookForWork(from: table[slot].retryAt, &context)
    }
    return true
  }

  /// The choice of a peer to connect to may succeed from this moment on, if not from an earlier one.
  mutating func lookForWork(from moment: Instant, _ context: inout Context) {
    guard moment < workAt else { return }
    workAt = moment
    context.hasNews = true
  }

  /// A peer continues under another address. There is no response under the old one any more: an attempt to
  /// connect there ends, so that others need not wait, and is not counted as a failure.
  mutating func move(_ slot: Int, to address: DeviceAddress, _ context: inout Context) {
    table[slot].address = address
    if attempt.isAlive(at: slot) { cutAttempt(&context) }
  }

  /// Adds a peer that was received for the first time, unless it is this device itself under a former
  /// address, or strangers have used up their budget (`StrangerBudget`).
  @inline(never)
  mutating func meet(
    _ seen: Introspected, _ address: DeviceAddress, key: IdentityResolvingKey, _ context: inout Context
  ) -> Int? {
    let kind = seen.isHerald ? 1 : 0
    guard strangers.mayCome(table.hash(seen.identity), kind: kind, at: context.now) else {
      context.sink.count(.strangersRefused)
      return nil
    }
    guard !ResolvablePrivateAddress.resolves(address, with: key),
      let slot = admit(seen.identity, address, &context)
    else {
      strangers.restoreIdentity(kind)
      return nil
    }
    if seen.peer == .ignored { table[slot].state = .observed }
    return slot
  }

  /// Logs and reports the transmit power that an advertisement shows, if it has changed.
  @inline(__always)
  mutating func note(txPower: Int8, of slot: Int, _ identity: TargetIdentity, _ context: inout Context) {
    guard txPower != table[slot].txPower else { return }
    table[slot].txPower = txPower
    context.sink.record(.txPower, of: identity, extra: UInt8(bitPattern: txPower))
    context.sink.delegate.didChangeTxPower(identity, txPower, at: context.now)
  }

  /// Logs and reports one reading.
  mutating func measure(_ slot: Int, _ identity: TargetIdentity, _ rssi: RSSI, _ context: inout Context) {
    guard rssi.isAvailable else {
      context.sink.count(.advertsWithoutStrength)
      return
    }
    table[slot].lastRSSI = rssi
    let digest = table[slot].payloadDigest
    if digest == 0,
      !strangers.mayKeepReading(
        of: &table[slot], number: context.sink.counters[.readings],
        canConnect: context.capabilities.canConnect, at: context.now)
    {
      context.sink.count(.readingsRefused)
      return
    }
    context.sink.count(.readings)
    table[slot].readings &+= 1
    context.sink.record(reading: rssi, of: identity)
    context.sink.delegate.didMeasure(identity, rssi, at: context.now)
    if digest != 0 {
      context.sink.delegate.didMeasureWithPayload(identity, rssi, payloadDigest: digest, at: context.now)
    }
  }

  /// Adds a peer that was not known.
  mutating func admit(_ identity: TargetIdentity, _ address: DeviceAddress, _ context: inout Context) -> Int?
  {
    let evictions = table.evictions
    guard let slot = table.insert(identity, address: address, at: context.now) else {
      context.sink.count(.tableFull)
      return nil
    }
    if table.evictions != evictions {
      context.sink.record(.lost, of: table.evicted)
      context.sink.delegate.didLose(table.evicted, at: context.now)
    }
    context.sink.count(.detections)
    context.sink.record(.detected, of: identity)
    context.sink.delegate.didDetect(identity, at: context.now)
    return slot
  }

  /// A peer opened a connection while strangers are being refused: its address is genuine, and its
  /// advertisements are not refused.
  @inline(never)
  mutating func admitConnected(_ address: DeviceAddress, _ context: inout Context) {
    guard table.find(address: address, at: context.now) == nil, strangers.mayProve() else { return }
    _ = admit(TargetIdentity(address), address, &context)
  }

  /// Logs how many readings and identities were refused by a budget.
  @inline(never)
  mutating func recordRefused(_ context: inout Context) {
    let count = strangers.takeRefused(at: context.now)
    if count > 0 { context.sink.record(.dropped(count: count)) }
  }

  /// Removes the targets that have been silent for too long.
  @inline(never)
  mutating func ageOut(_ ageing: inout Ageing, _ context: inout Context) {
    ageing.begin(expiry: context.configuration.expiry, at: context.now)
    for slot in 0..<table.slotsUsed where table.isTaken(slot) {
      let isEngaged = table[slot].isHeld || table[slot].has(Target.awaitsMessageFlag)
      guard ageing.isOver(table[slot].silence(at: context.now), isEngaged: isEngaged, at: context.now)
      else { continue }
      let identity = table[slot].identity
      table.remove(slot)
      context.sink.count(.losses)
      context.sink.record(.lost, of: identity)
      context.sink.delegate.didLose(identity, at: context.now)
    }
  }

  // MARK: Payloads

  /// A payload in a buffer is attributed to a peer from now on: logs and reports it under the peer's
  /// identity.
  mutating func notePayload(_ slot: Int, _ buffer: inout PayloadBuffer, _ context: inout Context) {
    let identity = table[slot].identity
    let digest = buffer.digest()
    let isKnown = table.noteMove(of: digest, to: slot)
    context.sink.record(.read, of: identity, buffer.all, in: &buffer)
    buffer.report(to: &context.sink.delegate, identity, known: isKnown, at: context.now)
    if isKnown { context.sink.count(.readsOfKnown) }
    scanBudget.notePayload(isNew: !isKnown && table[slot].payloadDigest != digest)
    table[slot].payloadDigest = digest
    let rssi = table[slot].lastRSSI
    if rssi.isAvailable {
      context.sink.delegate.didMeasureWithPayload(identity, rssi, payloadDigest: digest, at: context.now)
    }
  }

  /// A peer's payload is in a buffer: it was read, or written by a peer that cannot be read.
  mutating func acquirePayload(_ slot: Int, _ buffer: inout PayloadBuffer, _ context: inout Context) {
    notePayload(slot, &buffer, &context)
    table[slot].state = .read
    table[slot].failures = 0
    table[slot].ignores = 0
    if table[slot].system != .iOS {
      table[slot].beginRegularity(isDense: isCrowded || scanBudget.room.isPresent)
    }
    if mayShare(slot, &context), !own.contains(table[slot].payloadDigest) {
      buffer.keep(in: &sharing, of: slot, in: &table, at: context.now)
    }
  }

  /// A peer's payload was read, and is in a buffer.
  mutating func payloadWasRead(_ slot: Int, _ buffer: inout PayloadBuffer, _ context: inout Context) {
    context.sink.count(.reads)
    scanBudget.credit(isFlooded: isFlooded(&context))
    if table[slot].isStranger { strangers.met(kind: table[slot].strangerKind) }
    acquirePayload(slot, &buffer, &context)
  }

  /// Whether a target's payload is to be shared: not every device may receive its owner's advertisements
  /// (HP-42).
  mutating func mayShare(_ slot: Int, _ context: inout Context) -> Bool {
    context.configuration.sharesPayloads && (table[slot].system == .iOS || table[slot].isReceiveOnly)
  }

  // MARK: Peers that are not received

  /// A peer wrote to this device that is not known to advertise: it cannot, and no connection to it is
  /// attempted.
  mutating func noteReceiveOnly(_ slot: Int) {
    if !table[slot].isConnectable { table[slot].isReceiveOnly = true }
  }

  /// Adds a peer known only by its payload, if no peer that was received has to be evicted for it.
  mutating func admitHearsay(of digest: UInt64, _ context: inout Context) -> Int? {
    table.insertHearsay(.made(&context.random), payloadDigest: digest, at: context.now)
  }

  // MARK: What a connection has shown

  /// The peer's Herald service was found: its state is confirmed.
  mutating func confirm(_ slot: Int, as system: Target.System, _ context: inout Context) {
    if table[slot].system != system {
      table[slot].system = system
      table[slot].told = 0
    }
    table[slot].ignores = 0
    if table[slot].state != .confirmed, table[slot].state != .read {
      table[slot].state = .confirmed
      context.sink.record(.heraldDetected, of: table[slot].identity)
    }
  }

  /// The peer has no Herald service: starts a back-off, which grows each time.
  mutating func ignore(_ slot: Int, _ context: inout Context) {
    context.sink.count(.withoutService)
    table[slot].ignores &+= 1
    table[slot].state = .ignored
    table[slot].failures = 0
    leaveAlone(
      slot, for: HeraldConfiguration.ignoreDelay(ignores: table[slot].ignores), &context)
    if table[slot].has(Target.awaitsMessageFlag) {
      table[slot].set(Target.awaitsMessageFlag, false)
      context.sink.count(.messagesLost)
    }
    table.setOwesWork(slot, false)
  }
}
