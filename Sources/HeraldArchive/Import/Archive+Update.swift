import HeraldEmbedded
import HeraldHostLink
import HeraldText

extension Archive {
  /// What an update has done.
  package struct Update: Equatable, Sendable {
    /// The number of devices whose contacts were derived.
    package var devices = 0
    /// The number of measurements of these devices.
    package var readings = 0
    /// The number of pairs and days whose meetings were derived.
    package var meetings = 0
  }

  /// Derives everything that new pages, persons or rules have changed. Each step is a transaction: if the
  /// program ends before the last one, the next update goes on. `progress` receives the number of devices
  /// that are done and to do.
  @discardableResult
  package func update(progress: (Int, Int) -> Void = { _, _ in }) throws(HostLinkError) -> Update {
    try ArchiveUpdate(self).run(progress)
  }

  /// Whether an update would derive something: what an archive says until then lacks that.
  package func isUpdateDue() throws(HostLinkError) -> Bool {
    guard try storedVersion() == ArchiveSchema.version else { return true }
    let devices = try connection.number("SELECT COUNT(*) FROM device WHERE is_unread <> 0 OR is_stale <> 0")
    if let devices, devices > 0 { return true }
    return try !connection.rows("SELECT who_id FROM meeting_due LIMIT 1").isEmpty
  }

  /// The first pass over the pages of a device.
  static func scan(_ pages: any DevicePages, _ clock: DeviceClock) throws(HostLinkError) -> DeviceScan {
    var scan = DeviceScan(clock)
    var visit = PageVisit()
    try pages.forEach(nil) { index, page in scan.add(page, index: index, &visit) }
    return scan
  }

  /// What the derivation of a device needs beside its pages.
  struct DeviceInput: Sendable {
    let device: Int64
    let clock: DeviceClock
    let context: DeviceDerivation.Context
  }

  /// What the derivation of a device needs beside its pages.
  func input(of device: Int64, _ assignments: Assignments) throws(HostLinkError) -> DeviceInput {
    DeviceInput(
      device: device, clock: try deviceClocks.clock(of: device), context: try context(of: device, assignments)
    )
  }

  /// The rules, persons and payloads by which a device is derived.
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
    let serials = Set(claims.values.flatMap { $0.map(\.serial) })
    return DeviceDerivation.Context(
      serial: serial ?? "", rules: rules, days: days, assignments: assignments, claims: claims,
      wear: try WearTimes(of: serials.union([serial ?? ""]), in: connection))
  }
}
