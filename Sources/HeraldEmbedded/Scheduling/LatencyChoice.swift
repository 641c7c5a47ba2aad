import HeraldHAL

/// The latency of scanning in rounds that lets the cell last for a number of days (docs/energy.md, "What the
/// operator wants").
///
/// The capacity and the days give a mean current. What advertising, the processor and sleep take of it is
/// known; the rest is for receiving. The first latency is that of two devices. From then on the time for
/// which the radio has received is compared with the rest, every half hour, and the latency is moved half of
/// the way to the one with which both would be equal: so it follows the number of peers, whatever it is that
/// they cost.
///
/// Pure state: from the time, and the time of receiving, it computes a latency.
struct LatencyChoice: BitwiseCopyable {
  /// The latency; `nil` before the first choice.
  var latency: Interval? {
    chosen == 0 ? nil : Interval(milliseconds: UInt32(chosen) &* 100)
  }

  /// The latency in tenths of a second.
  private var chosen: UInt16
  /// The current for receiving, in µA.
  private var allowed: UInt32
  /// The time in ms for which the radio had received at the last comparison.
  private var received: UInt32
  /// When that was.
  private var comparedAt: Instant

  /// No choice: all bits are zero.
  init() {
    chosen = 0
    allowed = 0
    received = 0
    comparedAt = .start
  }

  /// The shortest latency in tenths of a second: that of SocioPatterns.
  private static var shortest: UInt32 { 200 }
  /// The longest, at which a device scans for a thousandth of the time.
  private static var longest: UInt32 { 3000 }
  /// How much more than is allowed is taken into account at most, as a factor.
  private static var most: UInt32 { 16 }
  /// The time between comparisons: that of two addresses, so that reading payloads is within each.
  private static var period: Interval { .minutes(30) }
  /// The current of the receiver in µA: that of an nRF52840 (`EnergyModel`).
  private static var receiver: UInt32 { 6260 }
  /// The charge of an advertising event in nC (`EnergyModel.measuredAdvertisingEvent`).
  private static var event: UInt32 { 10_640 }
  /// The current of sleep, and of the processor and the crystal in windows, in µA.
  private static var rest: UInt32 { 5 }
  /// What a peer costs in µA where the time of receiving is not known: with random delays, windows that are
  /// continued, and reading.
  private static var perPeer: UInt32 { 4 }

  /// The current in µA that is left for receiving of a cell of `capacity` mAh (less than 30 Ah) that is to
  /// last for `days`, 1 or more, with an advertising interval in ms; at least 1, and at most that of the
  /// receiver.
  static func allowance(capacity: UInt32, days: UInt32, interval: UInt32) -> UInt32 {
    // mAh · 1000 µA / (days · 24 h)
    let mean = capacity &* 125 / (3 &* days)
    let other = event / (interval &+ 5) &+ rest
    guard mean > other else { return 1 }
    return mean &- other < receiver ? mean &- other : receiver
  }

  /// The latency in tenths of a second with which one window in each round takes a current in µA: a round is
  /// 0.884 of the latency.
  private static func latency(receivingAt current: UInt32, interval: UInt32) -> UInt32 {
    (interval &+ ScanRounds.margin) &* receiver / (88 &* current)
  }

  /// Chooses a latency if it is time to. `allowed`: the current for receiving in µA, 1 or more. `received`:
  /// the time in ms for which the radio has received so far; `nil` if it does not count it. `peers`: the
  /// number of peers that are present, in that case.
  @inline(never)
  mutating func follow(
    allowed: UInt32, interval: UInt32, received: UInt32?, peers: UInt32, at now: Instant
  ) {
    let passed = now.since(comparedAt)
    let isFirst = chosen == 0 || allowed != self.allowed
    guard isFirst || passed >= Self.period else { return }
    var wanted = UInt32(chosen)
    if let received {
      if isFirst {
        wanted = Self.latency(receivingAt: allowed, interval: interval)
      } else if passed.milliseconds < 2 &* Self.period.milliseconds {
        // The time in ms in which the receiver takes what is allowed, for so long; 1 or more.
        let budget = passed.milliseconds / 1000 &* allowed &* 100 / (Self.receiver / 10) &+ 1
        let taken = received &- self.received
        // In 1/256.
        let ratio = taken < budget &* Self.most ? (taken &<< 8) / budget : Self.most &<< 8
        let equal = (wanted &* ratio) &>> 8
        wanted = (wanted &+ (equal < Self.longest ? equal : Self.longest)) / 2
      }
      self.received = received
    } else {
      let others = peers &* Self.perPeer
      wanted = Self.latency(receivingAt: allowed > others ? allowed &- others : 1, interval: interval)
    }
    if wanted < Self.shortest { wanted = Self.shortest }
    chosen = UInt16(truncatingIfNeeded: wanted < Self.longest ? wanted : Self.longest)
    self.allowed = allowed
    comparedAt = now
  }
}
