import HeraldBluetooth
import HeraldHAL

// Records of version 2 of the format, which are only read (docs/log-format.md, section 8).

extension LogModel {
  /// The positions of the probabilities of each decision.
  private enum Version2 {
    static var measured: Int { 0 }  // 3: after a reading, a detection, something else
    static var step: Int { 19 }  // a tree of 5 bits
    static var mediumStep: Int { 51 }  // a tree of 5 bits
    static var longStep: Int { 83 }  // a tree of 5 bits
    static var afterDetection: Int { 115 }  // 1
    static var silence: Int { 116 }  // 4 rhythms of 56 lengths
    static var jump: Int { 340 }  // 4 trees of 4 bits
    static var longJump: Int { 404 }  // a tree of 3 bits
    static var firstRSSI: Int { 412 }  // a tree of 4 bits
    static var direct: Int { 428 }  // 3: after a target that was searched for, one that was not, a detection
    static var known: Int { 431 }  // 1
  }

  /// Decodes a record; the parameters and the result are those of `code`.
  @_lifetime(coder: copy coder)
  mutating func readVersion2(
    _ record: inout LogRecordFields, targets: inout MutableSpan<LogTarget>,
    order: inout MutableSpan<UInt8>, with coder: inout LogBitDecoder
  ) -> Bool {
    let afterDetection = previous == .detection
    if decision(Version2.measured &+ Int(previous.rawValue), 0, &coder) == 0 {
      record.kind = .measured
      previous = .reading
    } else {
      guard let kind = codeKind(.end, &coder) else { return false }
      record.kind = kind
      previous = kind == .detected ? .detection : .other
      if kind == .end { return true }
    }
    record.step = readStep(&coder)
    let (now, overflow) = steps.addingReportingOverflow(record.step)
    guard !overflow else { return false }
    steps = now
    if record.kind.hasTarget {
      let slot = readTarget(
        &record.target, afterDetection: afterDetection, targets: &targets, order: &order, &coder)
      guard slot >= 0 else { return false }
      if record.kind == .measured { readRSSI(&record.rssi, of: &targets[unchecked: slot], &coder) }
      targets[unchecked: slot].seen = UInt16(truncatingIfNeeded: now)
    }
    if record.kind.rawValue >= LogKind.txPower.rawValue { Self.codePlainFields(&record, &coder) }
    record.payload = record.kind.hasBytes ? UInt8(truncatingIfNeeded: Self.inBlocks) : 0
    return true
  }

  /// Steps below 30 in one tree, below 62 in a second, above in a third way.
  @_lifetime(coder: copy coder)
  private mutating func readStep(_ coder: inout LogBitDecoder) -> UInt32 {
    let short = tree(Version2.step, 0, bits: 5, &coder)
    if short < 30 { return short }
    if short == 30 { return 30 &+ tree(Version2.mediumStep, 0, bits: 5, &coder) }
    return unbounded(Version2.longStep, 0, bits: 5, &coder) &+ 62
  }

  /// The length of a silence, in 56 classes.
  private static func silenceClass(_ silence: UInt32) -> Int {
    if silence < 40 { return Int(silence) }
    if silence < 64 { return 40 &+ Int(((silence &- 40) &* 11) &>> 5) }
    if silence >= 768 { return 55 }
    let length = 32 &- silence.leadingZeroBitCount
    let second = (silence &>> UInt32(truncatingIfNeeded: length &- 2)) & 1
    return 48 &+ (length &- 7) &* 2 &+ Int(second)
  }

  /// The target, and its slot in `targets`; afterwards it is the most recent. −1 if the input violates the
  /// format.
  @_lifetime(coder: copy coder)
  private mutating func readTarget(
    _ identity: inout TargetIdentity, afterDetection: Bool, targets: inout MutableSpan<LogTarget>,
    order: inout MutableSpan<UInt8>, _ coder: inout LogBitDecoder
  ) -> Int {
    let context = Version2.direct &+ (afterDetection ? 2 : wasDirect ? 1 : 0)
    wasDirect = decision(context, 0, &coder) != 0
    var rank: Int
    if !wasDirect {
      rank = readRank(afterDetection: afterDetection, &targets, &order, &coder)
    } else if decision(Version2.known, 0, &coder) != 0 {
      rank = Int(Self.plain(0, bits: 6, &coder))
    } else {
      return readNewTarget(&identity, &targets, &order, &coder)
    }
    guard rank < count else { return -1 }
    let slot = Int(order[unchecked: rank])
    identity = targets[unchecked: slot].identity
    bringForward(rank, &order)
    order[unchecked: 0] = UInt8(truncatingIfNeeded: slot)
    return slot
  }

  @_lifetime(coder: copy coder)
  private mutating func readNewTarget(
    _ identity: inout TargetIdentity, _ targets: inout MutableSpan<LogTarget>,
    _ order: inout MutableSpan<UInt8>, _ coder: inout LogBitDecoder
  ) -> Int {
    let rank = count < targets.count ? count : count &- 1
    let slot = count < targets.count ? count : Int(order[unchecked: rank])
    if count < targets.count { count &+= 1 }
    let kind = Self.plain(0, bits: 2, &coder)
    let high = Self.plain(0, bits: 16, &coder)
    let low = Self.plain(0, bits: 32, &coder)
    identity = TargetIdentity(
      kind: TargetIdentity.Kind(rawValue: UInt8(truncatingIfNeeded: kind)) ?? .publicAddress,
      high: UInt16(truncatingIfNeeded: high), low: low)
    targets[unchecked: slot] = LogTarget(
      identity, seen: UInt16(truncatingIfNeeded: steps), slot: slot, spread: 4)
    bringForward(rank, &order)
    order[unchecked: 0] = UInt8(truncatingIfNeeded: slot)
    return slot
  }

  @_lifetime(coder: copy coder)
  private mutating func readRank(
    afterDetection: Bool, _ targets: inout MutableSpan<LogTarget>, _ order: inout MutableSpan<UInt8>,
    _ coder: inout LogBitDecoder
  ) -> Int {
    let now = UInt16(truncatingIfNeeded: steps)
    var rank = 0
    while rank < count {
      let target = targets[unchecked: Int(order[unchecked: rank])]
      let context =
        rank == 0 && afterDetection
        ? Version2.afterDetection
        : Version2.silence &+ Int(target.rhythm) &* 56 &+ Self.silenceClass(UInt32(now &- target.seen))
      if decision(context, 0, &coder) != 0 { return rank }
      rank &+= 1
    }
    return rank
  }

  /// The RSSI, as the difference from the target's last one; for its first reading from the last one of any
  /// target.
  @_lifetime(coder: copy coder)
  private mutating func readRSSI(
    _ rssi: inout Int8, of target: inout LogTarget, _ coder: inout LogBitDecoder
  ) {
    target.noteSilence(UInt16(truncatingIfNeeded: steps) &- target.seen)
    if target.spread < 4 {
      var found = tree(Version2.jump &+ Int(target.spread) &* 16, 0, bits: 4, &coder)
      if found == 15 { found &+= unbounded(Version2.longJump, 0, bits: 3, &coder) }
      let difference = ZigZag.unfolded(found)
      rssi = target.rssi &+ difference
      target.spread = UInt8(truncatingIfNeeded: min(difference.magnitude, 3))
    } else {
      rssi = previousRSSI &+ ZigZag.unfolded(unbounded(Version2.firstRSSI, 0, bits: 4, &coder))
      target.spread = 3
    }
    target.rssi = rssi
    previousRSSI = rssi
  }
}
