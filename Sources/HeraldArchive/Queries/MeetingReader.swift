import HeraldHostLink

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
    // Only pairs are kept here; the windows of each are read when it is its turn.
    let selection = try MeetingSelection(query, of: connection, isTurned: query.personFirst)
    let pairs = try connection.rows(
      """
      SELECT m.day, m.who_id, m.other_id \(selection.sql)
      ORDER BY m.day, m.seconds DESC, w.label, o.label, m.who_id, m.other_id
      """, selection.arguments)
    var whos: [Int64: Who] = [:]
    // With a limit, the order of durations is another one.
    var waiting: [DayMeeting] = []
    func flush() throws(HostLinkError) {
      waiting.sort {
        ($1.joined.seconds, $0.who.label, $0.other.label) < ($0.joined.seconds, $1.who.label, $1.other.label)
      }
      for meeting in waiting { try body(meeting) }
      waiting.removeAll(keepingCapacity: true)
    }
    for pair in pairs {
      let (day, who, other) = (pair.values[0], pair.integer(1), pair.integer(2))
      let heard = try windows(day, observer: who, subject: other)
      let wasHeard = try windows(day, observer: other, subject: who)
      let meeting = DayMeeting(
        day: LocalDays.day(ofNumber: pair.integer(0)) ?? 0, who: try self.who(who, &whos),
        other: try self.who(other, &whos), heard: heard.windows, wasHeard: wasHeard.windows,
        readings: (heard.readings, wasHeard.readings), limit: query.within)
      let isTurned = !query.hasFirst && meeting.other < meeting.who
      let result = isTurned ? meeting.turned : meeting
      guard query.within != nil else {
        try body(result)
        continue
      }
      if let last = waiting.last, last.day != meeting.day { try flush() }
      if meeting.joined.seconds >= max(1, query.leastSeconds) { waiting.append(result) }
    }
    try flush()
  }

  /// What the devices of an observer heard of a subject on a day.
  private func windows(_ day: SQLValue, observer: Int64, subject: Int64) throws(HostLinkError) -> (
    windows: DayWindows, readings: Int
  ) {
    var windows: [DayWindows] = []
    var readings = 0
    for row in try connection.rows(
      "SELECT readings, windows FROM heard WHERE observer_id = ? AND day = ? AND subject_id = ?",
      [.integer(observer), day, .integer(subject)])
    {
      readings = readings.addingClamped(Int(row.integer(0)))
      windows.append(DayWindows(row.blob(1), length: rules.window))
    }
    return (
      windows.isEmpty ? DayWindows(length: rules.window) : DayWindows.union(windows), readings
    )
  }

  private func who(_ id: Int64, _ known: inout [Int64: Who]) throws(HostLinkError) -> Who {
    if let who = known[id] { return who }
    guard
      let row = try connection.rows("SELECT \(Who.columns) FROM who WHERE id = ?", [.integer(id)])
        .first
    else {
      throw HostLinkError(
        .storage, "\(connection.location) is damaged: a row of \"who\" is missing",
        advice: "the folders of the pulled logs are intact: make a new archive of them")
    }
    let who = Who(row, from: 0)
    known[id] = who
    return who
  }
}
