import HeraldHostLink

extension MeetingReader {
  /// The figures of the meetings of a query; see `Archive.figures`.
  func figures(_ query: MeetingQuery) throws(HostLinkError) -> [MeetingFigures] {
    var figures: [MeetingFigures] = []
    try self.figures(query, isByNumber: false) { figures.append($0) }
    return figures
  }

  /// Passes the figures of the meetings of a query to `body`, by day; of a day the longest first, or, if
  /// `isByNumber`, by the numbers of the two. `body` must not use the archive.
  func figures(
    _ query: MeetingQuery, isByNumber: Bool, _ body: (MeetingFigures) throws(HostLinkError) -> Void
  ) throws(HostLinkError) {
    guard query.within == nil else {
      var day: [MeetingFigures] = []
      func flush() throws(HostLinkError) {
        if isByNumber { day.sort { ($0.who.id, $0.other.id) < ($1.who.id, $1.other.id) } }
        for figures in day { try body(figures) }
        day.removeAll(keepingCapacity: true)
      }
      try meetings(query) { (meeting: DayMeeting) throws(HostLinkError) in
        let isTurned = !query.hasFirst && meeting.other.id < meeting.who.id
        let figures = MeetingFigures(isTurned ? meeting.turned : meeting, archive.rules)
        if let last = day.last, last.day != figures.day { try flush() }
        day.append(figures)
      }
      return try flush()
    }
    let selection = try MeetingSelection(query, of: archive.connection, isTurned: query.personFirst)
    let order = isByNumber ? "m.who_id, m.other_id" : "m.seconds DESC, w.label, o.label, m.who_id, m.other_id"
    try archive.connection.query(
      "SELECT \(MeetingFigures.columns) \(selection.sql) ORDER BY m.day, \(order)", selection.arguments
    ) { (row: SQLRow) throws(HostLinkError) in try body(MeetingFigures(row)) }
  }

  /// Contacts of contacts; see `Archive.secondDegree`.
  func secondDegree(_ query: MeetingQuery) throws(HostLinkError) -> [SecondDegree] {
    let first = try figures(query)
    var earliest: [Int64: Int64] = [:]
    for meeting in first {
      earliest[meeting.other.id] = min(earliest[meeting.other.id] ?? .max, meeting.day)
    }
    let selves = Set(first.map(\.who.id))
    var found: [Int64: SecondDegree] = [:]
    for person in earliest.keys.sorted() {
      var further = query
      further.person = nil
      further.personNumber = person
      let least = earliest[person] ?? .max
      var longest: [Int64: (who: Who, seconds: Int64)] = [:]
      for meeting in try figures(further) where meeting.day >= least {
        let other = meeting.other
        guard !selves.contains(other.id), earliest[other.id] == nil else { continue }
        longest[other.id] = (other, max(longest[other.id]?.seconds ?? 0, meeting.seconds))
      }
      for (id, one) in longest {
        let known = found[id]
        found[id] = SecondDegree(
          who: one.who, through: (known?.through ?? 0) + 1, seconds: max(known?.seconds ?? 0, one.seconds))
      }
    }
    return found.values.sorted {
      ($1.through, $1.seconds, $0.who.label, $0.who.id) < ($0.through, $0.seconds, $1.who.label, $1.who.id)
    }
  }
}
