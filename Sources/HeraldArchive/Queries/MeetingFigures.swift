import HeraldHostLink

/// The figures of a meeting, joined from both directions: a row of the view `near`. `DayMeeting` has the
/// windows of each direction instead, which take longer to read than all rows of a day.
package struct MeetingFigures: Equatable, Sendable, Encodable {
  /// The day, such as 20260914.
  package let day: Int64
  /// The one of whom it was asked, or the one with the lower number.
  package let who: Who
  /// The other one.
  package let other: Who
  /// The duration in seconds: windows with a sign in either direction.
  package let seconds: Int64
  /// The number of measurements of both; `nil` with a limit of attenuation, as those of a minute are not
  /// counted.
  package let readings: Int64?
  /// The number of directions in which there was a sign: 1 or 2.
  package let directions: Int64
  /// The seconds in each band of attenuation.
  package let bands: [Int64]

  /// The columns of a `MeetingSelection` that `init` takes.
  static let columns =
    "m.day, " + ["w", "o"].map { "\($0).id, \($0).kind, \($0).label, \($0).role, \($0).place, " }.joined()
    + "m.seconds, m.readings, m.directions, "
    + ArchiveSchema.bands.map { "m.\($0)" }.joined(separator: ", ")

  init(_ row: SQLRow) {
    day = row.integer(0)
    who = Who(row, from: 1)
    other = Who(row, from: 6)
    seconds = row.integer(11)
    readings = row.integer(12)
    directions = row.integer(13)
    bands = (0..<ContactRules.bandCount).map { row.integer(14 + $0) }
  }

  /// The figures of a meeting of which only windows within a limit count.
  init(_ meeting: DayMeeting, _ rules: ContactRules) {
    day = LocalDays.number(ofDay: meeting.day)
    (who, other) = (meeting.who, meeting.other)
    let (all, bands) = meeting.joined.seconds(rules)
    seconds = Int64(all)
    readings = nil
    directions = Int64([meeting.heard, meeting.wasHeard].count { !$0.minutes.isEmpty })
    self.bands = bands.map(Int64.init)
  }
}

/// One who met those whom somebody met, and not this somebody.
package struct SecondDegree: Equatable, Sendable, Encodable {
  /// The one.
  package let who: Who
  /// The number of those through whom.
  package let through: Int64
  /// The longest meeting with one of them, in seconds.
  package let seconds: Int64
}
