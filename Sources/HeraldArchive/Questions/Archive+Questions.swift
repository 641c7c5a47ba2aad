import Foundation
import HeraldHostLink

extension Archive {
  /// A row of `who`: a person, a device, a payload, an address or a place.
  public struct Party: Hashable, Sendable, Encodable {
    /// The number of the row.
    public let id: Int64
    /// What people call it; two rows may have the same label if their kinds differ.
    public let label: String
    /// `person`, `device`, `payload`, `address` or `place`.
    public let kind: String
    /// What the person is, such as `nurse`; empty if unknown.
    public let role: String
    /// Where the person belongs, such as `Ward 3`; empty if unknown.
    public let place: String
  }

  /// All that a pair had to do with each other on a day, joined from both directions.
  public struct Meeting: Equatable, Sendable, Encodable {
    /// The day, such as 20260914.
    public let day: Int64
    /// The one of whom it was asked, or the one with the lower number.
    public let who: Party
    /// The other one.
    public let other: Party
    /// The duration in seconds: windows of 30 s with a sign in either direction.
    public let seconds: Int64
    /// The number of measurements of both.
    public let readings: Int64
    /// The number of directions in which there was a sign: 1 or 2.
    public let directions: Int64
    /// The seconds in each band of attenuation.
    public let bands: [Int64]
  }

  /// One who met those whom somebody met, and not this somebody.
  public struct SecondDegree: Equatable, Sendable, Encodable {
    /// The one.
    public let party: Party
    /// The number of those through whom.
    public let through: Int64
    /// The longest meeting with one of them, in seconds.
    public let seconds: Int64
  }

  // The statements of the section "Four questions" of docs/archive.md, with arguments.

  private static let meetingColumns =
    "day, who_id, who, who_kind, who_role, who_place, other_id, other, other_kind, other_role, other_place, "
    + "seconds, readings, directions, " + ArchiveSchema.bands.joined(separator: ", ")

  /// The parties with a label.
  public func parties(labelled label: String) throws(HostLinkError) -> [Party] {
    try connection.rows(
      "SELECT id, label, kind, role, place FROM who WHERE label = ? ORDER BY kind, key", [.text(label)]
    ).map { Self.party($0, 0) }
  }

  /// The label as a value. Names of people are stored in Unicode's normalization form C; a label that nobody
  /// has as it is written is looked for in that form.
  func name(_ label: String) throws(HostLinkError) -> SQLValue {
    try parties(labelled: label).isEmpty ? .text(label.precomposedStringWithCanonicalMapping) : .text(label)
  }

  /// Who was near `label` on a day for more than so many seconds, the longest first.
  /// - Parameter day: the day in the archive's time zone, such as 20260914.
  public func near(_ label: String, day: Int64, seconds: Int64) throws(HostLinkError) -> [Meeting] {
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
      SELECT b.other_id, b.other, b.other_kind, b.other_role, b.other_place, COUNT(DISTINCT b.who_id) AS through,
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
      SecondDegree(
        party: Self.party($0, 0), through: $0.integer(5), seconds: $0.integer(6))
    }
  }

  /// All pairs of a day that met for more than so many seconds, the longest first.
  public func pairs(day: Int64, seconds: Int64 = 0) throws(HostLinkError) -> [Meeting] {
    try meetings(
      "day = ? AND who_id < other_id AND seconds > ? ORDER BY seconds DESC, who, other, who_id, other_id",
      [.integer(day), .integer(seconds)])
  }

  /// The meetings of a pair on each day, with the seconds in each band of attenuation.
  public func bands(_ label: String, _ other: String, days: ClosedRange<Int64>) throws(HostLinkError)
    -> [Meeting]
  {
    try meetings(
      "who = ? AND other = ? AND day BETWEEN ? AND ? ORDER BY day, who_id, other_id",
      [try name(label), try name(other), .integer(days.lowerBound), .integer(days.upperBound)])
  }

  private func meetings(_ condition: String, _ arguments: [SQLValue]) throws(HostLinkError) -> [Meeting] {
    try connection.rows("SELECT \(Self.meetingColumns) FROM meetings WHERE \(condition)", arguments).map {
      row in
      Meeting(
        day: row.integer(0), who: Self.party(row, 1),
        other: Self.party(row, 6), seconds: row.integer(11),
        readings: row.integer(12), directions: row.integer(13),
        bands: (0..<ContactRules.bandCount).map { row.integer(14 + $0) })
    }
  }

  static func party(_ row: SQLRow, _ column: Int) -> Party {
    Party(
      id: row.integer(column), label: row.text(column + 1), kind: row.text(column + 2),
      role: row.text(column + 3), place: row.text(column + 4))
  }
}
