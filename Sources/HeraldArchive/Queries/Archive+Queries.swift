import HeraldHostLink

extension Archive {
  /// The parties with a label.
  package func parties(labelled label: String) throws(HostLinkError) -> [Who] {
    try connection.rows(
      "SELECT \(Who.columns) FROM who WHERE label = ? ORDER BY kind, key", [.text(label)]
    ).map { Who($0, from: 0) }
  }

  /// The figures of the meetings of a query: by day, the longest first. If the query names a person, that one
  /// is `who`; otherwise the one with the lower number is.
  /// - Throws: `.unrecorded` if the archive knows no such person, `.usage` for a role or place.
  package func figures(_ query: MeetingQuery) throws(HostLinkError) -> [MeetingFigures] {
    try MeetingReader(self).figures(query)
  }

  /// The meetings of a query that are left out because nobody wore one of the badges.
  package func unwornFigures(_ query: MeetingQuery) throws(HostLinkError) -> [MeetingFigures] {
    var all = query
    all.withUnworn = true
    return try figures(all).filter { $0.who.kind == .unworn || $0.other.kind == .unworn }
  }

  /// The parties who were near somebody who was near the person of a query, and were not near that one:
  /// contacts of contacts. The second meeting is on the day of the first one or later; all are meetings of
  /// the query.
  package func secondDegree(_ query: MeetingQuery) throws(HostLinkError) -> [SecondDegree] {
    try MeetingReader(self).secondDegree(query)
  }
}
