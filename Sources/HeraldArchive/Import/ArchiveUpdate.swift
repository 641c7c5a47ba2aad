import HeraldEmbedded
import HeraldHostLink
import HeraldText

/// One update of an archive: derives what new pages, persons or rules have changed, in transactions of which
/// each leaves the archive so that the next update can go on.
struct ArchiveUpdate {
  private let archive: Archive
  private var connection: any ArchiveConnection { archive.connection }
  private var rules: ContactRules { archive.rules }

  init(_ archive: Archive) { self.archive = archive }

  /// Runs all steps; see `Archive.update`.
  func run(_ progress: (Int, Int) -> Void) throws(HostLinkError) -> Archive.Update {
    var update = Archive.Update()
    try ArchiveSchema.upgrade(archive)
    try scanUnread()
    try deriveStale(&update, progress)
    try MeetingUpdate(archive).run(&update)
    try ClockUpdate(archive).run()
    return update
  }

  // MARK: Payloads

  /// The payloads that a device sent and read, and what its log covers.
  private struct Payloads: Sendable {
    let device: Int64
    let read: [[UInt8]]
    let own: [(payload: [UInt8], from: Int64, to: Int64)]
    let simpleDays: [Int64]
    let coverage: [CoverageInterval]
  }

  /// Reads the payloads that devices with new pages have sent and read.
  func scanUnread() throws(HostLinkError) {
    for group in try DeviceGroup.all(in: archive, with: "is_unread") {
      // Another program may work on the same archive: what is derived is read in the transaction that stores
      // it.
      try connection.transaction { () throws(HostLinkError) in
        try archive.derive(group) { device throws(HostLinkError) in
          (device: device, clock: try archive.deviceClocks.clock(of: device))
        } _: { input, pages throws(HostLinkError) in
          try Self.payloads(of: input.device, pages, input.clock)
        } taking: { payloads throws(HostLinkError) in
          try store(payloads)
        }
      }
    }
  }

  private static func payloads(
    of device: Int64, _ pages: any DevicePages, _ clock: DeviceClock
  ) throws(HostLinkError) -> Payloads {
    let scan = try Archive.scan(pages, clock)
    var own: [(payload: [UInt8], from: Int64, to: Int64)] = []
    for (payload, moment) in scan.own {
      let bytes = scan.payloads[Int(payload)]
      if own.last?.payload == bytes { continue }
      // Before the device had a date, it is not known since when it sent its first payload.
      let from = own.isEmpty ? Int64.min : scan.date(moment) ?? own[own.count - 1].from
      if !own.isEmpty { own[own.count - 1].to = max(own[own.count - 1].from, from - 1) }
      own.append((bytes, from, .max))
    }
    return Payloads(
      device: device, read: scan.payloads, own: own, simpleDays: scan.simpleDays.sorted(),
      coverage: DeviceCoverage(scan.runs, date: scan.date).intervals)
  }

  private func store(_ payloads: Payloads) throws(HostLinkError) {
    let device = payloads.device
    var numbers: [[UInt8]: Int64] = [:]
    for bytes in payloads.read { numbers[bytes] = try number(ofPayload: bytes) }
    let former = try connection.rows(
      "SELECT payload_id FROM read_payload WHERE device_id = ?", [.integer(device)]
    ).map { $0.integer(0) }
    try connection.execute("DELETE FROM read_payload WHERE device_id = ?", [.integer(device)])
    try connection.append(
      "read_payload", ["device_id", "payload_id"],
      numbers.values.sorted().flatMap { [.integer(device), .integer($0)] })
    for payload in Set(former).subtracting(numbers.values) {
      try connection.execute(
        "DELETE FROM payload WHERE id = ? AND NOT EXISTS (SELECT 1 FROM read_payload r WHERE r.payload_id = payload.id)",
        [.integer(payload)])
    }
    try connection.execute("DELETE FROM simple_day WHERE device_id = ?", [.integer(device)])
    try connection.append(
      "simple_day", ["device_id", "day"], payloads.simpleDays.flatMap { [.integer(device), .integer($0)] })
    let own = payloads.own.map { [numbers[$0.payload] ?? 0, $0.from, $0.to] }
    let known = try connection.rows(
      "SELECT payload_id, from_ms, to_ms FROM own_payload WHERE device_id = ? ORDER BY from_ms",
      [.integer(device)]
    ).map { [$0.integer(0), $0.integer(1), $0.integer(2)] }
    if own != known {
      try connection.execute("DELETE FROM own_payload WHERE device_id = ?", [.integer(device)])
      try connection.append(
        "own_payload", ["device_id", "payload_id", "from_ms", "to_ms"],
        own.flatMap { [.integer(device), .integer($0[0]), .integer($0[1]), .integer($0[2])] })
      // Those who heard it now know whom they heard.
      for payload in Set((own + known).map { $0[0] }) {
        try connection.execute(
          "UPDATE device SET is_stale = 1 WHERE id IN (SELECT device_id FROM read_payload WHERE payload_id = ?)",
          [.integer(payload)])
      }
    }
    try CoverageTable(connection).store(payloads.coverage, of: device)
    try connection.execute("UPDATE device SET is_unread = 0 WHERE id = ?", [.integer(device)])
  }

