import HeraldBluetooth
import HeraldHAL

/// The model that makes records small: adaptive probabilities for the kind of a record, the time since the
/// one before, its target, and the difference of its RSSI from that target's last. Reset with each page.
///
/// The target is coded in the order of recency, one decision each: "is it this one?", given how long that
/// target has been silent and the rhythm of its readings. Phones advertise at fixed intervals, so the silence
/// carries most of the information. A target far down the list, or not in it, is coded by its number or its
/// identity instead, as one decision for each before it would take long.
///
/// Every method is `mutating` or static: a borrow would copy all probabilities to the stack
/// (docs/architecture.md).
@usableFromInline
struct LogModel: ~Copyable {
  /// Upper 12 bits: the probability of a 1. Lower 4 bits: the number of adaptations at an increased rate that
  /// remain, 0 for most probabilities.
  private var probabilities: [432 of UInt16]
  /// Steps of 10 ms since the segment began.
  @usableFromInline var steps: UInt32
  /// How many targets are known.
  private var count: Int
  /// The kind of the record before, as context for the decision whether a record is a reading.
  private var previous: Previous
  private var previousRSSI: Int8
  /// Whether the last target was coded without a search.
  private var wasDirect: Bool

  /// To be `reset` before anything is coded; until then it is all zero bits.
  @inline(__always)
  @usableFromInline
  init() {
    probabilities = .init(repeating: 0)
    steps = 0
    count = 0
    previous = .reading
    previousRSSI = 0
    wasDirect = false
  }

  /// The kind of a record: a context each.
  private enum Previous: UInt8 {
    case reading = 0
    case detection = 1
    case other = 2
  }

  /// Discards everything, as at the start of a segment.
  @usableFromInline
  mutating func reset() {
    for index in 0..<Context.count { probabilities[unchecked: index] = Self.newborn }
    steps = 0
    count = 0
    previous = .other
    previousRSSI = 0
    wasDirect = false
  }

  // MARK: Decisions

  /// One half, never adapted.
  private static var newborn: UInt16 { 0x800F }

  /// One decision, coded with its probability, which is then adapted towards it: fast at first, slowly later.
  ///
  /// A record is a dozen of these, and they are a third of the time that an advertisement takes: rare cases
  /// are handled elsewhere.
  @inline(__always)
  @_lifetime(coder: copy coder)
  private mutating func bit<C: LogBitCoder & ~Copyable & ~Escapable>(
    _ context: Int, _ value: UInt32, _ coder: inout C, _ interval: inout LogInterval
  ) -> UInt32 {
    let state = UInt32(probabilities[unchecked: context])
    var chance = state &>> 4
    let split = interval.split(chance: chance)
    let bit = coder.decide(value, interval, split: split)
    // An old one is adapted by 1/32 of the difference.
    if bit != 0 {
      interval.keepLower(split)
      // The same as adding (4096 − chance) / 32, without large constants, which the smallest cores have to
      // load.
      chance = chance &- (chance &+ 31) &>> 5 &+ 128
    } else {
      interval.keepUpper(split)
      chance = chance &- chance &>> 5
    }
    var moved = chance &<< 4
    if state & 15 != 0 { moved = Self.grown(state, bit) }
    probabilities[unchecked: context] = UInt16(truncatingIfNeeded: moved)
    if interval.isNarrow { interval = coder.settle(interval) }
    return bit
  }

  /// A probability that is not old yet, adapted towards `bit`.
  @inline(never)
  private static func grown(_ state: UInt32, _ bit: UInt32) -> UInt32 {
    let chance = state &>> 4
    let young = state & 15
    // The rate of adaptation, by the number of remaining adaptations: 9 × 1/16, 3 × 1/8, 2 × 1/4, at first
    // 1/2; a nibble each.
    let shift = ((young < 8 ? 0x4444_4440 : 0x1223_3344) &>> ((young & 7) &* 4)) & 15
    let moved = bit != 0 ? chance &+ ((4096 &- chance) &>> shift) : chance &- (chance &>> shift)
    return moved &<< 4 | (young &- 1)
  }

