/// Every peer that is being tracked, by its identity: at most `capacity` (up to 16,384), 60 bytes each.
///
/// Looking one up takes a few steps whatever the capacity: an index of place numbers, half of it empty, is probed from
/// the identity's hash on. The hash is seeded, so that nobody outside can choose addresses that collide.
///
/// **When full**, `insert` evicts. The choice is the least recently heard peer that owes no work; but if even that one
/// was heard within the last `patience` and a peer that owes work has been silent for longer, then the latter. So a flood
/// of made-up addresses, each heard once, evicts its own kind: a peer that goes on advertising is always more recent than
/// the flood's oldest. Held peers (an exchange is in progress) are never evicted; if all are held, the newcomer is not
/// taken in.
public struct TargetTable<let capacity: Int>: ~Copyable {
  /// Two positions of the index: place + 1 of a target, 0 for none.
  @usableFromInline
  struct IndexPair: BitwiseCopyable {
    @usableFromInline var even: UInt16
    @usableFromInline var odd: UInt16
    @usableFromInline init() {
      even = 0
      odd = 0
    }
  }

  /// A list of places ordered by when their targets were last heard; place + 1, 0 for none.
  @usableFromInline
  struct Order: BitwiseCopyable {
    @usableFromInline var newest: UInt16
    @usableFromInline var oldest: UInt16
    @usableFromInline init() {
      newest = 0
      oldest = 0
    }
  }

  @usableFromInline var targets: [capacity of Target]
  @usableFromInline var index: [capacity of IndexPair]
  /// Those that owe no work, and those that do.
  @usableFromInline var idle: Order
  @usableFromInline var owing: Order
  /// The first of the places that were given back, chained by `older`; 0 for none.
  @usableFromInline var free: UInt16
  /// How many places have ever been taken.
  @usableFromInline var fresh: UInt16
  /// How many targets there are: 0…`capacity`.
  public internal(set) var count: Int
  /// How many targets were evicted for want of room. Wraps.
  public internal(set) var evictions: UInt32
  /// The one that was evicted last.
  public internal(set) var evicted: TargetIdentity
  @usableFromInline var seed: UInt32

  /// An empty table, all zero bits.
  public init() {
    targets = .init(repeating: .vacant)
    index = .init(repeating: IndexPair())
    idle = Order()
    owing = Order()
    free = 0
    fresh = 0
    count = 0
    evictions = 0
    evicted = TargetIdentity(kind: .publicAddress, high: 0, low: 0)
    seed = 0
  }

  /// How long ago a peer that owes no work must have been heard to be evicted ahead of one that owes work.
  public static var patience: Interval { .seconds(30) }

  /// Makes the hash unpredictable. Does nothing unless the table is empty.
  public mutating func setSeed(_ seed: UInt32) {
    if count == 0 { self.seed = seed }
  }

  /// The target at a place that `find`, `insert` or an iteration has given.
  @inlinable
  public subscript(place: Int) -> Target {
    mutating get { targets[place] }
    _modify { yield &targets[place] }
  }

  /// How many places have ever been taken: all targets are at places below this. What is at a vacant one says nothing.
  @inlinable
  public var placesUsed: Int { Int(fresh) }

  // MARK: Index

  @inlinable
  var positions: UInt32 { UInt32(truncatingIfNeeded: capacity) &* 2 }

  @inlinable
  mutating func home(_ identity: TargetIdentity) -> UInt32 {
    var hash = (identity.low ^ seed) &* 0x9E37_79B1
    hash ^= hash &>> 15
    hash = (hash ^ UInt32(identity.high) ^ UInt32(identity.kind.rawValue) &<< 16) &* 0x85EB_CA6B
    hash ^= hash &>> 13
    hash = hash &* 0xC2B2_AE35
    return ((hash &>> 16) &* positions) &>> 16
  }

  @inlinable @inline(__always)
  mutating func entry(_ position: UInt32) -> UInt16 {
    let pair = Int(truncatingIfNeeded: position &>> 1)
    return position & 1 == 0 ? index[pair].even : index[pair].odd
  }

  @inlinable @inline(__always)
  mutating func setEntry(_ position: UInt32, _ value: UInt16) {
    let pair = Int(truncatingIfNeeded: position &>> 1)
    if position & 1 == 0 { index[pair].even = value } else { index[pair].odd = value }
  }

  @inlinable @inline(__always)
  func position(after position: UInt32) -> UInt32 {
    let next = position &+ 1
    return next == positions ? 0 : next
  }

