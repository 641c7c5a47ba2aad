import Foundation
import HeraldHostLink
import HeraldText

/// Which meetings of an archive are asked for.
public struct MeetingQuery: Equatable, Sendable {
  /// The civil day, counted from 1970-01-01 in the archive's time zone; `nil` for all.
  public var day: Int64?
  /// One of the two: a person's name, a serial number, a payload's short form or hexadecimal digits, a
  /// venue's name, or an address.
  public var person: String?
  /// The role of at least one of the two.
  public var role: String?
  /// The minimum duration of both directions joined, in seconds.
  public var leastSeconds = 0

  /// A query for all meetings.
  public init() {}
}

extension Archive {
  /// Calls `body` for each meeting of a query: by day, those with the longest duration first, each pair
  /// once. If the query names a person, that one is `who`; otherwise people come before devices, places,
  /// payloads and addresses, and then in the order of their names.
  /// - Throws: `.usage` if the archive knows no such person or role.
  public func meetings(
    _ query: MeetingQuery, _ body: (DayMeeting) throws(HostLinkError) -> Void
  ) throws(HostLinkError) {
    try MeetingReader(self).meetings(query, body)
  }

  /// The serial numbers of people that are not those of a device in the archive, and that no secret
  /// explains: usually they are misspelt, or the log is missing.
  public func unknownSerials() throws(HostLinkError) -> [String] {
    try connection.rows(
      """
      SELECT DISTINCT serial FROM assignment WHERE serial NOT IN (SELECT serial FROM device)
        AND serial NOT IN (SELECT serial FROM resolved_payload) ORDER BY serial
      """
    ).map { $0.text(0) }
  }
}
