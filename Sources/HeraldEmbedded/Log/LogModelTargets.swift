import HeraldBluetooth
import HeraldHAL

// How a record's target is coded.

extension LogModel {
  /// The length of a silence, in 52 classes: exact below 400 ms, then increasingly coarse.
  @inline(__always)
  private static func silenceClass(_ silence: UInt32) -> Int {
    if silence < 40 { return Int(silence) }
    if silence < 64 { return 40 &+ Int(((silence &- 40) &* 43) &>> 8) }
    if silence >= 768 { return 51 }
    let length = 32 &- silence.leadingZeroBitCount
    let second = (silence &>> UInt32(truncatingIfNeeded: length &- 2)) & 1
    return 44 &+ (length &- 7) &* 2 &+ Int(second)
  }

  /// The target, and its slot in `targets`; afterwards it is the most recent. −1 if the input violates the
  /// format.
  @_lifetime(coder: copy coder)
  @inline(__always)
  mutating func codeTarget<C: LogBitCoder & ~Copyable & ~Escapable>(
    _ record: inout LogRecordFields, afterDetection: Bool, targets: inout MutableSpan<LogTarget>,
    order: inout MutableSpan<UInt8>, _ coder: inout C
  ) -> Int {
    let kind = record.kind
    // A writer has the target's position in the list. A reader does not: the value found here is not used.
    var rank = C.reads ? 64 : rank(of: record.target, &targets, &order)
    let context = kind == .measured ? (afterDetection ? 2 : wasDirect ? 1 : 0) : kind == .detected ? 3 : 4
    let isSearched = (kind == .lost && rank < count ? count &- 1 &- rank : rank) < Self.searched
    wasDirect = decision(Context.direct &+ context, isSearched ? 0 : 1, &coder) != 0
    var isKnown = true
    if wasDirect {
      let known = Context.known &+ max(context &- 2, 0)
      isKnown = decision(known, rank < count ? 1 : 0, &coder) != 0
      if isKnown { rank = Int(Self.plain(UInt32(truncatingIfNeeded: rank), bits: 6, &coder)) }
    } else if kind == .lost {
      rank = searchFromEnd(rank, &coder)
    } else {
      rank = search(rank, afterDetection: afterDetection, &targets, &order, &coder)
    }
    let slot: Int
    if isKnown {
      guard rank < count else { return -1 }
      slot = Int(order[unchecked: rank])
      if C.reads { record.target = targets[unchecked: slot].identity }
    } else {
      // When full, the least recent is replaced.
      rank = count < targets.count ? count : count &- 1
      slot = count < targets.count ? count : Int(order[unchecked: rank])
      if count < targets.count { count &+= 1 }
      defineTarget(&record.target, &coder)
      targets[unchecked: slot] = LogTarget(
        record.target, seen: UInt16(truncatingIfNeeded: steps), slot: slot)
    }
    if rank > 0 {
      targets[unchecked: Int(order[unchecked: 0])].next = slot
      bringForward(rank, &order)
    }
    order[unchecked: 0] = UInt8(truncatingIfNeeded: slot)
    return slot
  }

  /// Makes room at the front of the list for the target at `rank`.
  @inline(__always)
  func bringForward(_ rank: Int, _ order: inout MutableSpan<UInt8>) {
    var rank = rank
    while rank > 0 {
      order[unchecked: rank] = order[unchecked: rank &- 1]
      rank &-= 1
    }
  }

  /// How many targets of the list are coded by a decision each. Beyond, a number takes less time, and not
  /// more flash on recordings.
  private static var searched: Int { 32 }

  /// The position of a target in the list; a number of at least `searched` and `count` if it is not in it.
  @inline(__always)
  private mutating func rank(
    of identity: TargetIdentity, _ targets: inout MutableSpan<LogTarget>, _ order: inout MutableSpan<UInt8>
  ) -> Int {
    var rank = 0
    while rank < count {
      if targets[unchecked: Int(order[unchecked: rank])].is(identity) { return rank }
      rank &+= 1
    }
    return 64
  }

