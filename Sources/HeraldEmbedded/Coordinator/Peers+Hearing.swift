import HeraldBluetooth
import HeraldHAL

// What is received of peers: new peers, silent peers, RSSI readings and payloads.

extension Peers {
  /// Updates a peer's state from its advertisement. Returns `false` if the peer is not to be connected.
  @inlinable
  mutating func acquaint(
    _ place: Int, _ seen: Introspected, _ report: AdvertisingReport, _ context: inout Context
  ) -> Bool {
    if report.kind.contains(.connectable) {
      table[place].isConnectable = true
      if table[place].isReceiveOnly {
        table[place].isReceiveOnly = false
        // A payload that was written does not replace the one that is served: any device could have written
        // it.
        if table[place].state == .read { table[place].state = .confirmed }
      }
    }
    if seen.isHerald, !report.kind.contains(.scanResponse) {
      let takesNobody = !report.kind.contains(.connectable)
      if takesNobody || table[place].has(Target.takesNobodyFlag) {
        noteTakesNobody(place, takesNobody, &context)
      }
    }
    // Most advertisements: those of peers whose payload is known.
    if table[place].state == .read {
      if table[place].owesWork { lookForWork(from: table[place].retryAt, &context) }
      return true
    }
    switch table[place].note(seen, at: context.now) {
    case .leftAlone: return false
    case .unchanged: return true
    case .wanted:
      guard table[place].isConnectable else { return true }
      table.setOwesWork(place, true)
      lookForWork(from: table[place].retryAt, &context)
    }
    return true
  }

  /// The choice of a peer to connect to may succeed from this moment on, if not from an earlier one.
  @inlinable
  mutating func lookForWork(from moment: Instant, _ context: inout Context) {
    guard moment < workAt else { return }
    workAt = moment
    context.hasNews = true
  }

  /// A peer continues under another address. There is no response under the old one any more: an attempt to
  /// connect there ends, so that others need not wait, and is not counted as a failure.
  @inlinable
  mutating func move(_ place: Int, to address: DeviceAddress, _ context: inout Context) {
    table[place].address = address
    if attempt.isAlive(at: place) { cutAttempt(&context) }
  }

  /// Adds a peer that was heard for the first time, unless it is this device itself under a former address,
  /// or strangers have used up their budget (`StrangerBudget`).
  @inlinable @inline(never)
  mutating func meet(
    _ seen: Introspected, _ address: DeviceAddress, key: IdentityResolvingKey, _ context: inout Context
  ) -> Int? {
    let kind = seen.isHerald ? 1 : 0
    guard strangers.mayCome(table.hash(seen.identity), kind: kind, at: context.now) else {
      context.sink.count(.strangersRefused)
      return nil
    }
    guard !ResolvablePrivateAddress.resolves(address, with: key),
      let place = admit(seen.identity, address, &context)
    else {
      strangers.restoreIdentity(kind)
      return nil
    }
    if seen.peer == .ignored { table[place].state = .neighbour }
    return place
  }

  /// Logs and reports the transmit power that an advertisement shows, if it has changed.
  @inlinable @inline(__always)
  mutating func note(txPower: Int8, of place: Int, _ identity: TargetIdentity, _ context: inout Context) {
    guard txPower != table[place].txPower else { return }
    table[place].txPower = txPower
    context.sink.record(.txPower, of: identity, extra: UInt8(bitPattern: txPower))
    context.sink.delegate.didChangeTxPower(identity, txPower, at: context.now)
  }

  /// Logs and reports one reading.
  @inlinable
  mutating func measure(_ place: Int, _ identity: TargetIdentity, _ rssi: RSSI, _ context: inout Context) {
    guard rssi.isAvailable else {
      context.sink.count(.advertsWithoutStrength)
      return
    }
    table[place].lastRSSI = rssi
    let digest = table[place].payloadDigest
    if digest == 0,
      !strangers.mayKeepReading(
        of: &table[place], number: context.sink.counters[.readings],
        canConnect: context.capabilities.canConnect, at: context.now)
    {
      context.sink.count(.readingsRefused)
      return
    }
    context.sink.count(.readings)
    table[place].readings &+= 1
    context.sink.record(reading: rssi, of: identity)
    context.sink.delegate.didMeasure(identity, rssi, at: context.now)
    if digest != 0 {
      context.sink.delegate.didMeasureWithPayload(identity, rssi, payloadDigest: digest, at: context.now)
    }
  }

