import Foundation
import HeraldHostLink

extension Archive {
  // The statements of the section "Four questions" of docs/archive.md, with arguments.

  /// Those with a label.
  public func parties(labelled label: String) throws(HostLinkError) -> [Who] {
    try connection.rows(
      "SELECT \(Who.columns) FROM who WHERE label = ? ORDER BY kind, key", [.text(label)]
    ).map { Who($0, from: 0) }
  }

  /// The label as a value. Names of people are stored in Unicode's normalization form C; a label that nobody
  /// has as it is written is looked for in that form.
  func name(_ label: String) throws(HostLinkError) -> SQLValue {
    try parties(labelled: label).isEmpty ? .text(label.precomposedStringWithCanonicalMapping) : .text(label)
  }

  /// Who was near `label` on a day for more than so many seconds, the longest first.
  /// - Parameter day: the day in the archive's time zone, such as 20260914.
  public func near(_ label: String, day: Int64, seconds: Int64) throws(HostLinkError) -> [MeetingFigures] {
    try meetings(
      "who = ? AND day = ? AND seconds > ? ORDER BY seconds DESC, other, other_id",
      [try name(label), .integer(day), .integer(seconds)])
  }

  /// Those who were near somebody who was near `label`, and were not near `label`: contacts of contacts. The
  /// second meeting is on the day of the first one or later; both are longer than `seconds`.
  /// - Parameter days: the first and the last day, such as 20260914.
  public func secondDegree(_ label: String, days: ClosedRange<Int64>, seconds: Int64) throws(HostLinkError)
    -> [SecondDegree]
  {
    let (first, last) = (SQLValue.integer(days.lowerBound), SQLValue.integer(days.upperBound))
    let (name, least) = (try name(label), SQLValue.integer(seconds))
    return try connection.rows(
      """
      SELECT b.other_id, b.other_kind, b.other, b.other_role, b.other_place, COUNT(DISTINCT b.who_id) AS through,
        MAX(b.seconds) AS longest
      FROM meetings a JOIN meetings b ON b.who_id = a.other_id
      WHERE a.who = ? AND a.day BETWEEN ? AND ? AND a.seconds > ?
        AND b.day BETWEEN a.day AND ? AND b.seconds > ? AND b.other <> ?
        AND b.other_id NOT IN (
          SELECT other_id FROM meetings WHERE who = ? AND day BETWEEN ? AND ? AND seconds > ?)
      GROUP BY b.other_id, b.other, b.other_kind, b.other_role, b.other_place
      ORDER BY through DESC, longest DESC, b.other, b.other_id
      """, [name, first, last, least, last, least, name, name, first, last, least]
    ).map {
      SecondDegree(who: Who($0, from: 0), through: $0.integer(5), seconds: $0.integer(6))
    }
  }

  /// All pairs of a day that met for more than so many seconds, the longest first.
  public func pairs(day: Int64, seconds: Int64 = 0) throws(HostLinkError) -> [MeetingFigures] {
    try meetings(
      "day = ? AND who_id < other_id AND seconds > ? ORDER BY seconds DESC, who, other, who_id, other_id",
      [.integer(day), .integer(seconds)])
  }

  /// The meetings of a pair on each day, with the seconds in each band of attenuation.
  public func bands(_ label: String, _ other: String, days: ClosedRange<Int64>) throws(HostLinkError)
    -> [MeetingFigures]
  {
    try meetings(
      "who = ? AND other = ? AND day BETWEEN ? AND ? ORDER BY day, who_id, other_id",
      [try name(label), try name(other), .integer(days.lowerBound), .integer(days.upperBound)])
  }

  private func meetings(_ condition: String, _ arguments: [SQLValue]) throws(HostLinkError)
    -> [MeetingFigures]
  {
    try connection.rows("SELECT \(MeetingFigures.columns) FROM meetings WHERE \(condition)", arguments)
      .map(MeetingFigures.init)
  }
}
