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
    let sighting = serving.values.neighbours.look(at: data)
    let place: Int
    if let known = peers.table.find(seen.identity) {
      place = known
      peers.table.touch(place, at: now)
    } else {
      guard seen.peer != .ignored || sighting.isSomething,
        let new = meet(seen, report.address)
      else { return }
      place = new
      if seen.peer == .ignored { peers.table[place].state = .neighbour }
    }
    if !peers.table[place].isAt(report.address) {
      guard report.address != presence.advertising.address else { return }  // our own
      peers.move(place, to: report.address, &context)
    }
    guard peers.acquaint(place, seen, report, &context) || sighting.isSomething else { return }
    if let txPower = seen.txPower, txPower != peers.table[place].txPower {
      peers.table[place].txPower = txPower
      context.sink.record(.txPower, of: seen.identity, extra: UInt8(bitPattern: txPower))
      context.sink.delegate.didChangeTxPower(seen.identity, txPower, at: now)
    }
    if NeighbourType.systems > 0 { serving.observe(place, sighting, in: data, &peers, &context) }
    peers.measure(place, seen.identity, report.rssi, &context)
  }

  /// Takes in a peer that was heard for the first time, unless it is this device itself, now or under a
  /// former address, or strangers have used up what they may (`StrangerBudget`).
  @inlinable @inline(never)
  mutating func meet(_ seen: Introspected, _ address: DeviceAddress) -> Int? {
    guard address != presence.advertising.address else { return nil }
    let hash = peers.table.hash(seen.identity)
    guard peers.strangers.mayCome(hash, kind: seen.isHerald ? 1 : 0, at: context.now) else {
      context.sink.count(.strangersRefused)
      return nil
    }
    guard !ResolvablePrivateAddress.resolves(address, with: presence.key) else { return nil }
    return peers.admit(seen.identity, address, &context)
  }
}
