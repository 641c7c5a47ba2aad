import HeraldHostLink

/// The table `coverage`: what the log of each device covers.
struct CoverageTable {
  static let name = "coverage"
  private let connection: any ArchiveConnection

  init(_ connection: any ArchiveConnection) { self.connection = connection }

  /// The intervals of a device, in ascending order.
  func intervals(of device: Int64) throws(HostLinkError) -> [CoverageInterval] {
    try connection.rows(
      "SELECT from_ms, to_ms, state FROM coverage WHERE device_id = ? ORDER BY from_ms", [.integer(device)]
    ).compactMap(CoverageInterval.init)
  }

  /// Replaces the intervals of a device. If it was worn at other times than was known, those who received it
  /// since then have to be derived again.
  func store(_ intervals: [CoverageInterval], of device: Int64) throws(HostLinkError) {
    let number = SQLValue.integer(device)
    let known = try self.intervals(of: device)
    guard known != intervals else { return }
    try connection.execute("DELETE FROM coverage WHERE device_id = ?", [number])
    try connection.append(
      Self.name, ["device_id", "from_ms", "to_ms", "state"],
      intervals.flatMap {
        [number, .integer($0.from), .integer($0.to), .text($0.state.rawValue)]
      })
    guard let change = Self.firstChange(Self.motion(known), Self.motion(intervals)) else { return }
    try connection.execute(
      """
      UPDATE device SET is_stale = 1 WHERE last_ms >= ? AND id IN (SELECT r.device_id FROM read_payload r
        JOIN own_payload o ON o.payload_id = r.payload_id WHERE o.device_id = ?
        UNION SELECT r.device_id FROM read_payload r JOIN payload p ON p.id = r.payload_id
        JOIN resolved_payload x ON x.bytes = p.bytes JOIN device d ON d.serial = x.serial WHERE d.id = ?)
      """, [.integer(change), number, number])
  }

  private static func motion(_ intervals: [CoverageInterval]) -> [CoverageInterval] {
    intervals.filter { $0.state == .worn || $0.state == .lying }
  }

  /// The first date at which two lists differ.
  private static func firstChange(_ one: [CoverageInterval], _ other: [CoverageInterval]) -> Int64? {
    let same = zip(one, other).prefix { $0 == $1 }.count
    let rest = [one.dropFirst(same).first, other.dropFirst(same).first].compactMap(\.self)
    guard let first = rest.map(\.from).min() else { return nil }
    // Of two that begin together, only the rest of the longer one differs.
    guard rest.count == 2, rest[0].from == rest[1].from, rest[0].state == rest[1].state else { return first }
    return min(rest[0].to, rest[1].to)
  }
}

extension CoverageInterval {
  /// An interval in a row of its begin, its end and its state; `nil` if that is none.
  init?(_ row: SQLRow) {
    guard let state = CoverageState(rawValue: row.text(2)), row.integer(0) < row.integer(1) else {
      return nil
    }
    self.init(from: row.integer(0), to: row.integer(1), state: state)
  }
}
