/// The dates of all times of all start-ups of a device, as far as known.
///
/// A device's clock counts from its start-up; the date is derived from times at which both are known. A
/// record uses the latest such time that is not after it, or, if all are after it, the earliest: records
/// before the setting of the clock are dated backwards from it, within the same start-up. A start-up without
/// any such time has no dates.
public struct LogCalendar: Sendable {
  /// The uptime from which a date of the start-up applies.
  struct Start: Equatable {
    /// The uptime in milliseconds.
    let uptime: Int64
    /// The date of the start-up, milliseconds since 1970-01-01T00:00:00Z.
    let start: Int64
    /// The source of the date.
    let source: DeviceRecord.ClockFix.Source
  }

  private struct Boot: Hashable {
    let epoch: UInt32
    let boot: UInt32
  }

  fileprivate struct Moment {
    let uptime: UInt64
    /// The date of the start-up that results from this time, in milliseconds.
    let start: Int64
  }

  /// The dates of one start-up.
  package struct BootDates {
    /// Times with a date, in chronological order.
    fileprivate let moments: [Moment]

    /// The date at `uptime` milliseconds after the start-up, in milliseconds since 1970-01-01T00:00:00Z;
    /// `nil` if unknown.
    package func unixMilliseconds(at uptime: UInt64) -> UInt64? {
      guard let first = moments.first else { return nil }
      var low = 0
      var high = moments.count
      while low < high {
        let middle = (low + high) / 2
        if moments[middle].uptime <= uptime { low = middle + 1 } else { high = middle }
      }
      let moment = low > 0 ? moments[low - 1] : first
      guard let uptime = Int64(exactly: uptime) else { return nil }
      let (date, overflow) = moment.start.addingReportingOverflow(uptime)
      guard !overflow, date >= 0, UInt64(date) <= UTCTimestamp.latest else { return nil }
      return UInt64(date)
    }
  }

  private var moments: [Boot: [Moment]] = [:]
  private var guesses: [Boot: Moment] = [:]

  /// An empty calendar.
  public init() {}

  /// Whether a date is valid: not after the year 9999, and not before the device's start.
  static func believes(_ fix: DeviceRecord.ClockFix) -> Bool {
    fix.unixMilliseconds > 0 && fix.unixMilliseconds <= UTCTimestamp.latest
      && fix.uptimeMilliseconds <= fix.unixMilliseconds
  }

  /// Adds a time whose date is known. A date from the host applies only if no other is known. Dates after the
  /// year 9999 and before the device's start are ignored.
  public mutating func add(_ fix: DeviceRecord.ClockFix) {
    guard Self.believes(fix) else { return }
    let start = Boot(epoch: fix.epoch, boot: fix.boot)
    let moment = Moment(
      uptime: fix.uptimeMilliseconds, start: Int64(fix.unixMilliseconds - fix.uptimeMilliseconds))
    if fix.source == .host {
      guesses[start] = moment
    } else {
      var list = moments[start, default: []]
      // Modified in place: copying the list each time would have quadratic cost.
      moments[start] = nil
      // Times are mostly in order. Of two with the same uptime the later one applies.
      let index = list.lastIndex { $0.uptime <= moment.uptime }.map { $0 + 1 } ?? 0
      list.insert(moment, at: index)
      moments[start] = list
    }
  }

  /// Adds the date of a record, if it has one.
  public mutating func add(_ record: BootRecord) {
    if let fix = record.clockFix { add(fix) }
  }

  /// The date of a record in milliseconds since 1970-01-01T00:00:00Z; `nil` if unknown.
  public func unixMilliseconds(of record: BootRecord) -> UInt64? {
    dates(epoch: record.epoch, boot: record.boot).unixMilliseconds(at: record.uptimeMilliseconds)
  }

  /// The known dates of a start.
  package func dates(epoch: UInt32, boot: UInt32) -> BootDates {
    let start = Boot(epoch: epoch, boot: boot)
    return BootDates(moments: moments[start] ?? guesses[start].map { [$0] } ?? [])
  }

  /// The known dates of a start, with a search that does not grow with the number of equivalent times.
  func changes(epoch: UInt32, boot: UInt32) -> BootDates {
    BootDates(
      moments: starts(epoch: epoch, boot: boot).map { Moment(uptime: UInt64($0.uptime), start: $0.start) })
  }

  /// The known dates of a start-up in chronological order, without times equivalent to the previous one.
  func starts(epoch: UInt32, boot: UInt32) -> [Start] {
    let start = Boot(epoch: epoch, boot: boot)
    guard let moments = moments[start] else {
      return guesses[start].map {
        [Start(uptime: Int64(clamping: $0.uptime), start: $0.start, source: .host)]
      } ?? []
    }
    var starts: [Start] = []
    for moment in moments where starts.last?.start != moment.start {
      let next = Start(uptime: Int64(clamping: moment.uptime), start: moment.start, source: .device)
      if starts.last?.uptime == next.uptime { starts.removeLast() }
      starts.append(next)
    }
    return starts
  }
}
