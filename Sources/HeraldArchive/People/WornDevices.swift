import HeraldHostLink

extension Assignments {
  /// Who wears which device by a file of people.
  package init(_ people: PeopleFile) {
    for entry in people.entries {
      add(Entry(person: entry.name, from: entry.from, to: entry.to), serial: entry.serial)
    }
  }

  /// How long after its end a time of wear still says whose the device is, in milliseconds: between two
  /// shifts it is the person's who wore it last.
  private static let betweenShifts: Int64 = 7 * 86_400_000

  /// The person who wears a device at a date in milliseconds since 1970-01-01T00:00:00Z, or who wore it last
  /// in the seven days before; `nil` if nobody did.
  package func person(ofSerial serial: String, at date: UInt64) -> String? {
    entry(ofSerial: serial, at: Int64(clamping: date))?.person
  }

  private func entry(ofSerial serial: String, at date: Int64) -> Entry? {
    let begun = (bySerial[serial] ?? []).filter { $0.from <= date }
    if let worn = begun.first(where: { date <= $0.to }) { return worn }
    guard let last = begun.max(by: { $0.to < $1.to }), date.subtractingClamped(last.to) <= Self.betweenShifts
    else { return nil }
    return last
  }

  /// The devices that are worn at a date in milliseconds since 1970-01-01T00:00:00Z, or between two shifts,
  /// with their persons, in the order of the persons' names. A person who has another device since is not
  /// waited for with the former one.
  package func worn(at date: UInt64) -> [(serial: String, person: String)] {
    let date = Int64(clamping: date)
    let entries = bySerial.keys.compactMap { serial in entry(ofSerial: serial, at: date).map { (serial, $0) }
    }
    var latest: [String: Int64] = [:]
    for (_, entry) in entries { latest[entry.person] = max(latest[entry.person] ?? .min, entry.to) }
    return entries.filter { $0.1.to >= min(date, latest[$0.1.person] ?? .min) }
      .map { ($0.0, $0.1.person) }.sorted { ($0.1, $0.0) < ($1.1, $1.0) }
  }

  /// How many of the devices of `worn(at:)` are among `serials`, and who wears the others:
  /// `11 of 12 collected, missing: Dora`, with `collected` as the verb. Empty if nobody wears a device.
  package func summary(of serials: Set<String>, verb: String, at date: UInt64) -> String {
    let worn = worn(at: date)
    guard !worn.isEmpty else { return "" }
    let missing = worn.filter { !serials.contains($0.serial) }.map(\.person)
    let rest = missing.count > 10 ? " and \(missing.count - 10) more" : ""
    let names = missing.prefix(10).joined(separator: ", ") + rest
    return
      "\(worn.count - missing.count) of \(worn.count) \(verb)\(missing.isEmpty ? "" : ", missing: \(names)")"
  }
}

extension Archive {
  /// The date of the newest record of each device, in milliseconds since 1970-01-01T00:00:00Z, by its serial
  /// number; devices without a dated record are left out.
  package func newestDates() throws(HostLinkError) -> [String: UInt64] {
    var dates: [String: UInt64] = [:]
    let sql = """
      SELECT d.serial, d.last_ms, MAX(c.unix_ms) FROM device d LEFT JOIN clock c ON c.device_id = d.id \
      GROUP BY d.id, d.serial, d.last_ms
      """
    for row in try connection.rows(sql) {
      let date = max(row.optionalInteger(1) ?? 0, row.optionalInteger(2) ?? 0)
      if date > 0 { dates[row.text(0)] = UInt64(date) }
    }
    return dates
  }
}
