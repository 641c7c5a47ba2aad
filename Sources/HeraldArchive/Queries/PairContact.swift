import HeraldHostLink

/// A contact of two: both directions joined, from the first window with a sign to the last one before a
/// silence.
package struct PairContact: Equatable, Sendable {
  /// One of the two parties.
  package let who: Who
  /// The other.
  package let other: Who
  /// Begin, end, gaps and windows.
  package let period: DayWindows.Period
}

extension Archive {
  /// Calls `body` for each contact of the meetings of a query, by the day on which they are over, then by
  /// their begin. A contact goes on past midnight, except at the ends of the days of the query.
  package func contacts(
    _ query: MeetingQuery, _ body: (PairContact) throws(HostLinkError) -> Void
  ) throws(HostLinkError) {
    try MeetingReader(self).contacts(query, body)
  }
}

extension MeetingReader {
  /// Calls `body` for each contact; see `Archive.contacts`.
  func contacts(
    _ query: MeetingQuery, _ body: (PairContact) throws(HostLinkError) -> Void
  ) throws(HostLinkError) {
    var open: [[Int64]: PairContact] = [:]
    var finished: [PairContact] = []
    var day = Int64.min
    func flush(before date: Int64) throws(HostLinkError) {
      for (pair, contact) in open where contact.period.end + ContactRules.silence < date {
        finished.append(contact)
        open[pair] = nil
      }
      finished.sort {
        ($0.period.begin, $0.who.id, $0.other.id) < ($1.period.begin, $1.who.id, $1.other.id)
      }
      for contact in finished { try body(contact) }
      finished = []
    }
    try meetings(query) { (meeting: DayMeeting) throws(HostLinkError) in
      if meeting.day != day {
        day = meeting.day
        try flush(before: archive.days.begin(ofDay: day))
      }
      let pair = [meeting.who.id, meeting.other.id]
      for var period in meeting.joined.periods {
        if let former = open.removeValue(forKey: pair) {
          if period.begin - former.period.end <= ContactRules.silence {
            period = former.period.followed(by: period)
          } else {
            finished.append(former)
          }
        }
        open[pair] = PairContact(who: meeting.who, other: meeting.other, period: period)
      }
    }
    try flush(before: .max)
  }
}
