import HeraldBluetooth
import HeraldHAL

/// Every peer that is being tracked, by its identity: at most `capacity` (up to 16,384), 44 bytes each.
///
/// Looking one up takes a few steps whatever the capacity: an index of slot numbers, half of it empty, is
/// probed from the identity's hash on. The hash is seeded, so that colliding addresses cannot be chosen from
/// outside.
///
/// **When full**, `insert` evicts the peer that has been silent for longest: of those silent for
/// `evictableAfter` first one that owes no work, else of all. But if a quarter of the table is peers that
/// were received in the last second and never before, there is a flood of generated addresses: it then evicts
/// one of these, the one that has been silent for longest. A table of 128 slots or more, which is made for
/// crowds, evicts it only if it has been silent for a second at least, and otherwise does not add the new
/// peer: a crowd that changes its addresses looks like a flood in the first second, and its devices would
/// evict each other. Held peers (an exchange is in progress) are never evicted; if all are held, the new peer
/// is not added.
public struct TargetTable<let capacity: Int>: ~Copyable {
  /// Two positions of the index: slot + 1 of a target, 0 for none.
  struct IndexPair: BitwiseCopyable {
    var even: UInt16
    var odd: UInt16
    init() {
      even = 0
      odd = 0
    }
  }

  var targets: [capacity of Target]
  var index: [capacity of IndexPair]
  /// The first of the free slots, linked through `told`: slot + 1; 0 for none.
  var free: UInt16
  /// How many slots have ever been taken.
  var fresh: UInt16
  /// How many targets there are: 0…`capacity`.
  public internal(set) var count: Int
  /// How many targets were evicted because the table was full. Wraps.
  public internal(set) var evictions: UInt32
  /// The target that was evicted last.
  public internal(set) var evicted: TargetIdentity
  var seed: UInt32

  /// An empty table, all zero bits.
  public init() {
    targets = .init(repeating: .vacant)
    index = .init(repeating: IndexPair())
    free = 0
    fresh = 0
    count = 0
    evictions = 0
    evicted = TargetIdentity(kind: .publicAddress, high: 0, low: 0)
    seed = 0
  }

  /// How long a peer that owes no work must have been silent to be evicted before those that owe work.
  public static var evictableAfter: Interval { .minutes(2) }

  /// Whether it has slots for a crowd (`Crowding`): in smaller tables what serves crowds is compiled out.
  static var isForCrowds: Bool { capacity >= 128 }
  /// Whether it has slots for a room (`RhythmicRoom`): in smaller tables what serves rooms is compiled out.
  static var isForRooms: Bool { capacity >= 64 }

  /// Makes the hash unpredictable. Does nothing unless the table is empty.
  public mutating func setSeed(_ seed: UInt32) {
    if count == 0 { self.seed = seed }
  }

  /// The target at a slot that `find`, `insert` or an iteration has returned.
  public subscript(slot: Int) -> Target {
    mutating get { targets[slot] }
    _modify { yield &targets[slot] }
  }

  /// How many slots have ever been taken: all targets are at slots below this. The contents of a vacant
  /// slot are undefined.
  public var slotsUsed: Int { Int(fresh) }

  // MARK: Index

  var positions: UInt32 { UInt32(truncatingIfNeeded: capacity) &* 2 }

  /// Where the search for an identity begins.
  @inline(never)
  mutating func home(_ identity: TargetIdentity) -> UInt32 { mixed(identity) }

  /// The same, without a call on the path of each advertisement.
  @inline(__always)
  mutating func mixed(_ identity: TargetIdentity) -> UInt32 {
    ((hash(identity) &>> 16) &* positions) &>> 16
  }

  /// A hash of 32 bits of an identity, unpredictable from outside.
  @inline(__always)
  mutating func hash(_ identity: TargetIdentity) -> UInt32 {
    var hash = (identity.low ^ seed) &* 0x9E37_79B1
    hash ^= hash &>> 15
    hash = (hash ^ UInt32(identity.high) ^ UInt32(identity.kind.rawValue) &<< 16) &* 0x85EB_CA6B
    hash ^= hash &>> 13
    return hash &* 0xC2B2_AE35
  }

