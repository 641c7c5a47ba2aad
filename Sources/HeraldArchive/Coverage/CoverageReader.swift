import HeraldHostLink

/// Reads what is recorded of persons and devices of an archive.
package struct CoverageReader {
  private let archive: Archive
  private var connection: any ArchiveConnection { archive.connection }
  private var calendar: LocalDays { archive.days }
  /// A single device whose records are further than this from those of all others does not stretch the time
  /// of the archive: its clock is usually wrong. In milliseconds.
  private static let stray: Int64 = 7 * 86_400_000

  /// The maximum number of days of which each has a part of its own, ten years.
  private static let mostDays: Int64 = 3653

  /// A reader of an archive.
  package init(_ archive: Archive) { self.archive = archive }

  /// The time of some days in milliseconds since 1970-01-01T00:00:00Z: all of each day. Without days, and
  /// where they have no begin or end, it is that of the archive's records; `nil` if there are none.
  /// - Parameter days: the first and the last day, such as 20260914.
  package func time(of days: ClosedRange<Int64>?) throws(HostLinkError) -> (from: Int64, to: Int64)? {
    let known = try knownTime()
    let first = days.flatMap { LocalDays.day(ofNumber: $0.lowerBound) }.map(calendar.begin(ofDay:))
    let last = days.flatMap { LocalDays.day(ofNumber: $0.upperBound) }
      .map { calendar.begin(ofDay: $0 + 1) }
    let isEnd = (days?.upperBound ?? 99_991_231) < 99_991_231
    guard let from = (first ?? 0) > 0 ? first : known?.lowerBound,
      let to = isEnd ? last : known?.upperBound
    else { return nil }
    return (from, max(from, to))
  }

  /// The first and the last day with a record, counted since 1970-01-01; `nil` if there are none.
  package func recordedDays() throws(HostLinkError) -> ClosedRange<Int64>? {
    guard let time = try knownTime() else { return nil }
    let (first, last) = (calendar.day(of: time.lowerBound), calendar.day(of: time.upperBound - 1))
    return first...max(first, last)
  }

  /// How long each person and device received the others and was received by them, on some days.
  /// - Parameter days: the first and the last day, such as 20260914.
  package func directionShares(days: ClosedRange<Int64>) throws(HostLinkError) -> [DirectionShare] {
    var whos: [Int64: Who] = [:]
    for row in try connection.rows("SELECT \(Who.columns) FROM who WHERE kind IN ('person', 'device')") {
      let who = Who(row, from: 0)
      whos[who.id] = who
    }
    // The seconds of both directions of each pair, by the lower number and the higher one.
    var directions: [[Int64]: (heard: Int64, heardBack: Int64)] = [:]
    for row in try connection.rows(
      """
      SELECT observer_id, subject_id, SUM(CASE WHEN seconds BETWEEN 0 AND 100000 THEN seconds ELSE 0 END) FROM heard
      WHERE day BETWEEN ? AND ? GROUP BY observer_id, subject_id
      """, [.integer(days.lowerBound), .integer(days.upperBound)])
    {
      let (observer, subject, seconds) = (row.integer(0), row.integer(1), row.integer(2))
      guard whos[observer] != nil, whos[subject] != nil else { continue }
      if observer < subject {
        directions[[observer, subject], default: (0, 0)].heard = seconds
      } else {
        directions[[subject, observer], default: (0, 0)].heardBack = seconds
      }
    }
    let wronglyDated = try archive.deviceClocks.wronglyDated(on: days)
    let pairs = directions.filter { pair, _ in
      pair.allSatisfy { whos[$0].map { !wronglyDated.contains($0.label) } ?? false }
    }.map { pair, seconds in
      OneSidedDirections.Pair(
        one: Int(pair[0]), other: Int(pair[1]), heard: Int(seconds.heard), heardBack: Int(seconds.heardBack))
    }
    let wrong = Set(OneSidedDirections(pairs).badges.map { Int64($0.who) })
    var sums: [Int64: (heard: Int64, wasHeard: Int64)] = [:]
    for (pair, seconds) in directions {
      for (who, heard, back) in [
        (pair[0], seconds.heard, seconds.heardBack), (pair[1], seconds.heardBack, seconds.heard),
      ] {
        let sum = sums[who] ?? (0, 0)
        sums[who] = (sum.heard.addingClamped(heard), sum.wasHeard.addingClamped(back))
      }
    }
    return sums.compactMap { id, sum in
      whos[id].map {
        DirectionShare(
          who: $0, heardSeconds: sum.heard, wasHeardSeconds: sum.wasHeard, isOneSided: wrong.contains(id))
      }
    }.sorted { $0.who < $1.who }
  }

  /// Whether somebody of a name is in the archive: in its contacts, in the file of people, or with a log.
  package func knows(_ label: String) throws(HostLinkError) -> Bool {
    let name = SQLValue.text(label.precomposedStringWithCanonicalMapping)
    return try connection.number(
      """
      SELECT COUNT(*) FROM (SELECT label FROM who WHERE label IN (?, ?) UNION ALL
        SELECT name FROM person WHERE name = ? UNION ALL SELECT serial FROM device WHERE serial = ?) x
      """, [.text(label), name, name, name]) ?? 0 > 0
  }

  /// See `Archive.coverage(of:from:to:)`.
  func coverage(of label: String, from: Int64, to: Int64) throws(HostLinkError) -> Coverage? {
    let name = label.precomposedStringWithCanonicalMapping
    let person = try connection.number("SELECT COUNT(*) FROM person WHERE name = ?", [.text(name)]) ?? 0
    if person > 0 {
      return try coverage(ofPerson: name, try archive.assignments(), from: from, to: to)
    }
    guard let id = try connection.number("SELECT id FROM device WHERE serial = ?", [.text(name)]) else {
      return nil
    }
    return try coverage(ofDevice: id, name, from: from, to: to)
  }

  /// See `Archive.coverages(from:to:)`.
  func coverages(from: Int64, to: Int64) throws(HostLinkError) -> [Coverage] {
    let assignments = try archive.assignments()
    var coverages: [Coverage] = []
    for row in try connection.rows("SELECT name FROM person ORDER BY name") {
      coverages.append(try coverage(ofPerson: row.text(0), assignments, from: from, to: to))
    }
    for row in try connection.rows("SELECT id, serial FROM device ORDER BY serial") {
      let serial = row.text(1)
      let isAssigned = (assignments.bySerial[serial] ?? []).contains { $0.from < to && $0.to >= from }
      if isAssigned { continue }
      coverages.append(try coverage(ofDevice: row.integer(0), serial, from: from, to: to))
    }
    return coverages
  }

  /// The time of the archive's records: from the first to the last of all devices; of readings, if no device
  /// had a payload yet.
  func knownTime() throws(HostLinkError) -> Range<Int64>? {
    guard try connection.hasTable(CoverageTable.name) else { return nil }
    var rows = try connection.rows(
      """
      SELECT MIN(from_ms), MAX(to_ms) FROM coverage WHERE state IN ('worn', 'recorded', 'lying')
      GROUP BY device_id
      """)
    if rows.isEmpty {
      rows = try connection.rows("SELECT first_ms, last_ms + 1 FROM device WHERE first_ms IS NOT NULL")
    }
    func outermost(_ dates: [Int64]) -> Int64? {
      let sorted = dates.sorted()
      guard sorted.count >= 3, let last = sorted.last else { return sorted.last }
      let before = sorted[sorted.count - 2]
      let (difference, overflow) = last.subtractingReportingOverflow(before)
      return overflow || difference > Self.stray ? before : last
    }
    guard let last = outermost(rows.map { $0.integer(1) }),
      let first = outermost(rows.map { -max($0.integer(0), -.max) }).map({ -$0 }), first < last
    else { return nil }
    return first..<last
  }

  private func coverage(ofPerson name: String, _ assignments: Assignments, from: Int64, to: Int64)
    throws(HostLinkError) -> Coverage
  {
    var intervals = [CoverageInterval(from: from, to: to, state: .withoutDevice)]
    var serials: [String] = []
    for (serial, entries) in assignments.bySerial.sorted(by: { $0.key < $1.key }) {
      let times = entries.filter { $0.person == name }
        .map { (from: max(from, $0.from), to: $0.to < to ? $0.to + 1 : to) }.filter { $0.from < $0.to }
      guard !times.isEmpty else { continue }
      serials.append(serial)
      let known = try self.intervals(ofSerial: serial)
      for time in times { intervals += known.compactMap { $0.clamped(from: time.from, to: time.to) } }
    }
    return try coverage(name, .person, serials, intervals, from: from, to: to)
  }

  private func coverage(ofDevice id: Int64, _ serial: String, from: Int64, to: Int64) throws(HostLinkError)
    -> Coverage
  {
    let intervals = try CoverageTable(connection).intervals(of: id)
      .compactMap { $0.clamped(from: from, to: to) }
    return try coverage(
      serial, .device, [serial],
      intervals.isEmpty ? [CoverageInterval(from: from, to: to, state: .notCollected)] : intervals,
      from: from,
      to: to)
  }

  private func intervals(ofSerial serial: String) throws(HostLinkError) -> [CoverageInterval] {
    let nothing = [CoverageInterval(from: .min, to: .max, state: .notCollected)]
    guard let id = try connection.number("SELECT id FROM device WHERE serial = ?", [.text(serial)]) else {
      return nothing
    }
    let known = try CoverageTable(connection).intervals(of: id)
    return known.isEmpty ? nothing : known
  }

  private func coverage(
    _ label: String, _ kind: Who.Kind, _ serials: [String], _ intervals: [CoverageInterval], from: Int64,
    to: Int64
  ) throws(HostLinkError) -> Coverage {
    var dropped: Int64 = 0
    var sealed: Int64 = 0
    let hasSealed = try connection.hasTable("sealed_page")
    for serial in serials {
      for row in try connection.rows(
        """
        SELECT e.value FROM device_event e JOIN device d ON d.id = e.device_id
        WHERE d.serial = ? AND e.kind = 'dropped' AND e.unix_ms >= ? AND e.unix_ms < ?
        """, [.text(serial), .integer(from), .integer(to)])
      {
        dropped += min(max(0, row.integer(0)), .max - dropped)
      }
      guard hasSealed else { continue }
      let pages = try connection.number(
        "SELECT COUNT(*) FROM sealed_page p JOIN device d ON d.id = p.device_id WHERE d.serial = ?",
        [.text(serial)])
      sealed += pages ?? 0
    }
    return Coverage(
      label: label, kind: kind, from: from, to: to, serials: serials,
      intervals: CoverageInterval.united(intervals), droppedEvents: dropped, sealedPages: sealed)
  }

  /// What is recorded on each civil day of a coverage, by the number of the day since 1970-01-01.
  package func days(of coverage: Coverage) -> [(day: Int64, part: Coverage)] {
    guard coverage.from < coverage.to else { return [] }
    let first = calendar.day(of: coverage.from)
    let last = min(calendar.day(of: coverage.to - 1), first.addingClamped(Self.mostDays))
    var parts: [(day: Int64, part: Coverage)] = []
    var index = 0
    let calendar = calendar
    var dayBegin = calendar.begin(ofDay: first)
    for day in first...max(first, last) {
      let dayEnd = calendar.begin(ofDay: day + 1)
      let (begin, end) = (max(coverage.from, dayBegin), min(coverage.to, dayEnd))
      dayBegin = dayEnd
      guard begin < end else { continue }
      while index < coverage.intervals.count, coverage.intervals[index].to <= begin { index += 1 }
      var intervals: [CoverageInterval] = []
      var next = index
      while next < coverage.intervals.count, coverage.intervals[next].from < end {
        if let part = coverage.intervals[next].clamped(from: begin, to: end) { intervals.append(part) }
        next += 1
      }
      parts.append(
        (
          day,
          Coverage(
            label: coverage.label, kind: coverage.kind, from: begin, to: end, serials: coverage.serials,
            intervals: intervals, droppedEvents: coverage.droppedEvents, sealedPages: coverage.sealedPages)
        ))
    }
    return parts
  }
}
