import HeraldBluetooth
import HeraldHAL

/// The model that makes records small: adaptive probabilities for the kind of a record, the time since the
/// one before, its target, and the difference of its RSSI from that target's last. Reset with each page.
///
/// The target is coded by one decision for each candidate: "is it this one?". The first candidate is the one
/// that followed the last target before, as phones that scan in turn report their peers in turn; then comes
/// the list in the order of recency. A decision is given two contexts: how long that target has been silent,
/// with the rhythm of its readings, and its slot in the list. A target far down the list, or not in it, is
/// coded by its number or its identity instead, as one decision for each before it would take long.
///
/// Every method is `mutating` or static: a borrow would copy all probabilities to the stack
/// (docs/architecture.md).
struct LogModel: ~Copyable {
  /// Upper 12 bits: the probability of a 1. Lower 4 bits: the number of adaptations at an increased rate that
  /// remain, 0 for most probabilities.
  private var probabilities: [522 of UInt16]
  /// Steps of 10 ms since the segment began.
  var steps: UInt32
  /// How many targets are known.
  var count: Int
  /// The last step of 620 ms or longer.
  private var longStep: UInt32
  /// The kind of the record before, as context for the decision whether a record is a reading.
  var previous: Previous
  var previousRSSI: Int8
  /// Whether the last target was coded without a search.
  var wasDirect: Bool
  /// The last two payloads that were stored in a record, the later one first.
  var payloads: LogPayloadMemory

  /// To be `reset` before anything is coded; until then it is all zero bits.
  @inline(__always)
  init() {
    probabilities = .init(repeating: 0)
    steps = 0
    count = 0
    previous = .reading
    previousRSSI = 0
    wasDirect = false
    longStep = 0
    payloads = LogPayloadMemory()
  }

  /// The kind of a record: a context each.
  enum Previous: UInt8 {
    case reading = 0
    case detection = 1
    case other = 2
  }