  /// A number of `bits` bits, 1…31, most significant first, each with its own probability, given the bits
  /// before it.
  @inline(never)
  @_lifetime(coder: copy coder)
  private mutating func tree<C: LogBitCoder & ~Copyable & ~Escapable>(
    _ context: Int, _ value: UInt32, bits: UInt32, _ coder: inout C
  ) -> UInt32 {
    var interval = coder.interval
    var node: UInt32 = 1
    let end: UInt32 = 1 &<< bits
    // Its next bit is the top bit.
    var rest = value &<< (32 &- bits)
    while node < end {
      node = node &<< 1 | bit(context &+ Int(truncatingIfNeeded: node), rest &>> 31, &coder, &interval)
      rest = rest &<< 1
    }
    coder.interval = interval
    return node &- end
  }

  /// One decision.
  @inline(never)
  @_lifetime(coder: copy coder)
  private mutating func decision<C: LogBitCoder & ~Copyable & ~Escapable>(
    _ context: Int, _ value: UInt32, _ coder: inout C
  ) -> UInt32 {
    var interval = coder.interval
    let bit = bit(context, value, &coder, &interval)
    coder.interval = interval
    return bit
  }

  /// A number of `bits` bits, 0…32, most significant first, all equally likely.
  @_lifetime(coder: copy coder)
  private static func plain<C: LogBitCoder & ~Copyable & ~Escapable>(
    _ value: UInt32, bits: UInt32, _ coder: inout C
  ) -> UInt32 {
    var interval = coder.interval
    var result: UInt32 = 0
    var left = bits
    while left > 0 {
      left &-= 1
      let split = interval.split(chance: 2048)
      let bit = coder.decide((value &>> left) & 1, interval, split: split)
      if bit != 0 { interval.keepLower(split) } else { interval.keepUpper(split) }
      if interval.isNarrow { interval = coder.settle(interval) }
      result = result &<< 1 | bit
    }
    coder.interval = interval
    return result
  }

  /// A number with no small bound: the length of `value + 1` in bits, less one, as a tree of `bits` bits,
  /// then the bits of `value + 1` after its leading one, plain.
  @_lifetime(coder: copy coder)
  @inline(never)
  private mutating func unbounded<C: LogBitCoder & ~Copyable & ~Escapable>(
    _ context: Int, _ value: UInt32, bits: UInt32, _ coder: inout C
  ) -> UInt32 {
    let number = value &+ 1
    let written = 31 &- UInt32(truncatingIfNeeded: number.leadingZeroBitCount & 31)
    let length = tree(context, written, bits: bits, &coder)
    return (1 &<< length | Self.plain(number, bits: length, &coder)) &- 1
  }

  // MARK: A record

  /// Encodes or decodes a record. `order` holds the places of the known targets in `targets`, the most recent
  /// first. `false` if the input violates the format.
  @_lifetime(coder: copy coder)
  @inline(__always)
  mutating func code<C: LogBitCoder & ~Copyable & ~Escapable>(
    _ record: inout LogRecordFields, targets: inout MutableSpan<LogTarget>,
    order: inout MutableSpan<UInt8>, with coder: inout C
  ) -> Bool {
    let afterDetection = previous == .detection
    if decision(measuredContext, record.kind == .measured ? 0 : 1, &coder) == 0 {
      record.kind = .measured
      previous = .reading
    } else {
      guard let kind = codeKind(record.kind, &coder) else { return false }
      record.kind = kind
      previous = kind == .detected ? .detection : .other
      if kind == .end { return true }
    }
    record.step = codeStep(record.step, &coder)
    let (now, overflow) = steps.addingReportingOverflow(record.step)
    guard !overflow else { return false }
    steps = now
    if record.kind.hasTarget {
      let place = codeTarget(
        &record.target, afterDetection: afterDetection, targets: &targets, order: &order, &coder)
      guard place >= 0 else { return false }
      if record.kind == .measured { codeRSSI(&record.rssi, of: &targets[unchecked: place], &coder) }
      targets[unchecked: place].seen = UInt16(truncatingIfNeeded: now)
    }
    if record.kind.rawValue >= LogKind.txPower.rawValue { Self.codePlainFields(&record, &coder) }
    return true
  }

  /// Encodes or decodes the end of a codeword.
  mutating func end(with coder: inout LogBitEncoder) {
    _ = decision(measuredContext, 1, &coder)
    _ = codeKind(.end, &coder)
    previous = .other
  }

