import HeraldEmbedded

/// What the log of one device covers, in dates: intervals without gaps from the first to the last moment of
/// 64 bits.
struct DeviceCoverage {
  /// A pause between two starts in milliseconds that counts as none: a restart takes less.
  static let shortPause: Int64 = 60_000
  /// The intervals, disjoint and in ascending order.
  let intervals: [CoverageInterval]

  /// The reasons of a start during which the device keeps its power: by a request, watchdog or fault.
  private static let poweredReasons: ClosedRange<UInt8> = 2...8

  init(_ runs: DeviceRuns, date: (DeviceScan.Moment) -> Int64?) {
    var found: [CoverageInterval] = []
    var end: Int64?
    // The time of starts without a date since the last one with a date.
    var undated: Int64 = 0
    for (index, run) in runs.runs.enumerated() {
      let pieces = Self.pieces(run, index, runs, date)
      guard let begin = pieces.first?.from, let last = pieces.last?.to else {
        undated += min(Int64(clamping: run.last), .max - undated)
        continue
      }
      let before: CoverageState = runs.beginsLate ? .dropped : .notProvisioned
      if let end {
        found += Self.pause(from: end, to: begin, before: run, undated: undated)
      } else {
        found += Self.split(from: .min, to: begin, before, undated: undated)
      }
      found += pieces
      end = max(end ?? last, last)
      undated = 0
    }
    guard let end else {
      // Nothing says when it was.
      let state: CoverageState = runs.runs.isEmpty ? .notCollected : .withoutDate
      intervals = [CoverageInterval(from: .min, to: .max, state: state)]
      return
    }
    let (until, overflow) = end.addingReportingOverflow(undated)
    if undated > 0, !overflow { found.append(CoverageInterval(from: end, to: until, state: .withoutDate)) }
    found.append(CoverageInterval(from: overflow ? end : until, to: .max, state: .notCollected))
    intervals = CoverageInterval.united(found)
  }

  /// The time between two starts with a date.
  private static func pause(from: Int64, to: Int64, before run: DeviceRuns.Run, undated: Int64)
    -> [CoverageInterval]
  {
    guard from < to else { return [] }
    let wasPowered = run.reason.map { poweredReasons.contains($0) } ?? false
    let state: CoverageState =
      run.isAfterLoss ? .dropped : wasPowered || to - from <= shortPause ? .recorded : .withoutPower
    return split(from: from, to: to, state, undated: undated)
  }

  /// A time of which the last part has starts without a date, as far as can be known.
  private static func split(from: Int64, to: Int64, _ state: CoverageState, undated: Int64)
    -> [CoverageInterval]
  {
    let (difference, overflow) = to.subtractingReportingOverflow(undated)
    let begin = undated > 0 && !overflow ? max(from, difference) : to
    return [
      CoverageInterval(from: from, to: begin, state: state),
      CoverageInterval(from: begin, to: to, state: .withoutDate),
    ].filter { $0.from < $0.to }
  }

  /// The intervals of a start in the order of its clock; none without a date.
  private static func pieces(
    _ run: DeviceRuns.Run, _ index: Int, _ runs: DeviceRuns, _ date: (DeviceScan.Moment) -> Int64?
  ) -> [CoverageInterval] {
    let end = run.last &+ 1
    // A device ran from its uptime 0 on, also if the records of that time are missing.
    var cuts: Set<UInt64> = [0, end]
    cuts.formUnion(run.settings)
    cuts.formUnion(run.motions.map(\.uptime))
    for loss in run.losses { cuts.formUnion([loss.lowerBound, loss.upperBound]) }
    if run.isAfterLoss || index == 0 && runs.beginsLate { cuts.insert(run.first) }
    if let provisioned = runs.provisioned, provisioned.run == index { cuts.insert(provisioned.uptime) }
    let sorted = cuts.filter { $0 <= end }.sorted()
    var pieces: [CoverageInterval] = []
    var (motion, loss) = (0, 0)
    for (from, to) in zip(sorted, sorted.dropFirst()) {
      while motion < run.motions.count, run.motions[motion].uptime <= from { motion += 1 }
      while loss < run.losses.count, run.losses[loss].upperBound <= from { loss += 1 }
      var state: CoverageState =
        switch motion > 0 ? run.motions[motion - 1].state : .unknown {
        case .worn: .worn
        case .lying: .lying
        case .unknown: .recorded
        }
      if isBeforePayload(index, from, runs) { state = .notProvisioned }
      if loss < run.losses.count, run.losses[loss].contains(from) { state = .dropped }
      if from < run.first, run.isAfterLoss || index == 0 && runs.beginsLate { state = .dropped }
      guard let begin = date(DeviceScan.Moment(start: run.start, uptime: from)),
        let last = date(DeviceScan.Moment(start: run.start, uptime: to - 1)), last >= begin, last < .max
      else { continue }
      pieces.append(CoverageInterval(from: begin, to: last + 1, state: state))
    }
    return pieces
  }

  /// Whether the device had not sent a payload yet. Without the beginning of the log nobody can say.
  private static func isBeforePayload(_ index: Int, _ uptime: UInt64, _ runs: DeviceRuns) -> Bool {
    guard !runs.beginsLate else { return false }
    guard let provisioned = runs.provisioned else { return true }
    return (index, uptime) < (provisioned.run, provisioned.uptime)
  }
}
