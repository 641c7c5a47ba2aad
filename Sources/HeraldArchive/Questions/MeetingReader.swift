import Foundation
import HeraldHostLink
import HeraldText

/// Reads the meetings of a query, with the windows of both directions.
struct MeetingReader {
  let archive: Archive
  private var connection: any ArchiveConnection { archive.connection }
  private var rules: ContactRules { archive.rules }

  init(_ archive: Archive) { self.archive = archive }

  /// Calls `body` for each meeting; see `Archive.meetings`.
  func meetings(
    _ query: MeetingQuery, _ body: (DayMeeting) throws(HostLinkError) -> Void
  ) throws(HostLinkError) {
    var conditions = ["m.seconds >= ?"]
    var arguments: [SQLValue] = [.integer(Int64(query.leastSeconds))]
    if let day = query.day {
      conditions.append("m.day = ?")
      arguments.append(.integer(LocalDays.number(ofDay: day)))
    }
    if let person = query.person {
      let ids = try self.ids(ofPerson: person)
      conditions.append("m.who_id IN (\(ids.map { _ in "?" }.joined(separator: ", ")))")
      arguments += ids.map(SQLValue.integer)
    } else {
      conditions.append("m.who_id < m.other_id")
    }
    if let role = query.role {
      try check(role: role)
      conditions.append("(w.role = ? OR o.role = ?)")
      arguments += [.text(role), .text(role)]
    }
    // Only pairs are kept here; the windows of each are read when it is its turn.
    let pairs = try connection.rows(
      """
      SELECT m.day, m.who_id, m.other_id FROM meeting m JOIN who w ON w.id = m.who_id JOIN who o ON o.id = m.other_id
      WHERE \(conditions.joined(separator: " AND ")) ORDER BY m.day, m.seconds DESC, w.label, o.label, m.who_id, m.other_id
      """, arguments)
    var whos: [Int64: Who] = [:]
    for pair in pairs {
      let (day, who, other) = (pair.values[0], pair.integer(1), pair.integer(2))
      let heard = try windows(day, observer: who, subject: other)
      let wasHeard = try windows(day, observer: other, subject: who)
      let meeting = DayMeeting(
        day: LocalDays.day(ofNumber: pair.integer(0)) ?? 0, who: try self.who(who, &whos),
        other: try self.who(other, &whos), heard: heard.windows, wasHeard: wasHeard.windows,
        readings: (heard.readings, wasHeard.readings))
      let isTurned = query.person == nil && meeting.other < meeting.who
      try body(isTurned ? meeting.turned : meeting)
    }
  }

  /// What the devices of an observer heard of a subject on a day.
  private func windows(_ day: SQLValue, observer: Int64, subject: Int64) throws(HostLinkError) -> (
    windows: DayWindows, readings: Int
  ) {
    var windows: [DayWindows] = []
    var readings: Int64 = 0
    for row in try connection.rows(
      "SELECT readings, windows FROM heard WHERE observer_id = ? AND day = ? AND subject_id = ?",
      [.integer(observer), day, .integer(subject)])
    {
      readings += row.integer(0)
      windows.append(DayWindows(row.blob(1), length: rules.window))
    }
    return (
      windows.isEmpty ? DayWindows(length: rules.window) : DayWindows.union(windows), Int(readings)
    )
  }

  private func who(_ id: Int64, _ known: inout [Int64: Who]) throws(HostLinkError) -> Who {
    if let who = known[id] { return who }
    guard
      let row = try connection.rows("SELECT \(Who.columns("w")) FROM who w WHERE w.id = ?", [.integer(id)])
        .first
    else {
      throw HostLinkError(
        .storage, "\(connection.place) is damaged: a row of \"who\" is missing",
        advice: "the folders of the pulled logs are intact: make a new archive of them")
    }
    let who = Who(row, from: 0)
    known[id] = who
    return who
  }

  /// The rows of `who` that a name stands for: of the first kind that has it.
  private func ids(ofPerson name: String) throws(HostLinkError) -> [Int64] {
    let name = name.precomposedStringWithCanonicalMapping
    for kind in ["person", "device", "place", "payload", "address"] {
      let ids = try connection.rows(
        "SELECT id FROM who WHERE kind = ? AND (key = ? OR label = ?) ORDER BY id",
        [.text(kind), .text(name), .text(name)]
      ).map { $0.integer(0) }
      if !ids.isEmpty { return ids }
    }
    let known = try connection.rows("SELECT label FROM who WHERE kind IN ('person', 'device') ORDER BY label")
    let nearest = NearestWord.of(name, in: known.map { $0.text(0) })
    throw HostLinkError(
      .usage, "nobody in these logs is called \(PrintableText.name(name))",
      advice: nearest.map { "is it \(PrintableText.name($0))?" }
        ?? "a person of the file of people, a serial number, a payload or an address has been heard, or has heard somebody"
    )
  }

  private func check(role: String) throws(HostLinkError) {
    let roles = try connection.rows("SELECT DISTINCT role FROM who WHERE role <> '' ORDER BY role").map {
      $0.text(0)
    }
    guard !roles.contains(role) else { return }
    throw HostLinkError(
      .usage, "nobody has the role \(PrintableText.name(role))",
      advice: roles.isEmpty
        ? "--people names a file with roles"
        : "there are: \(roles.map { PrintableText.name($0) }.joined(separator: ", "))")
  }
}