  /// The place of the target with this identity.
  @inlinable @inline(never)
  public mutating func find(_ identity: TargetIdentity) -> Int? {
    guard count > 0 else { return nil }
    var position = home(identity)
    while true {
      let entry = entry(position)
      guard entry != 0 else { return nil }
      let place = Int(entry) &- 1
      if targets[place].identity == identity { return place }
      position = self.position(after: position)
    }
  }

  @inlinable
  mutating func enterIndex(_ place: Int) {
    var position = home(targets[place].identity)
    while entry(position) != 0 { position = self.position(after: position) }
    setEntry(position, UInt16(truncatingIfNeeded: place &+ 1))
  }

  /// Takes a place out of the index and closes the gap, so that a probe never meets a hole in a run.
  @inlinable
  mutating func leaveIndex(_ place: Int) {
    var hole = home(targets[place].identity)
    let wanted = UInt16(truncatingIfNeeded: place &+ 1)
    while entry(hole) != wanted {
      guard entry(hole) != 0 else { return }
      hole = position(after: hole)
    }
    var probe = hole
    while true {
      probe = position(after: probe)
      let candidate = entry(probe)
      guard candidate != 0 else { break }
      let home = home(targets[Int(candidate) &- 1].identity)
      if distance(from: home, to: probe) >= distance(from: hole, to: probe) {
        setEntry(hole, candidate)
        hole = probe
      }
    }
    setEntry(hole, 0)
  }

  @inlinable
  func distance(from: UInt32, to: UInt32) -> UInt32 { to >= from ? to &- from : to &+ positions &- from }

  // MARK: Order

  @inlinable
  mutating func unlink(_ place: Int) {
    let newer = targets[place].newer
    let older = targets[place].older
    if newer != 0 { targets[Int(newer) &- 1].older = older }
    if older != 0 { targets[Int(older) &- 1].newer = newer }
    let link = UInt16(truncatingIfNeeded: place &+ 1)
    if targets[place].flags & Target.owesWorkFlag != 0 {
      if owing.newest == link { owing.newest = older }
      if owing.oldest == link { owing.oldest = newer }
    } else {
      if idle.newest == link { idle.newest = older }
      if idle.oldest == link { idle.oldest = newer }
    }
  }

  /// Puts a place where its `lastSeen` belongs: at the newest end, except when a target changes lists.
  @inlinable
  mutating func link(_ place: Int) {
    let owes = targets[place].flags & Target.owesWorkFlag != 0
    var older = owes ? owing.newest : idle.newest
    var newer: UInt16 = 0
    while older != 0, targets[Int(older) &- 1].lastSeen > targets[place].lastSeen {
      newer = older
      older = targets[Int(older) &- 1].older
    }
    let link = UInt16(truncatingIfNeeded: place &+ 1)
    targets[place].newer = newer
    targets[place].older = older
    if newer != 0 {
      targets[Int(newer) &- 1].older = link
    } else if owes {
      owing.newest = link
    } else {
      idle.newest = link
    }
    if older != 0 {
      targets[Int(older) &- 1].newer = link
    } else if owes {
      owing.oldest = link
    } else {
      idle.oldest = link
    }
  }

  /// Notes that a target was heard at `now`.
  @inlinable
  public mutating func touch(_ place: Int, at now: Instant) {
    guard targets[place].newer != 0 else {
      targets[place].lastSeen = now  // already the most recent of its list
      return
    }
    unlink(place)
    targets[place].lastSeen = now
    link(place)
  }

  /// Says whether a target owes work (see the type).
  @inlinable
  public mutating func setOwesWork(_ place: Int, _ owes: Bool) {
    guard (targets[place].flags & Target.owesWorkFlag != 0) != owes else { return }
    unlink(place)
    targets[place].flags ^= Target.owesWorkFlag
    link(place)
  }

  /// Holds a target's place, so that it is neither evicted nor aged out, or lets it go.
  @inlinable
  public mutating func setHeld(_ place: Int, _ held: Bool) {
    if held {
      targets[place].flags |= Target.heldFlag
    } else {
      targets[place].flags &= ~Target.heldFlag
    }
  }

  /// The most recently heard target that owes work.
  @inlinable
  public var newestOwing: Int? { owing.newest == 0 ? nil : Int(owing.newest) &- 1 }

  /// The next in the direction of those heard longer ago, in the same list.
  @inlinable
  public mutating func older(than place: Int) -> Int? {
    let older = targets[place].older
    return older == 0 ? nil : Int(older) &- 1
  }

