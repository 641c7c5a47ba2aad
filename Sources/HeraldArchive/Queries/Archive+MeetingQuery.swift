import HeraldHostLink

extension Archive {
  /// Calls `body` for each meeting of a query: by day, those with the longest duration first, each pair
  /// once. If the query names a person, that one is `who`; otherwise people come before devices, places,
  /// payloads and addresses, and then in the order of their names.
  /// - Throws: `.usage` if the archive knows no such person or role.
  package func meetings(
    _ query: MeetingQuery, _ body: (DayMeeting) throws(HostLinkError) -> Void
  ) throws(HostLinkError) {
    try MeetingReader(self).meetings(query, body)
  }

  /// The serial numbers of people that are not those of a device in the archive, and that no secret
  /// explains: usually they are misspelt, or the log is missing.
  package func unknownSerials() throws(HostLinkError) -> [String] {
    try connection.rows(
      """
      SELECT DISTINCT serial FROM assignment WHERE serial NOT IN (SELECT serial FROM device)
        AND serial NOT IN (SELECT serial FROM resolved_payload) ORDER BY serial
      """
    ).map { $0.text(0) }
  }
}