  private var measuredContext: Int {
    mutating get { Context.measured &+ Int(previous.rawValue) }
  }

  /// The kind of a record that is not a reading; `nil` for an unknown number.
  @_lifetime(coder: copy coder)
  private mutating func codeKind<C: LogBitCoder & ~Copyable & ~Escapable>(
    _ kind: LogKind, _ coder: inout C
  ) -> LogKind? {
    let number = tree(Context.kind, UInt32(kind.rawValue), bits: 4, &coder)
    guard let found = LogKind(rawValue: UInt8(truncatingIfNeeded: number)), found != .measured else {
      return nil
    }
    return found
  }

  @_lifetime(coder: copy coder)
  private static func codePlainFields<C: LogBitCoder & ~Copyable & ~Escapable>(
    _ record: inout LogRecordFields, _ coder: inout C
  ) {
    let bits = record.kind.plainBits
    record.extra = UInt8(truncatingIfNeeded: plain(UInt32(record.extra), bits: bits.extra, &coder))
    record.value = plain(record.value, bits: bits.value, &coder)
    record.high = plain(record.high, bits: bits.high, &coder)
  }

  /// Steps below 30 in one tree, below 62 in a second, above in a third way.
  @_lifetime(coder: copy coder)
  @inline(__always)
  private mutating func codeStep<C: LogBitCoder & ~Copyable & ~Escapable>(
    _ step: UInt32, _ coder: inout C
  ) -> UInt32 {
    let short = tree(Context.step, step < 30 ? step : step < 62 ? 30 : 31, bits: 5, &coder)
    if short < 30 { return short }
    return codeLongStep(step, isMedium: short == 30, &coder)
  }

  @_lifetime(coder: copy coder)
  private mutating func codeLongStep<C: LogBitCoder & ~Copyable & ~Escapable>(
    _ step: UInt32, isMedium: Bool, _ coder: inout C
  ) -> UInt32 {
    if isMedium { return 30 &+ tree(Context.mediumStep, step &- 30, bits: 5, &coder) }
    // A hostile page can wrap this sum; the check of the sum of all steps bounds what a wrapped one can do.
    return unbounded(Context.longStep, step &- 62, bits: 5, &coder) &+ 62
  }

  /// The length of a silence, in 56 classes: exact below 400 ms, then increasingly coarse.
  @inline(__always)
  private static func silenceClass(_ silence: UInt32) -> Int {
    if silence < 40 { return Int(silence) }
    if silence < 64 { return 40 &+ Int(((silence &- 40) &* 11) &>> 5) }
    if silence >= 768 { return 55 }
    let length = 32 &- silence.leadingZeroBitCount
    let second = (silence &>> UInt32(truncatingIfNeeded: length &- 2)) & 1
    return 48 &+ (length &- 7) &* 2 &+ Int(second)
  }

  /// The target, and its place in `targets`; afterwards it is the most recent. −1 if the input violates the
  /// format.
  @_lifetime(coder: copy coder)
  @inline(__always)
  private mutating func codeTarget<C: LogBitCoder & ~Copyable & ~Escapable>(
    _ identity: inout TargetIdentity, afterDetection: Bool, targets: inout MutableSpan<LogTarget>,
    order: inout MutableSpan<UInt8>, _ coder: inout C
  ) -> Int {
    let now = UInt16(truncatingIfNeeded: steps)
    // A writer has the target's position in the list. A reader does not: the value found here is not used.
    var rank = C.reads ? 64 : rank(of: identity, &targets, &order)
    let context = Context.direct &+ (afterDetection ? 2 : wasDirect ? 1 : 0)
    wasDirect = decision(context, rank < Self.searched ? 0 : 1, &coder) != 0
    var isKnown = true
    if !wasDirect {
      rank = search(rank, afterDetection: afterDetection, &targets, &order, &coder)
    } else if decision(Context.known, rank < count ? 1 : 0, &coder) != 0 {
      rank = Int(Self.plain(UInt32(truncatingIfNeeded: rank), bits: 6, &coder))
    } else {
      isKnown = false
    }
    let place: Int
    if isKnown {
      guard rank < count else { return -1 }
      place = Int(order[unchecked: rank])
      if C.reads { identity = targets[unchecked: place].identity }
    } else {
      // When full, the least recent is replaced.
      rank = count < targets.count ? count : count &- 1
      place = count < targets.count ? count : Int(order[unchecked: rank])
      if count < targets.count { count &+= 1 }
      Self.defineTarget(&identity, &coder)
      targets[unchecked: place] = LogTarget(identity, seen: now)
    }
    while rank > 0 {
      order[unchecked: rank] = order[unchecked: rank &- 1]
      rank &-= 1
    }
    order[unchecked: 0] = UInt8(truncatingIfNeeded: place)
    return place
  }