  // MARK: Coming and going

  /// Takes in a peer that `find` did not find. `nil` if every place is held. It owes no work yet.
  public mutating func insert(_ identity: TargetIdentity, address: DeviceAddress, at now: Instant) -> Int? {
    var place = 0
    if free != 0 {
      place = Int(free) &- 1
      free = targets[place].older
    } else if Int(fresh) < capacity {
      place = Int(fresh)
      fresh &+= 1
    } else {
      guard let evicted = evictable(at: now) else { return nil }
      evictions &+= 1
      self.evicted = targets[evicted].identity
      remove(evicted)
      place = Int(free) &- 1
      free = targets[place].older
    }
    targets[place] = Target(identity: identity, address: address, at: now)
    count &+= 1
    enterIndex(place)
    link(place)
    return place
  }

  /// Forgets a target; its place becomes free.
  public mutating func remove(_ place: Int) {
    unlink(place)
    leaveIndex(place)
    targets[place] = .vacant
    targets[place].older = free
    free = UInt16(truncatingIfNeeded: place &+ 1)
    count &-= 1
  }

  /// The least recently heard target of a list that is not held. At most as many are passed over as there are held ones.
  mutating func oldestNotHeld(_ order: Order) -> Int? {
    var link = order.oldest
    while link != 0 {
      let place = Int(link) &- 1
      if targets[place].flags & (Target.heldFlag | Target.awaitsMessageFlag) == 0 { return place }
      link = targets[place].newer
    }
    return nil
  }

  mutating func evictable(at now: Instant) -> Int? {
    guard let idle = oldestNotHeld(idle) else { return oldestNotHeld(owing) }
    guard let owing = oldestNotHeld(owing) else { return idle }
    let idleSeen = targets[idle].lastSeen
    if now.since(idleSeen) >= Self.patience || idleSeen <= targets[owing].lastSeen { return idle }
    return owing
  }

  /// The target that is not held and has been silent for longest.
  public var longestSilent: Int? {
    mutating get {
      let idle = oldestNotHeld(idle)
      let owing = oldestNotHeld(owing)
      guard let idle else { return owing }
      guard let owing else { return idle }
      return targets[idle].lastSeen <= targets[owing].lastSeen ? idle : owing
    }
  }

  /// A target other than `place` whose payload has this digest (not 0). Looks at every target: for once per payload read.
  public mutating func find(payloadDigest digest: UInt64, otherThan place: Int) -> Int? {
    guard digest != 0 else { return nil }
    var candidate = 0
    while candidate < Int(fresh) {
      if candidate != place, targets[candidate].payloadDigest == digest { return candidate }
      candidate &+= 1
    }
    return nil
  }

  /// The target that nobody has heard but somebody told of with the payload of this digest (not 0). Looks at every target: for once per
  /// payload passed on.
  public mutating func findHearsay(payloadDigest digest: UInt64) -> Int? {
    guard digest != 0 else { return nil }
    var candidate = 0
    while candidate < Int(fresh) {
      if targets[candidate].payloadDigest == digest, targets[candidate].identity.kind == .shared {
        return candidate
      }
      candidate &+= 1
    }
    return nil
  }

  /// The target whose address this is: one that shows a pseudo device address ahead of others, then the most recently heard. Looks at every
  /// target: for once per message written to us.
  public mutating func find(address: DeviceAddress) -> Int? {
    guard address != .zero else { return nil }
    var found: Int?
    var isPseudo = false
    var seen = Instant.start
    var candidate = 0
    while candidate < Int(fresh) {
      if targets[candidate].address == address {
        let shows = targets[candidate].identity.kind == .pseudoAddress
        let lastSeen = targets[candidate].lastSeen
        if found == nil || (shows == isPseudo ? lastSeen > seen : shows) {
          found = candidate
          isPseudo = shows
          seen = lastSeen
        }
      }
      candidate &+= 1
    }
    return found
  }

  /// Takes in a peer that nobody has heard, but somebody told of. `nil` if that would cost one that was heard, or told of, in the last
  /// five minutes.
  public mutating func insertHearsay(_ identity: TargetIdentity, at now: Instant) -> Int? {
    if free == 0, Int(fresh) == capacity {
      guard let evicted = evictable(at: now), now.since(targets[evicted].lastSeen) > SharingStore.expiry
      else { return nil }
    }
    return insert(identity, address: .zero, at: now)
  }
}