  @inline(__always)
  mutating func entry(_ position: UInt32) -> UInt16 {
    let pair = Int(truncatingIfNeeded: position &>> 1)
    return position & 1 == 0 ? index[pair].even : index[pair].odd
  }

  @inline(__always)
  mutating func setEntry(_ position: UInt32, _ value: UInt16) {
    let pair = Int(truncatingIfNeeded: position &>> 1)
    if position & 1 == 0 { index[pair].even = value } else { index[pair].odd = value }
  }

  @inline(__always)
  func position(after position: UInt32) -> UInt32 {
    let next = position &+ 1
    return next == positions ? 0 : next
  }

  /// The slot of the target with this identity.
  @inline(never)
  public mutating func find(_ identity: TargetIdentity) -> Int? {
    guard count > 0 else { return nil }
    var position = mixed(identity)
    while true {
      let entry = entry(position)
      guard entry != 0 else { return nil }
      let slot = Int(entry) &- 1
      if targets[slot].has(identity) { return slot }
      position = self.position(after: position)
    }
  }

  mutating func enterIndex(_ slot: Int) {
    var position = home(targets[slot].identity)
    while entry(position) != 0 { position = self.position(after: position) }
    setEntry(position, UInt16(truncatingIfNeeded: slot &+ 1))
  }

