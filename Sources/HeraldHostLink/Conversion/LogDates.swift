import HeraldEmbedded

/// The dates of the records of a log: those that the host noted, and those in its pages.
struct LogDates {
  private struct Boot: Hashable {
    let epoch: UInt32
    let number: UInt32
  }

  /// By what the records of a start-up in the settled pages were dated: the uptime from which each date of
  /// the start-up applies, with that date; the first applies from the start.
  private struct Dated: Equatable {
    var lastUptime: Int64
    var starts: [[Int64]] = []
  }

  /// The maximum number of dates used from a page. A page has one in its header and one for each setting of
  /// the clock.
  private static let mostOfPage = 32

  private var calendar = LogCalendar()
  /// The dates in the pages, in the order of the log.
  private var fixes: [DeviceRecord.ClockFix] = []
  /// The number of dates in settled pages.
  private var settled = 0
  private var dated: [Boot: Dated] = [:]
  private var known: [Boot: LogCalendar.BootDates] = [:]

  init() {}

  /// Begins with the dates that the host noted.
  mutating func begin(_ clocks: [DeviceRecord.ClockFix]) {
    calendar = LogCalendar()
    known = [:]
    for fix in clocks { calendar.add(fix) }
    for fix in fixes { calendar.add(fix) }
  }

  /// Adds the dates in a page. Pages that are not settled come last.
  mutating func add(_ page: LogPage, isSettled: Bool) {
    for fix in page.fixes.filter(LogCalendar.believes).prefix(Self.mostOfPage) {
      fixes.append(fix)
      calendar.add(fix)
    }
    if isSettled { settled = fixes.count }
  }

  /// Whether all records of settled pages would be dated as they were.
  var areAsDated: Bool {
    dated.allSatisfy { $1 == dated($0, through: $1.lastUptime) }
  }

  /// The same dates, by which no record has been dated.
  var afresh: LogDates {
    var dates = self
    dates.dated = [:]
    return dates
  }

  private func dated(_ boot: Boot, through uptime: Int64) -> Dated {
    let starts = calendar.starts(epoch: boot.epoch, boot: boot.number)
    return Dated(
      lastUptime: uptime,
      starts: starts.enumerated().filter { $0.offset == 0 || $0.element.uptime <= uptime }.map {
        [$0.offset == 0 ? 0 : $0.element.uptime, $0.element.start]
      })
  }

  /// The date of a record, in milliseconds since 1970; `nil` if unknown. All dates are added before.
  mutating func date(of record: BootRecord) -> UInt64? {
    let boot = Boot(epoch: record.epoch, number: record.boot)
    let dates = known[boot] ?? calendar.changes(epoch: record.epoch, boot: record.boot)
    known[boot] = dates
    return dates.unixMilliseconds(at: record.uptimeMilliseconds)
  }

  /// Notes that the records of a settled page have their dates.
  mutating func settle(_ page: LogPage) {
    for record in page.records {
      let boot = Boot(epoch: record.epoch, number: record.boot)
      let uptime = Int64(clamping: record.uptimeMilliseconds)
      if dated[boot]?.lastUptime ?? -1 < uptime { dated[boot] = Dated(lastUptime: uptime) }
    }
  }
}

extension LogDates: Stored {
  func store(in bytes: inout StateWriter) {
    bytes.add(settled)
    // Differences, which are small.
    var last = DeviceRecord.ClockFix(
      epoch: 0, boot: 0, uptimeMilliseconds: 0, unixMilliseconds: 0, source: .device)
    for fix in fixes.prefix(settled) {
      bytes.add(signed: Int64(fix.epoch) - Int64(last.epoch))
      bytes.add(signed: Int64(fix.boot) - Int64(last.boot))
      bytes.add(signed: Int64(fix.uptimeMilliseconds) - Int64(last.uptimeMilliseconds))
      bytes.add(signed: Int64(fix.unixMilliseconds) - Int64(last.unixMilliseconds))
      last = fix
    }
    bytes.add(dated.count)
    for (boot, dated) in dated {
      bytes.add(UInt64(boot.epoch))
      bytes.add(UInt64(boot.number))
      bytes.add(signed: dated.lastUptime)
      let starts = self.dated(boot, through: dated.lastUptime).starts
      bytes.add(starts.count)
      for start in starts { for number in start { bytes.add(signed: number) } }
    }
  }

  init(from bytes: inout StateReader) throws(StateReader.Damage) {
    func number32() throws(StateReader.Damage) -> UInt32 {
      UInt32(truncatingIfNeeded: try bytes.number(through: UInt64(UInt32.max)))
    }
    settled = try bytes.integer()
    var last: [Int64] = [0, 0, 0, 0]
    for _ in 0..<settled {
      for index in last.indices { last[index] &+= try bytes.signed() }
      guard let epoch = UInt32(exactly: last[0]), let boot = UInt32(exactly: last[1]),
        let uptime = UInt64(exactly: last[2]), let date = UInt64(exactly: last[3])
      else { throw StateReader.Damage() }
      let fix = DeviceRecord.ClockFix(
        epoch: epoch, boot: boot, uptimeMilliseconds: uptime, unixMilliseconds: date, source: .device)
      guard LogCalendar.believes(fix) else { throw StateReader.Damage() }
      fixes.append(fix)
    }
    for _ in 0..<(try bytes.integer()) {
      let boot = Boot(epoch: try number32(), number: try number32())
      var dated = Dated(lastUptime: try bytes.signed())
      for _ in 0..<(try bytes.integer()) {
        dated.starts.append([try bytes.signed(), try bytes.signed()])
      }
      self.dated[boot] = dated
    }
  }
}