  /// Codes for one target after another whether it is the one, and returns its position. The first is the one
  /// that followed the most recent last time, if there is one; the last needs no decision.
  @_lifetime(coder: copy coder)
  @inline(__always)
  private mutating func search<C: LogBitCoder & ~Copyable & ~Escapable>(
    _ wanted: Int, afterDetection: Bool, _ targets: inout MutableSpan<LogTarget>,
    _ order: inout MutableSpan<UInt8>, _ coder: inout C
  ) -> Int {
    guard count > 1 else { return 0 }
    let follower = follower(&targets, &order)
    // The contexts of the first candidate's rank come before those of the others.
    var base = Context.rank
    if follower < count {
      if isTarget(
        follower, wanted, base, afterDetection: afterDetection, &targets, &order, &coder)
      {
        return follower
      }
      base = Context.rank &+ 24
    }
    let last = follower == count &- 1 ? count &- 2 : count &- 1
    var rank = 0
    while rank < last {
      if rank != follower {
        if isTarget(rank, wanted, base, afterDetection: afterDetection, &targets, &order, &coder) {
          return rank
        }
        base = Context.rank &+ 24
      }
      rank &+= 1
    }
    return rank
  }

  /// The position of the target that followed the most recent one last time; `count` if there is none.
  @inline(__always)
  private mutating func follower(
    _ targets: inout MutableSpan<LogTarget>, _ order: inout MutableSpan<UInt8>
  ) -> Int {
    let last = Int(order[unchecked: 0])
    let next = targets[unchecked: last].next
    if next == last { return count }
    var rank = 1
    while rank < count, Int(order[unchecked: rank]) != next { rank &+= 1 }
    return rank
  }

  @_lifetime(coder: copy coder)
  @inline(__always)
  private mutating func isTarget<C: LogBitCoder & ~Copyable & ~Escapable>(
    _ rank: Int, _ wanted: Int, _ base: Int, afterDetection: Bool,
    _ targets: inout MutableSpan<LogTarget>, _ order: inout MutableSpan<UInt8>, _ coder: inout C
  ) -> Bool {
    let target = targets[unchecked: Int(order[unchecked: rank])]
    let silence = UInt16(truncatingIfNeeded: steps) &- target.seen
    let context =
      rank == 0 && afterDetection
      ? Context.afterDetection
      : Context.silence &+ Int(target.rhythm) &* 52 &+ Self.silenceClass(UInt32(silence))
    return mixed(context, base &+ min(rank, 23), rank == wanted ? 1 : 0, &coder) != 0
  }

  /// The same for a target that was lost, from the least recent on.
  @_lifetime(coder: copy coder)
  @inline(never)
  private mutating func searchFromEnd<C: LogBitCoder & ~Copyable & ~Escapable>(
    _ wanted: Int, _ coder: inout C
  ) -> Int {
    var rank = count &- 1
    var context = Context.lost
    while rank > 0 {
      if decision(context, rank == wanted ? 1 : 0, &coder) != 0 { return rank }
      context = min(context &+ 1, Context.lost &+ 3)
      rank &-= 1
    }
    return 0
  }

  /// The identity of a target that is not in the list.
  @_lifetime(coder: copy coder)
  @inline(never)
  private mutating func defineTarget<C: LogBitCoder & ~Copyable & ~Escapable>(
    _ identity: inout TargetIdentity, _ coder: inout C
  ) {
    let kind = tree(Context.addressKind, UInt32(identity.kind.rawValue), bits: 2, &coder)
    let top = tree(Context.addressTop, UInt32(identity.high &>> 14), bits: 2, &coder)
    let high = Self.plain(UInt32(identity.high), bits: 14, &coder)
    let low = Self.plain(identity.low, bits: 32, &coder)
    identity = TargetIdentity(
      kind: TargetIdentity.Kind(rawValue: UInt8(truncatingIfNeeded: kind)) ?? .publicAddress,
      high: UInt16(truncatingIfNeeded: top &<< 14 | high), low: low)
  }
}
