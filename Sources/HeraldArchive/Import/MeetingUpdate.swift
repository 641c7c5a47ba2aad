import HeraldHostLink

/// A pair and a day: what tells meetings apart.
struct MeetingKey: Hashable {
  /// The lower number of a row of `who`.
  let who: Int64
  /// The higher one.
  let other: Int64
  /// The day, such as 20260914.
  let day: Int64

  init(_ one: Int64, _ another: Int64, day: Int64) {
    (who, other) = (min(one, another), max(one, another))
    self.day = day
  }

  init(_ row: SQLRow) { self.init(row.integer(0), row.integer(1), day: row.integer(2)) }
}

/// Derives the meetings of pairs from what both have heard.
struct MeetingUpdate {
  private let archive: Archive
  private var connection: any ArchiveConnection { archive.connection }
  private var rules: ContactRules { archive.rules }

  init(_ archive: Archive) { self.archive = archive }

  /// The number of meetings that are derived in a transaction.
  private static let mostMeetings: Int64 = 4096

  /// Notes that meetings have to be derived because rows of a device have changed.
  func note(_ due: Set<MeetingKey>, of device: Int64) throws(HostLinkError) {
    var missing = due
    for row in try connection.rows(
      "SELECT who_id, other_id, day FROM meeting_due WHERE device_id = ?", [.integer(device)])
    {
      missing.remove(MeetingKey(row))
    }
    let sorted = missing.sorted { ($0.who, $0.other, $0.day) < ($1.who, $1.other, $1.day) }
    try connection.append(
      "meeting_due", ["who_id", "other_id", "day", "device_id"],
      sorted.flatMap { [.integer($0.who), .integer($0.other), .integer($0.day), .integer(device)] })
  }

  /// Derives the meetings that are due.
  func run(_ update: inout Archive.Update) throws(HostLinkError) {
    var isDone = try connection.rows("SELECT who_id FROM meeting_due LIMIT 1").isEmpty
    while !isDone {
      var count = 0
      try connection.transaction { () throws(HostLinkError) in
        let due = try connection.rows(
          "SELECT DISTINCT who_id, other_id, day FROM meeting_due ORDER BY who_id, other_id, day LIMIT ?",
          [.integer(Self.mostMeetings)])
        count = due.count
        guard let last = due.last else { return }
        let meetings = due.map(MeetingKey.init)
        try derive(meetings)
        let key = last.values
        try connection.execute(
          """
          DELETE FROM meeting_due WHERE who_id < ? OR (who_id = ? AND (other_id < ? OR (other_id = ? AND day <= ?)))
          """, [key[0], key[0], key[1], key[1], key[2]])
        try removeUnused(meetings)
      }
      update.meetings += count
      isDone = count < Self.mostMeetings
    }
  }

  /// The meetings that are due in this transaction, as a table of a query; its argument is their number.
  private static let dueTable = """
    WITH due AS (SELECT DISTINCT who_id, other_id, day FROM meeting_due ORDER BY who_id, other_id, day LIMIT ?)
    """

  private func derive(_ due: [MeetingKey]) throws(HostLinkError) {
    let count = SQLValue.integer(Int64(due.count))
    var found: [MeetingKey: Directions] = [:]
    for (who, other) in [("who_id", "other_id"), ("other_id", "who_id")] {
      try connection.execute(
        """
        \(Self.dueTable)
        DELETE FROM meeting WHERE (who_id, day, other_id) IN (SELECT \(who), day, \(other) FROM due)
        """, [count])
      try connection.query(
        """
        \(Self.dueTable)
        SELECT h.observer_id, h.subject_id, h.day, h.readings, h.windows FROM due JOIN heard h
          ON h.observer_id = due.\(who) AND h.day = due.day AND h.subject_id = due.\(other)
        """, [count]
      ) { (row: SQLRow) throws(HostLinkError) in
        found[MeetingKey(row), default: Directions()].add(row)
      }
    }
    var values: [SQLValue] = []
    for meeting in due {
      guard let directions = found[meeting] else { continue }
      let (all, bands) = DayWindows.union(directions.windows.map { DayWindows($0, length: rules.window) })
        .seconds(rules)
      let figures = [Int64(all), directions.readings, Int64(directions.observers.count)]
      for (one, another) in [(meeting.who, meeting.other), (meeting.other, meeting.who)] {
        values += [.integer(one), .integer(meeting.day), .integer(another)]
        values += (figures + bands.map(Int64.init)).map(SQLValue.integer)
      }
    }
    try connection.append(
      "meeting", ["who_id", "day", "other_id", "seconds", "readings", "directions"] + ArchiveSchema.bands,
      values)
  }

  /// Removes the rows of `who` that no contact has any more, of pairs whose meetings were derived.
  private func removeUnused(_ due: [MeetingKey]) throws(HostLinkError) {
    // A row of `heard` has a meeting, or one that is due.
    let isUnused = """
      NOT EXISTS (SELECT 1 FROM meeting m WHERE m.who_id = ?)
        AND NOT EXISTS (SELECT 1 FROM meeting_due d WHERE d.who_id = ?)
        AND NOT EXISTS (SELECT 1 FROM meeting_due d WHERE d.other_id = ?)
      """
    for who in Set(due.flatMap { [$0.who, $0.other] }).sorted() {
      let number = SQLValue.integer(who)
      try connection.execute(
        "DELETE FROM who WHERE id = ? AND \(isUnused)", [number, number, number, number])
    }
  }
}

/// What is known of a pair on a day, from both directions.
private struct Directions {
  var readings: Int64 = 0
  /// The columns `heard.windows`.
  var windows: [[UInt8]] = []
  var observers: Set<Int64> = []

  /// Adds a row: observer, subject, day, readings, windows.
  mutating func add(_ row: SQLRow) {
    observers.insert(row.integer(0))
    readings = readings.addingClamped(row.integer(3))
    windows.append(row.blob(4))
  }
}
