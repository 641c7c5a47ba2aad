// What an advertisement brings about: introspection, the table, the log, the delegate.

extension HeraldCore
where
  FlashType: ~Copyable, RandomType: ~Copyable, SupplierType: ~Copyable, DelegateType: ~Copyable
{
  /// One advertisement or scan response was heard. Its strength is logged under the peer's identity if the
  /// peer is or may be a Herald peer (HP-26).
  @inlinable
  public mutating func received(_ report: AdvertisingReport, data: Span<UInt8>, at now: Instant) {
    context.now = now
    context.sink.count(.adverts)
    let seen = context.configuration.introspection.classify(report, data)
    let sighting = values.neighbours.look(at: data)
    let place: Int
    if let known = table.find(seen.identity) {
      place = known
      table.touch(place, at: now)
    } else {
      guard seen.peer != .ignored || sighting.isSomething,
        let new = meet(seen, report.address)
      else { return }
      place = new
      if seen.peer == .ignored { table[place].state = .neighbour }
    }
    if !table[place].isAt(report.address), !move(place, to: report.address) { return }
    guard acquaint(place, seen, report) || sighting.isSomething else { return }
    if let txPower = seen.txPower, txPower != table[place].txPower {
      table[place].txPower = txPower
      context.sink.record(.txPower, of: seen.identity, extra: UInt8(bitPattern: txPower))
      context.sink.delegate.didChangeTxPower(seen.identity, txPower, at: now)
    }
    if NeighbourType.systems > 0 { observe(place, sighting, in: data) }
    measure(place, seen.identity, report.rssi)
  }

  /// A peer goes on under another address. Nobody answers under the old one any more: an attempt to connect
  /// there ends, so that it does not keep others waiting, and is not held against the peer. `false` if the
  /// address is our own.
  @inlinable
  mutating func move(_ place: Int, to address: DeviceAddress) -> Bool {
    guard address != advertising.address else { return false }
    table[place].address = address
    if attempt.isActive, !attempt.isCancelled, Int(attempt.place) == place { cutAttempt() }
    return true
  }

  /// Logs and reports one strength.
  @inlinable
  mutating func measure(_ place: Int, _ identity: TargetIdentity, _ rssi: RSSI) {
    guard rssi.isAvailable else {
      context.sink.count(.advertsWithoutStrength)
      return
    }
    table[place].lastRSSI = rssi
    let digest = table[place].payloadDigest
    if digest == 0, !mayKeepReading(of: place) { return }
    context.sink.count(.readings)
    table[place].readings &+= 1
    context.sink.record(reading: rssi, of: identity)
    context.sink.delegate.didMeasure(identity, rssi, at: context.now)
    if digest != 0 {
      context.sink.delegate.didMeasureWithPayload(identity, rssi, payloadDigest: digest, at: context.now)
    }
  }

  /// Whether a reading of a peer whose payload is not known is kept. One that is not is counted. A radio that
  /// cannot connect gets to know no payload: then all are.
  @inlinable @inline(never)
  mutating func mayKeepReading(of place: Int) -> Bool {
    let isWithinAllowance = table[place].mayKeepReading(
      number: context.sink.counters[.readings], at: context.now)
    if !context.capabilities.canConnect { return true }
    if isWithinAllowance, strangers.mayMeasure(kind: table[place].strangerKind, at: context.now) {
      return true
    }
    context.sink.count(.readingsRefused)
    strangers.unkept &+= 1
    return false
  }

  /// Takes in a peer that was heard for the first time, unless it is this device itself, now or under a
  /// former address, or strangers have used up what they may (`StrangerBudget`).
  @inlinable @inline(never)
  mutating func meet(_ seen: Introspected, _ address: DeviceAddress) -> Int? {
    guard address != advertising.address else { return nil }
    let hash = table.hash(seen.identity)
    guard strangers.mayCome(hash, kind: seen.isHerald ? 1 : 0, at: context.now) else {
      context.sink.count(.strangersRefused)
      return nil
    }
    guard !ResolvablePrivateAddress.resolves(address, with: key) else { return nil }
    return admit(seen.identity, address)
  }

  /// A peer opened a connection while strangers are being refused: its address is not made up, and its
  /// advertisements are not refused.
  @inlinable @inline(never)
  mutating func welcome(_ address: DeviceAddress) {
    guard table.find(address: address, at: context.now) == nil, strangers.mayProve() else { return }
    _ = admit(TargetIdentity(address), address)
  }

  /// Logs how much was not, for want of a budget.
  @inlinable @inline(never)
  mutating func recordUnkept() {
    let count = strangers.unkept
    guard count > 0 else { return }
    strangers.unkept = 0
    context.sink.record(.dropped(count: count))
  }

  /// Takes in a peer that was not known.
  @inlinable
  mutating func admit(_ identity: TargetIdentity, _ address: DeviceAddress) -> Int? {
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

  /// Brings a peer's state up to date with what its advertisement shows. `false` if the peer is one to leave
  /// alone.
  @inlinable
  mutating func acquaint(
    _ place: Int, _ seen: Introspected, _ report: AdvertisingReport
  ) -> Bool {
    if report.kind.contains(.connectable) {
      table[place].isConnectable = true
      if table[place].isReceiveOnly {
        table[place].isReceiveOnly = false
        // What it wrote does not stand for what it serves: anybody could have written it.
        if table[place].state == .read { table[place].state = .confirmed }
      }
    }
    if seen.isHerald, !report.kind.contains(.scanResponse) {
      let takesNobody = !report.kind.contains(.connectable)
      if takesNobody || table[place].has(Target.takesNobodyFlag) { noteTakesNobody(place, takesNobody) }
    }
    switch table[place].state {
    case .read:
      if table[place].owesWork, table[place].retryAt < workAt {
        workAt = table[place].retryAt
        context.hasNews = true
      }
      return true
    case .ignored:
      // It may show a service now that it did not before: an application came to the foreground, or was
      // installed.
      let isNew = seen.isHerald && !table[place].showedService
      guard isNew || context.hasCome(table[place].retryAt) else { return false }
      if isNew { table[place].retryAt = context.now }
      table[place].state = seen.isHerald ? .advertised : .candidate
    case .candidate:
      if seen.isHerald { table[place].state = .advertised }
    case .neighbour:
      // One that may hide Herald is asked about it when its codes are next to be read.
      let isDue = !table[place].codeIsRead || context.hasCome(table[place].retryAt)
      guard seen.isHerald || (seen.peer != .ignored && isDue) else { return true }
      // That its codes were read a while ago, or could not be, says nothing about its payload.
      if seen.isHerald, !table[place].showedService { table[place].retryAt = context.now }
      table[place].state = seen.isHerald ? .advertised : .candidate
    case .advertised, .confirmed: break
    }
    if seen.isHerald { table[place].showedService = true }
    if table[place].isConnectable {
      table.setOwesWork(place, true)
      let retryAt = table[place].retryAt
      if retryAt < workAt {
        workAt = retryAt
        context.hasNews = true
      }
    }
    return true
  }
}
