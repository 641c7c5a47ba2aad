import HeraldEmbedded

/// The starts of a device as its log shows them: from when to when it ran, on its own clock, and what it said
/// of its motion sensor meanwhile.
///
/// The clock counts from the start on without a break: between two records of one start the device ran, also
/// if it had nothing to record.
struct DeviceRuns {
  /// A start and what followed.
  struct Run {
    let start: DeviceScan.Start
    /// The uptime of the first record.
    let first: UInt64
    /// The uptime of the last one.
    var last: UInt64
    /// Whether pages before the first record are missing.
    let isAfterLoss: Bool
    /// Why the device started; `nil` if that record is missing.
    var reason: UInt8?
    /// Uptimes between which pages are missing.
    var losses: [Range<UInt64>] = []
    /// Uptimes at which the date was set.
    var settings: [UInt64] = []
    /// Changes of the motion sensor's state.
    var motions: [(uptime: UInt64, state: MotionState)] = []
  }

  /// The maximum number of starts.
  static let mostRuns = 1 << 16
  /// The maximum number of losses, dates and changes of motion.
  static let mostMarks = 1 << 18

  private(set) var runs: [Run] = []
  /// Whether the first page of the log is missing.
  private(set) var beginsLate = false
  /// The index of the run and the uptime at which the device sent a payload first.
  private(set) var provisioned: (run: Int, uptime: UInt64)?
  private var page: (epoch: UInt32, sequence: UInt32)?
  private var isAfterLoss = false
  private var marks = 0

  /// A page begins, in the order of the log.
  mutating func begin(_ header: LogPageHeader) {
    defer { page = (header.epoch, header.sequence) }
    guard let page else {
      beginsLate = header.sequence > 1
      return
    }
    if page.epoch == header.epoch {
      guard header.sequence > page.sequence, header.sequence - page.sequence > 1 else { return }
    }
    isAfterLoss = true
    guard let run = runs.last, run.start.epoch == header.epoch, run.start.boot == header.boot else { return }
    isAfterLoss = false
    let begin = header.uptime.milliseconds
    if begin > run.last, mark() { runs[runs.count - 1].losses.append(run.last..<begin) }
  }

  /// A record was written.
  @inline(__always)
  mutating func note(_ record: VisitedRecord) {
    let index = runs.count - 1
    if index >= 0, runs[index].start.boot == record.boot, runs[index].start.epoch == record.epoch {
      if record.uptime > runs[index].last { runs[index].last = record.uptime }
    } else {
      begin(record)
    }
  }

  private mutating func begin(_ record: VisitedRecord) {
    guard runs.count < Self.mostRuns else { return }
    runs.append(
      Run(
        start: DeviceScan.Start(epoch: record.epoch, boot: record.boot), first: record.uptime,
        last: record.uptime, isAfterLoss: isAfterLoss))
    isAfterLoss = false
  }

  /// A record of the device's own state was written, after `note`.
  mutating func note(state record: VisitedRecord) {
    guard let run = runs.last, run.start.boot == record.boot, run.start.epoch == record.epoch else { return }
    let index = runs.count - 1
    switch record.event {
    case .started(let reason): runs[index].reason = reason
    case .motion(let state): if mark() { runs[index].motions.append((record.uptime, state)) }
    case .clockSet:
      if runs[index].settings.last != record.uptime, mark() { runs[index].settings.append(record.uptime) }
    case .ownPayload: if provisioned == nil { provisioned = (index, record.uptime) }
    default: break
    }
  }

  private mutating func mark() -> Bool {
    guard marks < Self.mostMarks else { return false }
    marks += 1
    return true
  }
}
