import HeraldEmbedded
import HeraldHostLink
import HeraldText

extension Archive {
  /// What an update has done.
  public struct Update: Equatable, Sendable {
    /// The number of devices whose contacts were derived.
    public var devices = 0
    /// The number of measurements of these devices.
    public var readings = 0
    /// The number of pairs and days whose meetings were derived.
    public var meetings = 0
  }

  /// The size of pages in memory at a time, in bytes; about 1.4 bytes are a reading.
  private static let mostPageBytes: Int64 = 4 << 20
  /// The number of devices whose pages are in memory at a time.
  private static let mostDevices = 32

  /// Derives everything that new pages, persons or rules have changed. Each step is a transaction: if the
  /// program ends before the last one, the next update goes on. `progress` receives the number of devices
  /// that are done and to do.
  @discardableResult
  public func update(progress: (Int, Int) -> Void = { _, _ in }) throws(HostLinkError) -> Update {
    var update = Update()
    try scanUnread()
    try deriveStale(&update, progress)
    try deriveMeetings(&update)
    return update
  }

  // MARK: Payloads

  /// The payloads that a device sent and read.
  private struct Payloads: Sendable {
    let device: Int64
    let read: [[UInt8]]
    let own: [(payload: [UInt8], from: Int64, to: Int64)]
    let simpleDays: [Int64]
  }

  /// Devices that have a flag, or all, in groups whose pages fit into memory.
  func groups(of flag: String? = nil) throws(HostLinkError) -> [[Int64]] {
    var groups: [[Int64]] = []
    var group: [Int64] = []
    var sum: Int64 = 0
    for row in try connection.rows(
      """
      SELECT d.id, COALESCE(SUM(p.size), 0) FROM device d LEFT JOIN page p ON p.device_id = d.id
      WHERE \(flag.map { "d.\($0)" } ?? "1") = 1 GROUP BY d.id ORDER BY d.id
      """)
    {
      if !group.isEmpty, sum + row.integer(1) > Self.mostPageBytes || group.count >= Self.mostDevices {
        groups.append(group)
        group = []
        sum = 0
      }
      group.append(row.integer(0))
      sum += row.integer(1)
    }
    if !group.isEmpty { groups.append(group) }
    return groups
  }

  func scanUnread() throws(HostLinkError) {
    for group in try groups(of: "is_unread") {
      // Another program may work on the same archive: what is derived is read in the transaction that stores it.
      try connection.transaction { () throws(HostLinkError) in
        var inputs: [(device: Int64, pages: [[UInt8]], clocks: [DeviceRecord.ClockFix])] = []
        for device in group { inputs.append((device, try pages(of: device), try clocks(of: device))) }
        for payloads in parallelMap(inputs, { Self.payloads(of: $0.device, $0.pages, $0.clocks) }) {
          try store(payloads)
        }
      }
    }
  }

  private static func payloads(
    of device: Int64, _ pages: [[UInt8]], _ clocks: [DeviceRecord.ClockFix]
  ) -> Payloads {
    let scan = scan(pages, clocks)
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
      device: device, read: scan.payloads, own: own, simpleDays: scan.simpleDays.sorted())
  }

  static func scan(_ pages: [[UInt8]], _ clocks: [DeviceRecord.ClockFix]) -> DeviceScan {
    var scan = DeviceScan(clocks)
    var visit = PageVisit()
    for (index, page) in pages.enumerated() { scan.add(page, index: index, &visit) }
    return scan
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
    try connection.execute("UPDATE device SET is_unread = 0 WHERE id = ?", [.integer(device)])
  }

  private func number(ofPayload bytes: [UInt8]) throws(HostLinkError) -> Int64 {
    if let known = try connection.number("SELECT id FROM payload WHERE bytes = ?", [.blob(bytes)]) {
      return known
    }
    let id = (try connection.number("SELECT MAX(id) FROM payload") ?? 0) + 1
    try connection.append(
      "payload", ["id", "bytes", "short", "family"],
      [
        .integer(id), .blob(bytes), .text(ShortPayload.text(bytes)),
        .text(PayloadDescription(bytes)?.family ?? ""),
      ])
    return id
  }

  // MARK: Contacts

  struct DeviceInput: Sendable {
    let device: Int64
    let pages: [[UInt8]]
    let clocks: [DeviceRecord.ClockFix]
    let context: DeviceDerivation.Context
  }

  private func deriveStale(_ update: inout Update, _ progress: (Int, Int) -> Void) throws(HostLinkError) {
    let groups = try groups(of: "is_stale")
    let count = groups.reduce(0) { $0 + $1.count }
    guard count > 0 else { return }
    for group in groups {
      try connection.transaction { () throws(HostLinkError) in
        let assignments = try assignments()
        var inputs: [DeviceInput] = []
        for device in group {
          inputs.append(
            DeviceInput(
              device: device, pages: try pages(of: device), clocks: try clocks(of: device),
              context: try context(of: device, assignments)))
        }
        let results = parallelMap(inputs) { input in
          DeviceDerivation(input.pages, Self.scan(input.pages, input.clocks), input.context)
        }
        var whos = WhoTable(connection)
        for (device, result) in zip(group, results) {
          try store(result, of: device, &whos)
          update.readings += result.readings
        }
      }
      update.devices += group.count
      progress(update.devices, count)
    }
  }

  func context(of device: Int64, _ assignments: Assignments) throws(HostLinkError)
    -> DeviceDerivation.Context
  {
    let serial = try connection.rows("SELECT serial FROM device WHERE id = ?", [.integer(device)]).first?
      .text(0)
    var claims: [[UInt8]: [PayloadClaim]] = [:]
    for row in try connection.rows(
      """
      SELECT p.bytes, d.serial, o.from_ms, o.to_ms FROM read_payload r JOIN own_payload o ON o.payload_id = r.payload_id
        JOIN payload p ON p.id = o.payload_id JOIN device d ON d.id = o.device_id WHERE r.device_id = ?
      ORDER BY o.device_id, o.from_ms
      """, [.integer(device)])
    {
      claims[row.blob(0), default: []].append(
        PayloadClaim(serial: row.text(1), from: row.integer(2), to: row.integer(3)))
    }
    try addResolved(to: &claims, of: device)
    return DeviceDerivation.Context(
      serial: serial ?? "", rules: rules, days: days, assignments: assignments, claims: claims)
  }

  private func store(_ result: DeviceDerivation, of device: Int64, _ whos: inout WhoTable)
    throws(HostLinkError)
  {
    let number = SQLValue.integer(device)
    var numbers: [Int64] = []
    for who in result.whos { numbers.append(try whos.number(of: who)) }
    // The contacts tell the observers, which the key of `heard` begins with.
    let former = "device_id = ? AND observer_id IN (SELECT observer_id FROM contact WHERE device_id = ?)"
    var due: Set<DueMeeting> = []
    for row in try connection.rows(
      "SELECT observer_id, subject_id, day FROM heard WHERE \(former)", [number, number])
    {
      due.insert(DueMeeting(row.integer(0), row.integer(1), day: row.integer(2)))
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
      due.insert(DueMeeting(observer, subject, day: civil))
    }
    try connection.append(
      "heard",
      ["day", "observer_id", "subject_id", "device_id", "seconds", "readings"] + ArchiveSchema.bands + [
        "windows"
      ],
      heard)
    try note(due, of: device)
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
