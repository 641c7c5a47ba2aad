// Where the coordinator and the systems beside Herald meet: what is heard, shown and served. A device without
// neighbours calls none of this.

extension HeraldCore
where
  FlashType: ~Copyable, RandomType: ~Copyable, SupplierType: ~Copyable, DelegateType: ~Copyable
{
  /// The systems beside Herald that this device takes part in.
  @inlinable
  public var neighbours: NeighbourType {
    mutating get { serving.values.neighbours }
    _modify { yield &serving.values.neighbours }
  }

  // MARK: Heard

  // MARK: Served

  // MARK: Shown

  /// Shows and serves what was switched on since the last look, and no longer what was switched off.
  @inlinable
  mutating func switchNeighbours() {
    // Without an address the first rotation is still to come.
    guard serving.values.neighbours.needsChange, advertising.address != .zero else { return }
    showNeighbours(withAddress: false)
  }

  /// Takes new codes, with a new address all of them, and advertises and serves them from the next command to
  /// the radio on. Each is in the log before it is on the air.
  @inlinable @inline(never)
  mutating func showNeighbours(withAddress: Bool) {
    let changed = serving.values.neighbours.change(
      withAddress: withAddress, random: &context.random,
      unixSeconds: context.sink.clock.unixSeconds(at: context.now))
    var set = 1
    while set <= NeighbourType.systems {
      let system = NeighbourType.system(ofSet: set)
      if changed.contains(system) { show(system, set) }
      set &+= 1
    }
    serveNeighbours()
    // Connections of before a new address do not show the new codes, and were dealt with.
    if NeighbourType.Services.changes, !withAddress, changed != NeighbourSystems() {
      serving.services.unindicated |= ~serving.values.former
    }
  }

  /// Serves the codes that are shown, and has the next change come when the first of them ends. Not inlined,
  /// as what makes the codes has a frame of nearly all that one may have.
  @inlinable @inline(never)
  mutating func serveNeighbours() {
    serving.values.neighbours.serve(in: &serving.services)
    let life = serving.values.neighbours.life(from: context.sink.clock.unixSeconds(at: context.now))
    if life != .zero { rotation.noLater(than: context.after(life)) }
  }

  /// Shows the code a system has now, or none.
  @inlinable @inline(never)
  mutating func show(_ system: NeighbourSystem, _ set: Int) {
    guard serving.values.neighbours.shows(system) else {
      advertising.remove(set)
      return
    }
    var bytes: [31 of UInt8] = .init(repeating: 0)
    var buffer = bytes.mutableSpan
    let codeLength = serving.values.neighbours.copyCode(system, into: &buffer)
    serving.recordOwn(system, bytes.span.extracting(0..<codeLength), &context)
    buffer = bytes.mutableSpan
    let length = serving.values.neighbours.advertise(system, into: &buffer)
    advertising.setData(set, bytes.span.extracting(0..<length), scanResponse: bytes.span.extracting(0..<0))
    advertising.setTiming(set, interval: context.advertisingInterval, share: 1, connectable: true)
  }
}
