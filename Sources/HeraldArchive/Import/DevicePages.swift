import HeraldHostLink

/// The pages of a device in the order of its log, which are gone through several times.
protocol DevicePages {
  /// Passes the pages with these indices, or all, to `body`, in ascending order.
  /// - Throws: `.storage` if a page in the archive is damaged, and what `body` throws.
  func forEach(
    _ indices: [Int]?, _ body: (_ index: Int, _ page: [UInt8]) throws(HostLinkError) -> Void
  ) throws(HostLinkError)
}

extension [[UInt8]]: DevicePages {
  func forEach(
    _ indices: [Int]?, _ body: (_ index: Int, _ page: [UInt8]) throws(HostLinkError) -> Void
  ) throws(HostLinkError) {
    for index in indices ?? Array<Int>(self.indices) { try body(index, self[index]) }
  }
}

/// The pages of a device in an archive, of which one is in memory at a time.
struct StoredPages: DevicePages {
  private let archive: Archive
  private let numbers: [Int64]

  /// The number of pages.
  var count: Int { numbers.count }

  init(_ archive: Archive, of device: Int64) throws(HostLinkError) {
    self.archive = archive
    var numbers: [Int64] = []
    for epoch in try archive.epochs(ofPagesOf: device) {
      numbers += try archive.connection.rows(
        "SELECT id FROM page WHERE device_id = ? AND epoch = ? ORDER BY sequence, is_open",
        [.integer(device), .integer(epoch)]
      ).map { $0.integer(0) }
    }
    self.numbers = numbers
  }

  func forEach(
    _ indices: [Int]?, _ body: (_ index: Int, _ page: [UInt8]) throws(HostLinkError) -> Void
  ) throws(HostLinkError) {
    for index in indices ?? Array(numbers.indices) {
      let row = try archive.connection.rows(
        "SELECT size, bytes FROM page WHERE id = ?", [.integer(numbers[index])]
      ).first
      try body(index, try archive.page(in: row))
    }
  }
}

/// Devices that are derived in one transaction.
struct DeviceGroup {
  /// The rows of `device`.
  private(set) var devices: [Int64] = []
  /// The size of their pages in bytes.
  private(set) var bytes: Int64 = 0

  /// The maximum number of devices in a group.
  private static let mostDevices = 32

  /// The devices of an archive that have a flag, or all, in groups whose pages fit into memory; a device with
  /// more is a group of its own.
  static func all(in archive: Archive, with flag: String? = nil) throws(HostLinkError) -> [DeviceGroup] {
    var groups: [DeviceGroup] = []
    var group = DeviceGroup()
    for row in try archive.connection.rows(
      """
      SELECT d.id, COALESCE(SUM(p.size), 0) FROM device d LEFT JOIN page p ON p.device_id = d.id
      WHERE \(flag.map { "d.\($0)" } ?? "1") = 1 GROUP BY d.id ORDER BY d.id
      """)
    {
      // A size that a foreign program has written may be any number.
      let bytes = min(max(row.integer(1), 0), Int64(UInt32.max))
      if !group.devices.isEmpty,
        group.bytes + bytes > archive.mostPageBytes || group.devices.count >= mostDevices
      {
        groups.append(group)
        group = DeviceGroup()
      }
      group.add(row.integer(0), bytes: bytes)
    }
    if !group.devices.isEmpty { groups.append(group) }
    return groups
  }

  mutating func add(_ device: Int64, bytes: Int64) {
    devices.append(device)
    self.bytes += bytes
  }
}

extension Archive {
  /// Applies a function to what the devices of a group need, and to their pages: on all processors if the
  /// pages fit into memory, otherwise as they are read. `take` gets the results in the order of the devices,
  /// while those of later ones are computed.
  func derive<Input: Sendable, Output: Sendable>(
    _ group: DeviceGroup, _ input: (Int64) throws(HostLinkError) -> Input,
    _ transform: @Sendable (Input, any DevicePages) throws(HostLinkError) -> Output,
    taking take: (Output) throws(HostLinkError) -> Void
  ) throws(HostLinkError) {
    guard group.bytes <= mostPageBytes else {
      for device in group.devices {
        try take(try transform(try input(device), try StoredPages(self, of: device)))
      }
      return
    }
    var inputs: [(input: Input, pages: [[UInt8]])] = []
    for device in group.devices { inputs.append((try input(device), try pages(of: device))) }
    try parallelMap(
      inputs, { element throws(HostLinkError) in try transform(element.input, element.pages) }, taking: take)
  }
}
