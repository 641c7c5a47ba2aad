import HeraldEmbedded
import HeraldHostLink
import HeraldText

/// Resolves the identifiers of the simple payload that an archive has, with the secrets of devices.
struct SecretResolution {
  private let archive: Archive
  private var connection: any ArchiveConnection { archive.connection }
  /// A payload that a secret explains.
  private struct Found: Sendable {
    let payload: SimpleIdentifier
    let from: Int64
    let to: Int64
  }

  private struct Finding: Sendable {
    let serial: String
    let digest: [UInt8]
    let isOpenToOthers: Bool
    let found: [Found]
  }

  /// The number of secrets that are examined before their results are stored.
  private static let secretsAtOnce = 32

  init(_ archive: Archive) { self.archive = archive }

  /// Resolves the identifiers; see `Archive.resolve`.
  func resolve(_ folder: SecretFolder, epochs: [KeyScheduleEpoch]) throws(HostLinkError) -> Archive.Resolution
  {
    var resolution = Archive.Resolution()
    let table = try simpleIdentifiers()
    resolution.read = table.count
    var days: [Int64] = []
    for row in try connection.rows("SELECT DISTINCT day FROM simple_day ORDER BY day") {
      days.append(row.integer(0))
    }
    let schedules = epochs.map { Schedule($0, days) }
    let serials = try serialsByName()
    var owners: [[UInt8]: String] = [:]
    var all: Set<SimpleIdentifier> = []
    for start in stride(from: 0, to: folder.files.count, by: Self.secretsAtOnce) {
      let batch = folder.files[start..<min(start + Self.secretsAtOnce, folder.files.count)].map { $0 }
      var findings: [Finding] = []
      try parallelMap(batch) { file throws(HostLinkError) in
        (file, try Self.examine(file, serial: serials[file.name] ?? file.name, schedules, table))
      } taking: { (file, finding) throws(HostLinkError) in
        if let other = owners.updateValue(finding.serial, forKey: finding.digest) {
          throw HostLinkError(
            .usage,
            "\(PrintableText.of(other)) and \(PrintableText.of(finding.serial)) have the same secret: nobody can say whose an identifier is",
            advice: "remove the wrong one of the files")
        }
        if finding.isOpenToOthers { resolution.openToOthers.append(file.path) }
        if !finding.found.isEmpty { resolution.devices += 1 }
        for found in finding.found { all.insert(found.payload) }
        findings.append(finding)
      }
      try connection.transaction { () throws(HostLinkError) in
        for finding in findings { try store(finding) }
      }
    }
    resolution.resolved = all.count
    return resolution
  }

  /// The days of a key schedule on which identifiers in an archive can have been sent.
  private struct Schedule: Sendable {
    let epoch: KeyScheduleEpoch
    let days: [Int]

    init(_ epoch: KeyScheduleEpoch, _ civil: [Int64]) {
      self.epoch = epoch
      let start = Int64(clamping: epoch.unixSeconds)
      let tolerance = PayloadClaim.tolerance / 1000
      var days: Set<Int> = []
      for day in civil {
        let first = day * 86_400 - tolerance - start
        for second in [first, first + tolerance, first + 86_399 + tolerance, first + 86_399 + 2 * tolerance]
        where second >= 0 && second / 86_400 <= Int64(SimpleKeySchedule.lastDay) {
          days.insert(Int(second / 86_400))
        }
      }
      self.days = days.sorted()
    }
  }

  private static func examine(
    _ file: SecretFolder.File, serial: String, _ schedules: [Schedule], _ table: SimpleIdentifierTable
  ) throws(HostLinkError) -> Finding {
    let secret = try SimpleSecret.read(file.path)
    var found: [Found] = []
    for schedule in schedules {
      guard let first = schedule.days.first, let last = schedule.days.last else { continue }
      let identifiers = try ContactIdentifiers(of: secret, days: first...last)
      let epoch = Int64(clamping: schedule.epoch.unixSeconds) * 1000
      for day in schedule.days {
        identifiers.forEach(day: day) { period, high, low in
          let length = Int64(SimpleKeySchedule.periodSeconds) * 1000
          let from = epoch + Int64(day) * 86_400_000 + Int64(period) * length
          for payload in table.payloads(high, low) {
            found.append(Found(payload: payload, from: from, to: from + length - 1))
          }
        }
      }
    }
    return Finding(
      serial: serial, digest: secret.digest, isOpenToOthers: secret.isOpenToOthers, found: found)
  }

  private func simpleIdentifiers() throws(HostLinkError) -> SimpleIdentifierTable {
    var identifiers: [SimpleIdentifier] = []
    try connection.query("SELECT bytes FROM payload WHERE family = 'simple'", []) {
      (row: SQLRow) throws(HostLinkError) in
      if let identifier = SimpleIdentifier(payload: row.blob(0)) { identifiers.append(identifier) }
    }
    return SimpleIdentifierTable(identifiers)
  }

  /// The serial numbers of known devices by the names of their files.
  private func serialsByName() throws(HostLinkError) -> [String: String] {
    var serials: [String: String] = [:]
    for row in try connection.rows("SELECT serial FROM device UNION SELECT serial FROM assignment") {
      serials[DeviceFolder.name(serial: row.text(0), location: "")] = row.text(0)
    }
    return serials
  }

  /// Stores what is known about the payloads of a device, unless it is known already.
  private func store(_ finding: Finding) throws(HostLinkError) {
    let serial = SQLValue.text(finding.serial)
    let found = finding.found.sorted { $0.payload < $1.payload }
    let rows = found.map { [SQLValue.blob($0.payload.payload), serial, .integer($0.from), .integer($0.to)] }
    let known = try connection.rows(
      "SELECT bytes, serial, from_ms, to_ms FROM resolved_payload WHERE serial = ?", [serial]
    ).map(\.values)
    let former = Dictionary(known.map { ($0[0].bytes, $0) }) { first, _ in first }
    var unchanged: Set<[UInt8]> = []
    for row in rows where former[row[0].bytes] == row { unchanged.insert(row[0].bytes) }
    guard unchanged.count < rows.count || known.count > rows.count else { return }
    try connection.execute("DELETE FROM resolved_payload WHERE serial = ?", [serial])
    for row in rows {
      // A secret that had the name of another device before.
      try connection.execute("DELETE FROM resolved_payload WHERE bytes = ?", [row[0]])
    }
    try connection.append("resolved_payload", ["bytes", "serial", "from_ms", "to_ms"], rows.flatMap(\.self))
    // Those who heard them now know whom they heard.
    for bytes in Set(rows.map { $0[0].bytes } + former.keys).subtracting(unchanged) {
      try connection.execute(
        """
        UPDATE device SET is_stale = 1 WHERE is_stale = 0 AND id IN
          (SELECT r.device_id FROM read_payload r JOIN payload p ON p.id = r.payload_id WHERE p.bytes = ?)
        """, [.blob(bytes)])
    }
  }
}

extension SQLValue {
  /// The bytes of a blob; none for other values.
  fileprivate var bytes: [UInt8] { if case .blob(let bytes) = self { bytes } else { [] } }
}