  /// Adds a peer that was not known.
  @inlinable
  mutating func admit(_ identity: TargetIdentity, _ address: DeviceAddress, _ context: inout Context) -> Int?
  {
    let evictions = table.evictions
    guard let place = table.insert(identity, address: address, at: context.now) else {
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
    return place
  }

  /// A peer opened a connection while strangers are being refused: its address is genuine, and its
  /// advertisements are not refused.
  @inlinable @inline(never)
  mutating func welcome(_ address: DeviceAddress, _ context: inout Context) {
    guard table.find(address: address, at: context.now) == nil, strangers.mayProve() else { return }
    _ = admit(TargetIdentity(address), address, &context)
  }

  /// Logs how many readings and identities were refused by a budget.
  @inlinable @inline(never)
  mutating func recordUnkept(_ context: inout Context) {
    let count = strangers.takeUnkept()
    if count > 0 { context.sink.record(.dropped(count: count)) }
  }

  /// Removes the targets that have been silent for too long.
  @inlinable @inline(never)
  mutating func ageOut(_ ageing: inout Ageing, _ context: inout Context) {
    ageing.begin(expiry: context.configuration.expiry, at: context.now)
    for place in 0..<table.placesUsed where table.isTaken(place) {
      let isEngaged = table[place].isHeld || table[place].has(Target.awaitsMessageFlag)
      guard ageing.isOver(table[place].silence(at: context.now), isEngaged: isEngaged, at: context.now)
      else { continue }
      let identity = table[place].identity
      table.remove(place)
      context.sink.count(.losses)
      context.sink.record(.lost, of: identity)
      context.sink.delegate.didLose(identity, at: context.now)
    }
  }

  // MARK: Payloads

  /// A payload in a buffer is attributed to a peer from now on: logs and reports it under the peer's
  /// identity.
  @inlinable
  mutating func notePayload(_ place: Int, _ buffer: inout PayloadBuffer, _ context: inout Context) {
    let identity = table[place].identity
    let digest = buffer.digest()
    let isKnown = table.noteMove(of: digest, to: place)
    context.sink.record(.read, of: identity, buffer.all, in: &buffer)
    buffer.report(to: &context.sink.delegate, identity, known: isKnown, at: context.now)
    if isKnown { context.sink.count(.readsOfKnown) }
    listening.notePayload(isNew: !isKnown && table[place].payloadDigest != digest)
    table[place].payloadDigest = digest
    let rssi = table[place].lastRSSI
    if rssi.isAvailable {
      context.sink.delegate.didMeasureWithPayload(identity, rssi, payloadDigest: digest, at: context.now)
    }
  }

  /// A peer's payload is in a buffer: it was read, or written by a peer that cannot be read.
  @inlinable
  mutating func acquirePayload(_ place: Int, _ buffer: inout PayloadBuffer, _ context: inout Context) {
    notePayload(place, &buffer, &context)
    table[place].state = .read
    table[place].failures = 0
    table[place].ignores = 0
    if table[place].system != .iOS {
      table[place].beginRegularity(isDense: isCrowded || listening.room.isPresent)
    }
    if mayShare(place, &context), !own.contains(table[place].payloadDigest) {
      buffer.keep(in: &sharing, of: place, in: &table, at: context.now)
    }
  }

  /// A peer's payload was read, and is in a buffer.
  @inlinable
  mutating func payloadWasRead(_ place: Int, _ buffer: inout PayloadBuffer, _ context: inout Context) {
    context.sink.count(.reads)
    listening.credit(isFlooded: isFlooded(&context))
    if table[place].isStranger { strangers.met(kind: table[place].strangerKind) }
    acquirePayload(place, &buffer, &context)
  }

  /// Whether a target's payload is to be shared: not every device may receive its owner's advertisements
  /// (HP-42).
  @inlinable
  mutating func mayShare(_ place: Int, _ context: inout Context) -> Bool {
    context.configuration.sharesPayloads && (table[place].system == .iOS || table[place].isReceiveOnly)
  }

  // MARK: Peers that are not heard

  /// A peer wrote to this device that is not known to advertise: it cannot, and no connection to it is
  /// attempted.
  @inlinable
  mutating func noteReceiveOnly(_ place: Int) {
    if !table[place].isConnectable { table[place].isReceiveOnly = true }
  }

  /// Adds a peer known only by its payload, if no peer that was heard has to be evicted for it.
  @inlinable
  mutating func admitHearsay(of digest: UInt64, _ context: inout Context) -> Int? {
    table.insertHearsay(.made(&context.random), payloadDigest: digest, at: context.now)
  }

  // MARK: What a connection has shown

  /// The peer's Herald service was found: its state is confirmed.
  @inlinable
  mutating func confirm(_ place: Int, as system: Target.System, _ context: inout Context) {
    if table[place].system != system {
      table[place].system = system
      table[place].told = 0
    }
    table[place].ignores = 0
    if table[place].state != .confirmed, table[place].state != .read {
      table[place].state = .confirmed
      context.sink.record(.heraldDetected, of: table[place].identity)
    }
  }

  /// The peer has no Herald service: starts a back-off, which grows each time.
  @inlinable
  mutating func ignore(_ place: Int, _ context: inout Context) {
    context.sink.count(.withoutService)
    table[place].ignores &+= 1
    table[place].state = .ignored
    table[place].failures = 0
    leaveAlone(
      place, for: HeraldConfiguration.ignoreDelay(ignores: table[place].ignores), &context)
    if table[place].has(Target.awaitsMessageFlag) {
      table[place].set(Target.awaitsMessageFlag, false)
      context.sink.count(.messagesLost)
    }
    table.setOwesWork(place, false)
  }
}
