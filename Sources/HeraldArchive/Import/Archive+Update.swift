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
    try ArchiveUpdate(self).run(progress)
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

  /// The first pass over the pages of a device.
  static func scan(_ pages: [[UInt8]], _ clocks: [DeviceRecord.ClockFix]) -> DeviceScan {
    var scan = DeviceScan(clocks)
    var visit = PageVisit()
    for (index, page) in pages.enumerated() { scan.add(page, index: index, &visit) }
    return scan
  }

  /// What the derivation of a device needs.
  struct DeviceInput: Sendable {
    let device: Int64
    let pages: [[UInt8]]
    let clocks: [DeviceRecord.ClockFix]
    let context: DeviceDerivation.Context
  }

  /// What the derivation of a device needs beside its pages.
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
}
