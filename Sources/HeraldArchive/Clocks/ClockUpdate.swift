import HeraldHostLink

/// Derives the findings on clocks from what devices heard of each other.
struct ClockUpdate {
  private let archive: Archive
  private let today: Int64
  private var connection: any ArchiveConnection { archive.connection }

  /// The setting that says that the findings are those of the contacts in the archive.
  private static let setting = "clock_findings"
  /// The maximum number of minutes that are compared: those of the latest days.
  private static let mostMinutes = 4 << 20
  /// The maximum number of days, the last one included, from a day with a difference to another one with the
  /// same, between which the device met nobody who says that it was right.
  private static let mostDaysBetween: Int64 = 7
  /// The minutes of dates that a log can have.
  private static let minutes = 0...Int64(UTCTimestamp.latest / 60_000)

  /// `now` is this computer's date in milliseconds since 1970-01-01T00:00:00Z.
  init(_ archive: Archive, now: UInt64 = PlausibleDate.now) {
    self.archive = archive
    today = now < PlausibleDate.earliest ? .max / 2 : archive.days.day(of: Int64(clamping: now))
  }

  /// Notes that contacts have changed; part of the transaction that changes them.
  static func noteChange(_ connection: any ArchiveConnection) throws(HostLinkError) {
    try connection.execute("DELETE FROM setting WHERE name = ?", [.text(setting)])
  }

  /// Derives the findings if contacts have changed since.
  func run() throws(HostLinkError) {
    func isDone() throws(HostLinkError) -> Bool {
      try connection.number("SELECT COUNT(*) FROM setting WHERE name = ?", [.text(Self.setting)]) ?? 0 > 0
    }
    if try isDone() { return }
    try connection.transaction { () throws(HostLinkError) in
      if try isDone() { return }
      _ = try ArchiveSchema.ensure(.clockFindings, connection)
      try connection.execute("DELETE FROM clock_finding")
      let differences = try differences()
      let others = try impossible() + alone()
      // What a device that is ahead has of other days needs no finding of its own.
      let findings =
        differences
        + others.filter { row in
          !differences.contains { $0.device == row.device && $0.from <= row.from && $0.to >= row.to }
        }
      try connection.append(
        "clock_finding", ["device_id", "kind", "from_day", "to_day", "offset_s", "met", "other_id"],
        findings.flatMap(\.values))
      try connection.append("setting", ["name", "value"], [.text(Self.setting), .text("1")])
    }
  }

  /// A row of `clock_finding`.
  private struct Row {
    var device: Int64
    var kind: ClockFinding.Kind
    var from: Int64
    var to: Int64
    var offset: Int64?
    var met: Int = 0
    var other: Int64?

    var values: [SQLValue] {
      [
        .integer(device), .text(kind.rawValue), .integer(LocalDays.number(ofDay: from)),
        .integer(LocalDays.number(ofDay: to)), .optional(offset), .integer(Int64(met)), .optional(other),
      ]
    }
  }

  // MARK: Differences

  private func differences() throws(HostLinkError) -> [Row] {
    let days = archive.days
    var comparison = ClockComparison { days.day(of: $0 * 60_000) }
    try read(into: &comparison)
    var rows: [Row] = []
    var latest: [[Int64?]: Int] = [:]
    let (differences, agreeing) = comparison.outcome()
    /// Whether nothing says that a device was right on the days between two days.
    func isOpen(_ device: Int64, _ last: Int64, _ next: Int64) -> Bool {
      last <= next && next - last <= Self.mostDaysBetween
        && (last..<next).dropFirst().allSatisfy {
          !agreeing.contains(ClockComparison.Node(device: device, day: $0))
        }
    }
    for difference in differences {
      let offset = difference.minutes * 60
      let kind: ClockFinding.Kind = !difference.isDecided ? .differs : offset > 0 ? .ahead : .behind
      let other = difference.isDecided ? nil : difference.met.first
      let day = difference.node.day
      let key = [difference.node.device, other]
      if let last = latest[key], rows[last].kind == kind, isOpen(difference.node.device, rows[last].to, day),
        let former = rows[last].offset,
        abs(former - offset) <= ClockComparison.tolerance * 60
      {
        rows[last].to = day
        rows[last].met = max(rows[last].met, difference.met.count)
      } else {
        latest[key] = rows.count
        rows.append(
          Row(
            device: difference.node.device, kind: kind, from: day, to: day, offset: offset,
            met: difference.met.count, other: other))
      }
    }
    return rows
  }