  private func number(ofPayload bytes: [UInt8]) throws(HostLinkError) -> Int64 {
    if let known = try connection.number("SELECT id FROM payload WHERE bytes = ?", [.blob(bytes)]) {
      return known
    }
    let id = (try connection.number("SELECT MAX(id) FROM payload") ?? 0).addingClamped(1)
    try connection.append(
      "payload", ["id", "bytes", "short", "family"],
      [
        .integer(id), .blob(bytes), .text(ShortPayload.text(bytes)),
        .text(PayloadDescription(bytes)?.family ?? ""),
      ])
    return id
  }

  private func deriveStale(_ update: inout Archive.Update, _ progress: (Int, Int) -> Void)
    throws(HostLinkError)
  {
    let groups = try DeviceGroup.all(in: archive, with: "is_stale")
    let count = groups.reduce(0) { $0 + $1.devices.count }
    guard count > 0 else { return }
    for group in groups {
      try connection.transaction { () throws(HostLinkError) in
        try ClockUpdate.noteChange(connection)
        let assignments = try archive.assignments()
        var whos = WhoTable(connection)
        try archive.derive(group) { device throws(HostLinkError) in
          (device: device, input: try archive.input(of: device, assignments))
        } _: { element, pages throws(HostLinkError) in
          let scan = try Archive.scan(pages, element.input.clock)
          return (element.device, try DeviceDerivation(pages, scan, element.input.context))
        } taking: { result throws(HostLinkError) in
          try store(result.1, of: result.0, &whos)
          update.readings += result.1.readings
        }
      }
      update.devices += group.devices.count
      progress(update.devices, count)
    }
  }

  private func store(_ result: DeviceDerivation, of device: Int64, _ whos: inout WhoTable)
    throws(HostLinkError)
  {
    let number = SQLValue.integer(device)
    var numbers: [Int64] = []
    for who in result.whos { numbers.append(try whos.number(of: who)) }
    // The contacts tell the observers, which the key of `heard` begins with.
    let former = "device_id = ? AND observer_id IN (SELECT observer_id FROM contact WHERE device_id = ?)"
    var due: Set<MeetingKey> = []
    for row in try connection.rows(
      "SELECT observer_id, subject_id, day FROM heard WHERE \(former)", [number, number])
    {
      due.insert(MeetingKey(row.integer(0), row.integer(1), day: row.integer(2)))
    }
    try connection.execute("DELETE FROM heard WHERE \(former)", [number, number])
    for table in ["contact", "battery", "device_event"] {
      try connection.execute("DELETE FROM \(table) WHERE device_id = ?", [number])
    }
    try connection.append(
      "contact",
      [
        "observer_id", "begin_ms", "subject_id", "device_id", "end_ms", "seconds", "readings", "gaps",
      ] + ArchiveSchema.bands,
      result.contacts.flatMap { contact -> [SQLValue] in
        [
          .integer(numbers[Int(contact.observer)]), .integer(contact.begin),
          .integer(numbers[Int(contact.subject)]), number, .integer(contact.end),
          .integer(Int64(contact.seconds)), .integer(Int64(contact.readings)), .integer(Int64(contact.gaps)),
        ] + contact.bands.map { .integer(Int64($0)) }
      })
    var heard: [SQLValue] = []
    for day in result.heard {
      let (all, bands) = day.windows.seconds(rules)
      let (observer, subject) = (numbers[Int(day.observer)], numbers[Int(day.subject)])
      let civil = LocalDays.number(ofDay: day.day)
      heard += [
        .integer(civil), .integer(observer), .integer(subject), number, .integer(Int64(all)),
        .integer(Int64(day.readings)),
      ]
      heard += bands.map { .integer(Int64($0)) }
      heard.append(.blob(day.windows.bytes))
      due.insert(MeetingKey(observer, subject, day: civil))
    }
    try connection.append(
      "heard",
      ["day", "observer_id", "subject_id", "device_id", "seconds", "readings"] + ArchiveSchema.bands + [
        "windows"
      ],
      heard)
    try MeetingUpdate(archive).note(due, of: device)
    try connection.append(
      "battery", ["device_id", "unix_ms", "level", "is_external"],
      result.batteries.flatMap {
        [number, .integer($0.date), .integer($0.level), .integer($0.isExternal ? 1 : 0)]
      })
    try connection.append(
      "device_event", ["device_id", "unix_ms", "kind", "value"],
      result.events.flatMap { [number, .optional($0.date), .text($0.kind), .integer($0.value)] })
    try connection.execute(
      """
      UPDATE device SET is_stale = 0, readings = ?, undated = ?, lost = ?, first_ms = ?, last_ms = ? WHERE id = ?
      """,
      [
        .integer(Int64(result.readings)), .integer(Int64(result.undated)), .integer(Int64(result.refused)),
        .optional(result.first), .optional(result.last), number,
      ])
  }
}
