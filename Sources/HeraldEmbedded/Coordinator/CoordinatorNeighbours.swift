// Where the coordinator and the systems beside Herald meet: what is heard, shown and served. A device without
// neighbours calls none of this.

extension HeraldCore
where
  FlashType: ~Copyable, RandomType: ~Copyable, SupplierType: ~Copyable, DelegateType: ~Copyable
{
  /// The systems beside Herald that this device takes part in.
  @inlinable
  public var neighbours: NeighbourType {
    mutating get { values.neighbours }
    _modify { yield &values.neighbours }
  }

  // MARK: Heard

  /// An advertisement shows a code, or that there is one to be read. A code is logged when it is another than
  /// the peer's last.
  @inlinable
  mutating func observe(
    _ place: Int, _ sighting: NeighbourSighting, in data: Span<UInt8>
  ) {
    let start = Int(sighting.numberStart)
    if start > 0, start &+ 16 <= data.count {
      let number = data.extracting(start..<(start &+ 16))
      if peers.table[place].isNew(number: number) { take(number: number, place) }
    }
    if sighting.hasHiddenCode { peers.owe(place, &context) }
  }

  /// Logs a number that a peer advertises, unless the peer, or all of them, have shown too many; then it is
  /// looked at again when it is heard again.
  @inlinable
  mutating func take(number: Span<UInt8>, _ place: Int) {
    guard peers.table[place].mayShowNumber(at: context.now), values.mayHear(at: context.now) else {
      context.sink.count(.signalsDropped)
      return
    }
    values.heardBudget.spend(26)
    peers.table[place].note(number: number, at: context.now)
    keepCode(place, .covidWatch, number)
  }

  /// Logs and reports a code of a peer's.
  @inlinable @inline(never)
  mutating func keepCode(_ place: Int, _ system: NeighbourSystem, _ code: Span<UInt8>) {
    let identity = peers.table[place].identity
    context.sink.record(.neighbour(identity, system), bytes: code)
    context.sink.delegate.didObserve(identity, system, code, at: context.now)
  }

  // MARK: Served

  /// What a request brought about: a number of ours that the peer is given is logged before it leaves; a code
  /// that the peer wrote is logged as the peer's, and the strength with it.
  @inlinable
  mutating func noteNeighbours(_ index: Int) {
    while true {
      let news = values.neighbours.takeNews(random: &context.random)
      switch news.kind {
      case .nothing: return
      case .served:
        values.spendServed(22, index)
        recordOwn(news.system, news.code.span.extracting(0..<Int(news.length)))
      case .observed:
        if let place = mayWrite(index, Int(news.length)) {
          keepCode(place, news.system, news.code.span.extracting(0..<Int(news.length)))
          if news.rssi.isAvailable { noteWritten(news.rssi, by: place, index) }
        }
      }
    }
  }

  /// The place of a peer that wrote a code of so many bytes, if they may go to the log. This and the next
  /// have frames of their own: what they call would otherwise add up to one that is too large.
  @inlinable @inline(never)
  mutating func mayWrite(_ index: Int, _ length: Int) -> Int? {
    guard values.mayAct(index) else {
      context.sink.count(.signalsDropped)
      return nil
    }
    guard let place = writer(index) else { return nil }
    values.spend(8 &+ length, index)
    return place
  }

  @inlinable @inline(never)
  mutating func noteWritten(_ rssi: RSSI, by place: Int, _ index: Int) {
    measure(writer: place, rssi, index)
  }

  @inlinable @inline(never)
  mutating func recordOwn(_ system: NeighbourSystem, _ code: Span<UInt8>) {
    context.sink.record(.ownNeighbour(system), bytes: code)
  }

  // MARK: Shown

  /// Shows and serves what was switched on since the last look, and no longer what was switched off.
  @inlinable
  mutating func switchNeighbours() {
    // Without an address the first rotation is still to come.
    guard values.neighbours.needsChange, advertising.address != .zero else { return }
    showNeighbours(withAddress: false)
  }

  /// Takes new codes, with a new address all of them, and advertises and serves them from the next command to
  /// the radio on. Each is in the log before it is on the air.
  @inlinable @inline(never)
  mutating func showNeighbours(withAddress: Bool) {
    let changed = values.neighbours.change(
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
      services.unindicated |= ~values.former
    }
  }

  /// Serves the codes that are shown, and has the next change come when the first of them ends. Not inlined,
  /// as what makes the codes has a frame of nearly all that one may have.
  @inlinable @inline(never)
  mutating func serveNeighbours() {
    values.neighbours.serve(in: &services)
    let life = values.neighbours.life(from: context.sink.clock.unixSeconds(at: context.now))
    if life != .zero { rotation.noLater(than: context.after(life)) }
  }

  /// Shows the code a system has now, or none.
  @inlinable @inline(never)
  mutating func show(_ system: NeighbourSystem, _ set: Int) {
    guard values.neighbours.shows(system) else {
      advertising.remove(set)
      return
    }
    var bytes: [31 of UInt8] = .init(repeating: 0)
    var buffer = bytes.mutableSpan
    let codeLength = values.neighbours.copyCode(system, into: &buffer)
    recordOwn(system, bytes.span.extracting(0..<codeLength))
    buffer = bytes.mutableSpan
    let length = values.neighbours.advertise(system, into: &buffer)
    advertising.setData(set, bytes.span.extracting(0..<length), scanResponse: bytes.span.extracting(0..<0))
    advertising.setTiming(set, interval: context.advertisingInterval, share: 1, connectable: true)
  }
}