  /// Takes a slot out of the index and closes the gap, so that a probe never ends at a hole in a run.
  mutating func leaveIndex(_ slot: Int) {
    var hole = home(targets[slot].identity)
    let wanted = UInt16(truncatingIfNeeded: slot &+ 1)
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

  func distance(from: UInt32, to: UInt32) -> UInt32 { to >= from ? to &- from : to &+ positions &- from }

  // MARK: Marks

  /// Notes that a target was received at `now`.
  @inline(__always)
  public mutating func touch(_ slot: Int, at now: Instant) { targets[slot].seen = now.milliseconds.low32 }

  /// Sets whether a target owes work (see the type).
  public mutating func setOwesWork(_ slot: Int, _ owes: Bool) {
    targets[slot].set(Target.owesWorkFlag, owes)
  }

  /// Holds a target's slot, so that it is neither evicted nor aged out, or releases it.
  public mutating func setHeld(_ slot: Int, _ held: Bool) {
    targets[slot].set(Target.heldFlag, held)
  }

  /// The peer has searched for Herald's service over a connection, and its slot is held.
  mutating func noteSearch(_ slot: Int) {
    targets[slot].showedService = true
    setHeld(slot, true)
  }

  /// Whether a peer is at this slot, which is one of `slotsUsed`.
  public mutating func isTaken(_ slot: Int) -> Bool { targets[slot].has(Target.takenFlag) }

  // MARK: Coming and going

  /// Adds a peer that `find` did not find. `nil` if every slot is held. It owes no work yet.
  public mutating func insert(_ identity: TargetIdentity, address: DeviceAddress, at now: Instant) -> Int? {
    var slot = 0
    if free != 0 {
      slot = Int(free) &- 1
      free = UInt16(truncatingIfNeeded: targets[slot].told)
    } else if Int(fresh) < capacity {
      slot = Int(fresh)
      fresh &+= 1
    } else {
      guard let evicted = evictable(at: now) else { return nil }
      evictions &+= 1
      self.evicted = targets[evicted].identity
      remove(evicted)
      slot = Int(free) &- 1
      free = UInt16(truncatingIfNeeded: targets[slot].told)
    }
    targets[slot] = Target(identity: identity, address: address, at: now)
    count &+= 1
    enterIndex(slot)
    return slot
  }

  /// Removes a target; its slot becomes free.
  public mutating func remove(_ slot: Int) {
    leaveIndex(slot)
    targets[slot] = .vacant
    targets[slot].told = UInt32(free)
    free = UInt16(truncatingIfNeeded: slot &+ 1)
    count &-= 1
  }

  /// The target to evict (see the type). Those that are held or for which a message is pending are skipped.
  /// Searches every target.
  @inline(never)
  mutating func evictable(at now: Instant) -> Int? {
    let engaged = Target.heldFlag | Target.awaitsMessageFlag
    var longest: Int?
    var most: UInt32 = 0
    let second: UInt32 = 1000
    var madeUp: Int?
    var mostOfMadeUp: UInt32 = 0
    var new = 0
    for slot in 0..<Int(fresh) where targets[slot].bits & (engaged | Target.takenFlag) == Target.takenFlag {
      var silence = targets[slot].silence(at: now).milliseconds
      if targets[slot].mayBeMadeUp {
        if silence < second { new &+= 1 }
        if silence >= mostOfMadeUp {
          madeUp = slot
          mostOfMadeUp = silence
        }
      }
      // No target is kept long enough for its silence to have this bit.
      if !targets[slot].owesWork, silence >= Self.evictableAfter.milliseconds { silence |= 1 &<< 31 }
      if silence >= most {
        longest = slot
        most = silence
      }
    }
    guard new &* 4 >= capacity else { return longest }
    return !Self.isForCrowds || mostOfMadeUp >= second ? madeUp : nil
  }

  /// The target that has been silent for longest, of those that are not held and have no pending message.
  public mutating func longestSilent(at now: Instant) -> Int? {
    let engaged = Target.heldFlag | Target.awaitsMessageFlag
    var longest: Int?
    for slot in 0..<Int(fresh) where targets[slot].bits & (engaged | Target.takenFlag) == Target.takenFlag {
      guard let known = longest else {
        longest = slot
        continue
      }
      if targets[slot].silence(at: now) >= targets[known].silence(at: now) { longest = slot }
    }
    return longest
  }

  /// A target other than `slot` whose payload has this digest (not 0). Searches every target: to be called
  /// once per payload read.
  public mutating func find(payloadDigest digest: UInt64, otherThan slot: Int) -> Int? {
    guard digest != 0 else { return nil }
    var candidate = 0
    while candidate < Int(fresh) {
      if candidate != slot, targets[candidate].payloadDigest == digest { return candidate }
      candidate &+= 1
    }
    return nil
  }

  /// The target that was not received but reported with the payload of this digest (not 0). Searches every
  /// target: to be called once per payload shared.
  public mutating func findHearsay(payloadDigest digest: UInt64) -> Int? {
    guard digest != 0 else { return nil }
    var candidate = 0
    while candidate < Int(fresh) {
      if targets[candidate].payloadDigest == digest, targets[candidate].identityKind == .shared {
        return candidate
      }
      candidate &+= 1
    }
    return nil
  }

  /// The target with this address: one that shows a pseudo device address before others, then the most
  /// recently received. Searches every target: to be called once per message written to this device.
  public mutating func find(address: DeviceAddress, at now: Instant) -> Int? {
    guard address != .zero else { return nil }
    var found: Int?
    var isPseudo = false
    var silence = Interval.zero
    var candidate = 0
    while candidate < Int(fresh) {
      if targets[candidate].address == address {
        let shows = targets[candidate].identityKind == .pseudoAddress
        let silent = targets[candidate].silence(at: now)
        if found == nil || (shows == isPseudo ? silent < silence : shows) {
          found = candidate
          isPseudo = shows
          silence = silent
        }
      }
      candidate &+= 1
    }
    return found
  }

  /// Adds a peer that was not received but reported. `nil` if that would evict one that was received, or
  /// reported, in the last five minutes.
  public mutating func insertHearsay(
    _ identity: TargetIdentity, payloadDigest: UInt64, at now: Instant
  ) -> Int? {
    if free == 0, Int(fresh) == capacity {
      guard let evicted = evictable(at: now), targets[evicted].silence(at: now) > SharingStore.expiry
      else { return nil }
    }
    guard let slot = insert(identity, address: .zero, at: now) else { return nil }
    targets[slot].payloadDigest = payloadDigest
    targets[slot].state = .read
    return slot
  }
}
