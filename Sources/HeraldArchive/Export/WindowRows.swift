import HeraldHostLink

/// The tables of an export that are made of the windows of each direction.
enum WindowTable: String {
  /// A row for each minute: what all others are made of.
  case minutes
  /// With a limit of attenuation, the tables that otherwise are in the database.
  case contacts, meetings, near, directions
}

/// Makes the rows of tables of the windows of each direction: those of the column `heard.windows`, minute by
/// minute, of which only those within a limit of attenuation count.
struct WindowRows {
  private let archive: Archive
  private let selection: ExportSelection
  private var rules: ContactRules { archive.rules }

  init(_ archive: Archive, _ selection: ExportSelection) {
    (self.archive, self.selection) = (archive, selection)
  }

  /// Passes the rows of a table to `body`, in ascending order of their days.
  func rows(_ table: WindowTable, _ body: (SQLRow) throws(HostLinkError) -> Void) throws(HostLinkError) {
    switch table {
    case .minutes:
      try directions { (direction: Row) throws(HostLinkError) in
        for minute in direction.windows.minutes {
          try body(
            SQLRow(
              values: direction.columns + [
                .integer(minute.number.multipliedClamped(by: 60_000)), .integer(Int64(minute.windows)),
                minute.attenuation.map { .integer(Int64($0)) } ?? .null,
              ]))
        }
      }
    case .directions:
      try directions { (direction: Row) throws(HostLinkError) in
        let (all, bands) = direction.windows.seconds(rules)
        guard all > 0 else { return }
        try body(
          SQLRow(
            values: direction.columns + [.integer(Int64(all)), .null] + bands.map { .integer(Int64($0)) }))
      }
    case .meetings, .near: try meetings(isFromBoth: table == .near, body)
    case .contacts: try contacts(body)
    }
  }

  /// A row of `heard`.
  private struct Row {
    /// The day; observer and subject with kind, role and place; the device.
    let columns: [SQLValue]
    let windows: DayWindows
  }

  private func directions(_ body: (Row) throws(HostLinkError) -> Void) throws(HostLinkError) {
    let sides = ["o", "s"].map { "\($0).id, \($0).label, \($0).kind, \($0).role, \($0).place" }
    let condition = selection.withUnworn ? "" : "WHERE o.kind <> 'unworn' AND s.kind <> 'unworn'"
    try archive.connection.query(
      """
      SELECT h.day, \(sides.joined(separator: ", ")), d.serial, h.windows
      FROM heard h JOIN who o ON o.id = h.observer_id JOIN who s ON s.id = h.subject_id
        JOIN device d ON d.id = h.device_id \(condition)
      ORDER BY h.day, h.observer_id, h.subject_id, d.serial
      """, []
    ) { (row: SQLRow) throws(HostLinkError) in
      try body(
        Row(
          columns: Array(row.values.prefix(12)),
          windows: DayWindows(row.blob(12), length: rules.window).within(selection.within)))
    }
  }

  private func meetings(isFromBoth: Bool, _ body: (SQLRow) throws(HostLinkError) -> Void)
    throws(HostLinkError)
  {
    var query = MeetingQuery()
    (query.within, query.withUnworn) = (selection.within, selection.withUnworn)
    func row(_ figures: MeetingFigures, _ who: Who, _ other: Who) -> SQLRow {
      let sides = [who, other].flatMap { side -> [SQLValue] in
        [
          .integer(side.id), .text(side.label), .text(side.kind.rawValue), .text(side.role),
          .text(side.place),
        ]
      }
      let numbers: [SQLValue] = [.integer(figures.seconds), .null, .integer(figures.directions)]
      return SQLRow(values: [.integer(figures.day)] + sides + numbers + figures.bands.map(SQLValue.integer))
    }
    var day: Int64?
    var rows: [SQLRow] = []
    func flush() throws(HostLinkError) {
      rows.sort { ($0.integer(1), $0.integer(6)) < ($1.integer(1), $1.integer(6)) }
      for row in rows { try body(row) }
      rows.removeAll(keepingCapacity: true)
    }
    try MeetingReader(archive).figures(query, isByNumber: true) {
      (figures: MeetingFigures) throws(HostLinkError) in
      if figures.day != day {
        try flush()
        day = figures.day
      }
      rows.append(row(figures, figures.who, figures.other))
      if isFromBoth { rows.append(row(figures, figures.other, figures.who)) }
    }
    try flush()
  }

  // MARK: Contacts

  /// Of a contact that one device recorded, what is within the limit.
  private struct Contact {
    /// Observer, subject and device.
    let columns: [SQLValue]
    var period: DayWindows.Period
  }

  private func row(_ contact: Contact) -> SQLRow {
    let (seconds, bands) = contact.period.windows.seconds(rules)
    return SQLRow(
      values: contact.columns + [
        .integer(contact.period.begin), .integer(contact.period.end), .integer(Int64(seconds)), .null,
        .integer(Int64(contact.period.gaps)),
      ] + bands.map { .integer(Int64($0)) })
  }

  private func contacts(_ body: (SQLRow) throws(HostLinkError) -> Void) throws(HostLinkError) {
    var open: [[SQLValue]: Contact] = [:]
    var finished: [Contact] = []
    // In the order of their begin: one waits for all that began before it.
    func flush(before date: Int64?) throws(HostLinkError) {
      for (key, contact) in open
      where date.map({ contact.period.end.addingClamped(ContactRules.silence) < $0 }) ?? true {
        finished.append(contact)
        open[key] = nil
      }
      let least = open.values.map(\.period.begin).min() ?? .max
      let ready = finished.filter { $0.period.begin < least }
      finished.removeAll { $0.period.begin < least }
      for contact in ready.sorted(by: Self.isBefore) { try body(row(contact)) }
    }
    var day = Int64.min
    try directions { (direction: Row) throws(HostLinkError) in
      let number = SQLRow(values: direction.columns).integer(0)
      if number != day {
        day = number
        try flush(before: LocalDays.day(ofNumber: number).map(archive.days.begin(ofDay:)) ?? .min)
      }
      let key = Array(direction.columns.dropFirst())
      for var period in direction.windows.periods {
        if let former = open.removeValue(forKey: key) {
          if period.begin.subtractingClamped(former.period.end) <= ContactRules.silence {
            period = former.period.followed(by: period)
          } else {
            finished.append(former)
          }
        }
        open[key] = Contact(columns: key, period: period)
      }
    }
    try flush(before: nil)
  }

  private static func isBefore(_ one: Contact, _ other: Contact) -> Bool {
    func numbers(_ contact: Contact) -> (Int64, String, Int64) {
      let row = SQLRow(values: contact.columns)
      return (contact.period.begin, row.text(10), row.integer(0))
    }
    return numbers(one) < numbers(other)
  }
}
