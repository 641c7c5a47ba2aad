import HeraldHostLink

/// The clocks of the devices of an archive: those that were wrong, and the corrections of their records.
package struct DeviceClocks {
  private let archive: Archive
  var connection: any ArchiveConnection { archive.connection }

  init(_ archive: Archive) { self.archive = archive }

  /// The devices whose clocks were wrong, or may have been, as of the latest update, by device and day.
  package func findings() throws(HostLinkError) -> [ClockFinding] {
    guard try connection.hasTable(ArchiveSchema.LaterTable.clockFindings.rawValue) else { return [] }
    var persons: [Int64: [String]] = [:]
    for row in try connection.rows(
      """
      SELECT DISTINCT d.id, p.name FROM device d JOIN assignment a ON a.serial = d.serial
        JOIN person p ON p.id = a.person_id ORDER BY d.id, p.name
      """)
    {
      persons[row.integer(0), default: []].append(row.text(1))
    }
    return try connection.rows(
      """
      SELECT f.device_id, d.serial, f.kind, f.from_day, f.to_day, f.offset_s, f.met, f.other_id, o.serial
      FROM clock_finding f JOIN device d ON d.id = f.device_id LEFT JOIN device o ON o.id = f.other_id
      ORDER BY d.serial, f.from_day, f.kind, o.serial
      """
    ).compactMap { row in
      guard let kind = ClockFinding.Kind(rawValue: row.text(2)) else { return nil }
      func day(_ number: Int64) -> String {
        LocalDays.day(ofNumber: number).map(LocalDays.text(ofDay:)) ?? String(number)
      }
      return ClockFinding(
        device: row.text(1), persons: persons[row.integer(0)] ?? [], kind: kind, from: day(row.integer(3)),
        to: day(row.integer(4)), offsetSeconds: row.optionalInteger(5), met: Int(clamping: row.integer(6)),
        other: row.optionalInteger(7).map { ClockFinding.name(persons[$0] ?? [], row.text(8)) })
    }
  }

  /// The findings on clocks that concern an answer about some days, such as 20260914, and, unless it is
  /// `nil`, about labels of persons or serial numbers.
  package func findings(of days: ClosedRange<Int64>, about labels: Set<String>? = nil)
    throws(HostLinkError)
    -> [ClockFinding]
  {
    try findings().filter { finding in
      finding.isAbout(days) && (labels.map { finding.isAbout($0) } ?? true)
    }
  }

  /// The serial numbers of devices that were ahead or behind on some days, such as 20260914, by their clock
  /// or by that of the others, and the names of those who wore them: their minutes are not those of the
  /// others.
  package func wronglyDated(on days: ClosedRange<Int64>) throws(HostLinkError) -> Set<String> {
    let first = LocalDays.day(ofNumber: days.lowerBound) ?? .min
    let last = LocalDays.day(ofNumber: days.upperBound) ?? .max
    var labels: Set<String> = []
    for finding in try findings() where finding.kind == .ahead || finding.kind == .behind {
      guard let from = LocalDays.day(finding.from), let to = LocalDays.day(finding.to) else { continue }
      let reach = Int64(clamping: (finding.offsetSeconds ?? 0).magnitude / 86_400) + 1
      guard from.addingClamped(-reach) <= last, to.addingClamped(reach) >= first else { continue }
      labels.formUnion(finding.persons + [finding.device])
    }
    return labels
  }

  private static var table: String { ArchiveSchema.LaterTable.clockCorrections.rawValue }

  /// A correction of the dates of a device: a row of `clock_correction`.
  package struct Correction: Equatable, Sendable, Encodable {
    /// The serial number of the device.
    package let device: String
    /// The first and the last date by the device's clock, in milliseconds since 1970-01-01T00:00:00Z.
    package let fromMs: Int64
    /// The last date.
    package let toMs: Int64
    /// Milliseconds that are added.
    package let shiftMs: Int64
  }

  /// The corrections of dates, by device.
  package func corrections() throws(HostLinkError) -> [Correction] {
    guard try connection.hasTable(Self.table) else { return [] }
    return try connection.rows(
      """
      SELECT d.serial, c.from_ms, c.to_ms, c.shift_ms FROM \(Self.table) c JOIN device d ON d.id = c.device_id
      ORDER BY d.serial, c.from_ms
      """
    ).map {
      Correction(
        device: $0.text(0), fromMs: $0.integer(1), toMs: $0.integer(2), shiftMs: $0.integer(3))
    }
  }

  /// Corrects the dates of all devices that are ahead of or behind those that they met, on the days of the
  /// finding. The next `update` derives everything of them again. Returns the number of new corrections.
  package func correct() throws(HostLinkError) -> Int {
    var rows: [SQLValue] = []
    var devices: [SQLValue] = []
    try connection.transaction { () throws(HostLinkError) in
      _ = try ArchiveSchema.ensure(.clockCorrections, connection)
      for finding in try findings() {
        guard finding.kind == .ahead || finding.kind == .behind, let offset = finding.offsetSeconds,
          let first = LocalDays.day(finding.from), let last = LocalDays.day(finding.to),
          let id = try connection.number("SELECT id FROM device WHERE serial = ?", [.text(finding.device)])
        else { continue }
        let (from, to) = (archive.days.begin(ofDay: first), archive.days.begin(ofDay: last + 1) - 1)
        let (shift, overflow) = offset.multipliedReportingOverflow(by: -1000)
        guard from <= to, !overflow else { continue }
        // Corrected dates may be on days of other corrections: those stay as they are.
        guard try !clock(of: id).corrections.contains(where: { $0.dates.overlaps(from...to) }) else {
          continue
        }
        rows += [.integer(id), .integer(from), .integer(to), .integer(shift)]
        devices.append(.integer(id))
      }
      try connection.append(Self.table, ["device_id", "from_ms", "to_ms", "shift_ms"], rows)
      for device in devices {
        try connection.execute("UPDATE device SET is_unread = 1, is_stale = 1 WHERE id = ?", [device])
      }
    }
    return devices.count
  }

  /// Removes all corrections. The next `update` derives everything of those devices again.
  package func restore() throws(HostLinkError) {
    guard try connection.hasTable(Self.table) else { return }
    try connection.transaction { () throws(HostLinkError) in
      try connection.execute(
        "UPDATE device SET is_unread = 1, is_stale = 1 WHERE id IN (SELECT device_id FROM \(Self.table))")
      try connection.execute("DELETE FROM \(Self.table)")
    }
  }

  /// What is known of a device's clock.
  func clock(of device: Int64) throws(HostLinkError) -> DeviceClock {
    var clock = DeviceClock(fixes: try archive.clocks(of: device))
    guard try connection.hasTable(Self.table) else { return clock }
    for row in try connection.rows(
      "SELECT from_ms, to_ms, shift_ms FROM \(Self.table) WHERE device_id = ? ORDER BY from_ms",
      [.integer(device)])
    {
      let from = row.integer(0)
      clock.corrections.append(
        ClockCorrection(dates: from...max(from, row.integer(1)), shift: row.integer(2)))
    }
    return clock
  }
}

extension Archive {
  /// The clocks of the devices.
  package var deviceClocks: DeviceClocks { DeviceClocks(self) }
}