  /// Discards everything, as at the start of a segment.
  mutating func reset() {
    for index in 0..<Context.count { probabilities[unchecked: index] = Self.newborn }
    steps = 0
    count = 0
    previous = .other
    previousRSSI = 0
    wasDirect = false
    longStep = 0
    payloads.forget()
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
  mutating func tree<C: LogBitCoder & ~Copyable & ~Escapable>(
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
  mutating func decision<C: LogBitCoder & ~Copyable & ~Escapable>(
    _ context: Int, _ value: UInt32, _ coder: inout C
  ) -> UInt32 {
    var interval = coder.interval
    let bit = bit(context, value, &coder, &interval)
    coder.interval = interval
    return bit
  }

  /// One decision in two contexts.
  @inline(never)
  @_lifetime(coder: copy coder)
  mutating func mixed<C: LogBitCoder & ~Copyable & ~Escapable>(
    _ first: Int, _ second: Int, _ value: UInt32, _ coder: inout C
  ) -> UInt32 {
    var interval = coder.interval
    let one = UInt32(probabilities[unchecked: first])
    let other = UInt32(probabilities[unchecked: second])
    let split = interval.split(chance: LogMixing.chance(one &>> 4, other &>> 4))
    let bit = coder.decide(value, interval, split: split)
    if bit != 0 { interval.keepLower(split) } else { interval.keepUpper(split) }
    probabilities[unchecked: first] = Self.adapted(one, bit)
    probabilities[unchecked: second] = Self.adapted(other, bit)
    if interval.isNarrow { interval = coder.settle(interval) }
    coder.interval = interval
    return bit
  }

  @inline(__always)
  private static func adapted(_ state: UInt32, _ bit: UInt32) -> UInt16 {
    var moved = state
    if state & 15 != 0 {
      moved = grown(state, bit)
    } else {
      let chance = state &>> 4
      moved = (bit != 0 ? chance &- (chance &+ 31) &>> 5 &+ 128 : chance &- chance &>> 5) &<< 4
    }
    return UInt16(truncatingIfNeeded: moved)
  }

  /// A number of `bits` bits, 0…32, most significant first, all equally likely.
  @_lifetime(coder: copy coder)
  static func plain<C: LogBitCoder & ~Copyable & ~Escapable>(
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
  mutating func unbounded<C: LogBitCoder & ~Copyable & ~Escapable>(
    _ context: Int, _ value: UInt32, bits: UInt32, _ coder: inout C
  ) -> UInt32 {
    let number = value &+ 1
    let written = 31 &- UInt32(truncatingIfNeeded: number.leadingZeroBitCount & 31)
    let length = tree(context, written, bits: bits, &coder)
    return (1 &<< length | Self.plain(number, bits: length, &coder)) &- 1
  }

  // MARK: A record

  /// Encodes or decodes a record. `order` holds the slots of the known targets in `targets`, the most recent
  /// first; `bytes` are those of a payload to encode. `false` if the input violates the format.
  @_lifetime(coder: copy coder)
  @inline(__always)
  mutating func code<C: LogBitCoder & ~Copyable & ~Escapable>(
    _ record: inout LogRecordFields, bytes: Span<UInt8>, targets: inout MutableSpan<LogTarget>,
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
      let slot = codeTarget(
        &record, afterDetection: afterDetection, targets: &targets, order: &order, &coder)
      guard slot >= 0 else { return false }
      if record.kind == .measured { codeRSSI(&record.rssi, of: &targets[unchecked: slot], &coder) }
      targets[unchecked: slot].seen = UInt16(truncatingIfNeeded: now)
    }
    if record.kind.rawValue >= LogKind.txPower.rawValue { Self.codePlainFields(&record, &coder) }
    return record.kind.hasBytes ? codePayload(&record, bytes, &coder) : true
  }

  /// Encodes or decodes the end of a codeword.
  mutating func end(with coder: inout LogBitEncoder) {
    _ = decision(measuredContext, 1, &coder)
    _ = codeKind(.end, &coder)
    previous = .other
  }

  var measuredContext: Int {
    mutating get { Context.measured &+ Int(previous.rawValue) }
  }

  /// The kind of a record that is not a reading; `nil` for an unknown number.
  @_lifetime(coder: copy coder)
  mutating func codeKind<C: LogBitCoder & ~Copyable & ~Escapable>(
    _ kind: LogKind, _ coder: inout C
  ) -> LogKind? {
    let number = tree(Context.kind, UInt32(kind.rawValue), bits: 4, &coder)
    guard let found = LogKind(rawValue: UInt8(truncatingIfNeeded: number)), found != .measured else {
      return nil
    }
    return found
  }

  @_lifetime(coder: copy coder)
  static func codePlainFields<C: LogBitCoder & ~Copyable & ~Escapable>(
    _ record: inout LogRecordFields, _ coder: inout C
  ) {
    let bits = record.kind.plainBits
    record.extra = UInt8(truncatingIfNeeded: plain(UInt32(record.extra), bits: bits.extra, &coder))
    record.value = plain(record.value, bits: bits.value, &coder)
    record.high = plain(record.high, bits: bits.high, &coder)
  }

  /// Steps below 29 in one tree, which has a value for the last long one again, one for those below 45, in a
  /// second tree, and one for longer ones.
  @_lifetime(coder: copy coder)
  @inline(__always)
  private mutating func codeStep<C: LogBitCoder & ~Copyable & ~Escapable>(
    _ step: UInt32, _ coder: inout C
  ) -> UInt32 {
    let short = tree(
      Context.step, step < 29 ? step : step == longStep ? 29 : step < 45 ? 30 : 31, bits: 5, &coder)
    if short < 29 { return short }
    return codeLongStep(step, short, &coder)
  }

  @_lifetime(coder: copy coder)
  @inline(never)
  private mutating func codeLongStep<C: LogBitCoder & ~Copyable & ~Escapable>(
    _ step: UInt32, _ short: UInt32, _ coder: inout C
  ) -> UInt32 {
    if short == 29 { return longStep }
    if short == 30 { return 29 &+ tree(Context.mediumStep, step &- 29, bits: 4, &coder) }
    let number = step &- 44
    let written = 31 &- UInt32(truncatingIfNeeded: number.leadingZeroBitCount & 31)
    let length = tree(Context.longStep, min(written, 15), bits: 4, &coder)
    // A hostile page can wrap this sum; the check of the sum of all steps bounds what a wrapped one can do.
    longStep =
      length < 15
      ? (1 &<< length | Self.plain(number, bits: length, &coder)) &+ 44
      : Self.plain(step, bits: 32, &coder)
    return longStep
  }

  /// The RSSI, as the difference from the target's last one, given on which side of their mean that was and
  /// how far they spread; for its first reading from the last one of any target.
  @_lifetime(coder: copy coder)
  @inline(__always)
  private mutating func codeRSSI<C: LogBitCoder & ~Copyable & ~Escapable>(
    _ rssi: inout Int8, of target: inout LogTarget, _ coder: inout C
  ) {
    target.noteSilence(UInt16(truncatingIfNeeded: steps) &- target.seen)
    let spread = target.spread
    if spread != LogTarget.noReading {
      let folded = ZigZag.folded(rssi &- target.rssi)
      let side = target.offset >= 8 ? 0 : target.offset < -8 ? 30 : 15
      let width = spread < 3 ? 0 : spread < 9 ? 45 : 90
      var found = tree(Context.rssi &+ side &+ width, min(folded, 15), bits: 4, &coder)
      if found == 15 { found &+= unbounded(Context.longJump, folded &- 15, bits: 3, &coder) }
      let difference = ZigZag.unfolded(found)
      rssi = target.rssi &+ difference
      // How far this reading is from the mean, in 1/16 dB.
      let distance = max(min(Int32(difference) &* 16 &- Int32(target.offset), 144), -144)
      target.offset = Int8(truncatingIfNeeded: distance &>> 3 &- distance)
      let moved = Int32(spread) &+ (min(Int32(distance.magnitude), 62) &- Int32(spread)) &>> 2
      target.spread = UInt8(truncatingIfNeeded: moved)
    } else {
      let found = unbounded(Context.firstRSSI, ZigZag.folded(rssi &- previousRSSI), bits: 4, &coder)
      rssi = previousRSSI &+ ZigZag.unfolded(found)
      target.spread = 6
      target.offset = 0
    }
    target.rssi = rssi
    previousRSSI = rssi
  }
}