  /// Passes the minutes of devices that heard each other, of the latest days.
  private func read(into comparison: inout ClockComparison) throws(HostLinkError) {
    // Whom each device stands for.
    var devices: [Int64: Set<Int64>] = [:]
    for row in try connection.rows(
      """
      SELECT DISTINCT c.observer_id, c.device_id FROM contact c JOIN who o ON o.id = c.observer_id
      WHERE o.kind IN ('person', 'device', 'unworn')
      """)
    {
      devices[row.integer(0), default: []].insert(row.integer(1))
    }
    // A device whose clock is wrong by hours is known by its payloads alone.
    var senders: [String: Set<Int64>] = [:]
    for row in try connection.rows(
      "SELECT p.bytes, o.device_id FROM own_payload o JOIN payload p ON p.id = o.payload_id")
    {
      senders[row.blob(0).hexadecimal, default: []].insert(row.integer(1))
    }
    for row in try connection.rows("SELECT id, key FROM who WHERE kind = 'payload'") {
      if let found = senders[row.text(1)] { devices[row.integer(0), default: []].formUnion(found) }
    }
    var room = Self.mostMinutes
    try connection.query(
      "SELECT day, device_id, subject_id, windows FROM heard ORDER BY day DESC, device_id, subject_id", []
    ) { (row: SQLRow) throws(HostLinkError) in
      guard let subjects = devices[row.integer(2)], let day = LocalDays.day(ofNumber: row.integer(0)),
        room > 0
      else { return }
      let minutes = DayWindows(row.blob(3), length: archive.rules.window).minutes.map(\.number)
        .filter(Self.minutes.contains)
      for subject in subjects.sorted() where room > 0 {
        room -= minutes.count
        comparison.add(row.integer(1), heard: subject, day: day, minutes)
      }
    }
  }

  // MARK: Dates that cannot be

  private func impossible() throws(HostLinkError) -> [Row] {
    let limits: [(ClockFinding.Kind, ClosedRange<Int64>)] = [
      (.ancient, -1...Int64(PlausibleDate.earliest / 86_400_000) - 1),
      // A badge collected further east may have tomorrow's date.
      (.future, today + 2...Int64.max / 2),
    ]
    var rows: [Row] = []
    for (kind, days) in limits {
      let numbers = [days.lowerBound, days.upperBound].map { SQLValue.integer(LocalDays.number(ofDay: $0)) }
      for row in try connection.rows(
        "SELECT device_id, MIN(day), MAX(day) FROM heard WHERE day BETWEEN ? AND ? GROUP BY device_id ORDER BY device_id",
        numbers)
      {
        rows.append(
          Row(
            device: row.integer(0), kind: kind, from: LocalDays.day(ofNumber: row.integer(1)) ?? 0,
            to: LocalDays.day(ofNumber: row.integer(2)) ?? 0))
      }
    }
    return rows
  }

  /// Devices that heard others on days that none of those has, after or before all days that they have.
  private func alone() throws(HostLinkError) -> [Row] {
    var days: [Int64: Set<Int64>] = [:]
    for row in try connection.rows("SELECT DISTINCT day, device_id FROM heard") {
      if let day = LocalDays.day(ofNumber: row.integer(0)) { days[day, default: []].insert(row.integer(1)) }
    }
    var rows: [Row] = []
    let shared = days.filter { $0.value.count > 1 }.keys
    guard let first = shared.min(), let last = shared.max() else { return [] }
    for (day, devices) in days.sorted(by: { $0.key < $1.key }) {
      guard devices.count == 1, let device = devices.first, !(first...last).contains(day) else { continue }
      let met = try connection.number(
        """
        SELECT COUNT(DISTINCT h.subject_id) FROM heard h JOIN who s ON s.id = h.subject_id
        WHERE h.day = ? AND h.device_id = ? AND s.kind IN ('person', 'device', 'unworn')
          AND EXISTS (SELECT 1 FROM heard b WHERE b.observer_id = s.id)
        """, [.integer(LocalDays.number(ofDay: day)), .integer(device)])
      guard let met, met > 1 else { continue }
      if let last = rows.indices.last, rows[last].device == device, rows[last].to + 1 == day {
        rows[last].to = day
      } else {
        rows.append(Row(device: device, kind: .alone, from: day, to: day, met: Int(clamping: met)))
      }
    }
    return rows
  }
}