  /// How many of the most recent targets are coded by a decision each. Beyond, a number takes less time, and
  /// not more flash on recordings.
  private static var searched: Int { 32 }

  /// The position of a target in the list; a number of at least `searched` and `count` if it is not in it.
  @inline(__always)
  private mutating func rank(
    of identity: TargetIdentity, _ targets: inout MutableSpan<LogTarget>, _ order: inout MutableSpan<UInt8>
  ) -> Int {
    var rank = 0
    while rank < count {
      let target = targets[unchecked: Int(order[unchecked: rank])]
      if target.low == identity.low, target.high == identity.high, target.kind == identity.kind {
        return rank
      }
      rank &+= 1
    }
    return 64
  }

  /// Codes for one target of the list after another whether it is the one, and returns its position; `count`
  /// if none is.
  @_lifetime(coder: copy coder)
  @inline(__always)
  private mutating func search<C: LogBitCoder & ~Copyable & ~Escapable>(
    _ wanted: Int, afterDetection: Bool, _ targets: inout MutableSpan<LogTarget>,
    _ order: inout MutableSpan<UInt8>, _ coder: inout C
  ) -> Int {
    let now = UInt16(truncatingIfNeeded: steps)
    var rank = 0
    while rank < count {
      let target = targets[unchecked: Int(order[unchecked: rank])]
      let context =
        rank == 0 && afterDetection
        ? Context.afterDetection
        : Context.silence &+ Int(target.rhythm) &* 56 &+ Self.silenceClass(UInt32(now &- target.seen))
      if decision(context, rank == wanted ? 1 : 0, &coder) != 0 { return rank }
      rank &+= 1
    }
    return rank
  }

  @_lifetime(coder: copy coder)
  private static func defineTarget<C: LogBitCoder & ~Copyable & ~Escapable>(
    _ identity: inout TargetIdentity, _ coder: inout C
  ) {
    let kind = plain(UInt32(identity.kind.rawValue), bits: 2, &coder)
    let high = plain(UInt32(identity.high), bits: 16, &coder)
    let low = plain(identity.low, bits: 32, &coder)
    identity = TargetIdentity(
      kind: TargetIdentity.Kind(rawValue: UInt8(truncatingIfNeeded: kind)) ?? .publicAddress,
      high: UInt16(truncatingIfNeeded: high), low: low)
  }

  /// The RSSI, as the difference from the target's last one; for its first reading from the last one of any
  /// target.
  @_lifetime(coder: copy coder)
  @inline(__always)
  private mutating func codeRSSI<C: LogBitCoder & ~Copyable & ~Escapable>(
    _ rssi: inout Int8, of target: inout LogTarget, _ coder: inout C
  ) {
    let silence = UInt16(truncatingIfNeeded: steps) &- target.seen
    if silence >= 1, silence < 15 {
      target.rhythm = 3
    } else if silence >= 16, silence <= 20 {
      target.rhythm = 1
    } else if silence >= 25, silence <= 29 {
      target.rhythm = 2
    }
    if target.jump < 4 {
      let folded = ZigZag.folded(rssi &- target.rssi)
      let context = Context.jump &+ Int(target.jump) &* 16
      var found = tree(context, min(folded, 15), bits: 4, &coder)
      if found == 15 { found &+= unbounded(Context.longJump, folded &- 15, bits: 3, &coder) }
      let difference = ZigZag.unfolded(found)
      rssi = target.rssi &+ difference
      target.jump = UInt8(truncatingIfNeeded: min(difference.magnitude, 3))
    } else {
      let found = unbounded(Context.firstRSSI, ZigZag.folded(rssi &- previousRSSI), bits: 4, &coder)
      rssi = previousRSSI &+ ZigZag.unfolded(found)
      target.jump = 3
    }
    target.rssi = rssi
    previousRSSI = rssi
  }
}
