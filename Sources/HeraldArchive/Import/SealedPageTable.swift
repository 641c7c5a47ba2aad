import HeraldHostLink
import HeraldText

/// The pages of an archive that are sealed still: closed ones, as their devices wrote them, so that none is
/// lost until somebody has the key.
struct SealedPageTable {
  private let archive: Archive
  private var connection: any ArchiveConnection { archive.connection }
  /// The pages of the device in question by number, with their digests.
  private var known: [PageName: [UInt8]] = [:]
  private let device: Int64

  /// The table of a device, which is created if the archive has none.
  init(_ archive: Archive, of device: Int64) throws(HostLinkError) {
    (self.archive, self.device) = (archive, device)
    if try ArchiveSchema.ensure(.sealedPages, connection) { known = try Self.digests(archive, of: device) }
  }

  /// The sealed pages of a device with the digests of their files; none if the archive has no such table.
  static func digests(_ archive: Archive, of device: Int64) throws(HostLinkError) -> [PageName: [UInt8]] {
    var digests: [PageName: [UInt8]] = [:]
    guard try archive.connection.hasTable("sealed_page") else { return digests }
    for row in try archive.connection.rows(
      "SELECT epoch, sequence, sha256 FROM sealed_page WHERE device_id = ?", [.integer(device)])
    {
      let name = PageName(
        epoch: UInt32(clamping: row.integer(0)), sequence: UInt32(clamping: row.integer(1)), isOpen: false)
      digests[name] = row.blob(2)
    }
    return digests
  }

  /// Keeps a closed page as it is. `false` if there is another one of its number.
  mutating func keep(_ name: PageName, _ bytes: [UInt8], _ sha256: [UInt8]) throws(HostLinkError) -> Bool {
    if let digest = known[name] { return digest == sha256 }
    let frame = try archive.frames.frame(of: bytes)
    try connection.append(
      "sealed_page", ["device_id", "epoch", "sequence", "sha256", "size", "bytes"],
      [
        .integer(device), .integer(Int64(name.epoch)), .integer(Int64(name.sequence)), .blob(sha256),
        .integer(Int64(bytes.count)), .blob(frame),
      ])
    known[name] = sha256
    return true
  }

  /// Removes a page if it has this digest, in hexadecimal: it is not the device's.
  mutating func remove(_ name: PageName, digest: String) throws(HostLinkError) {
    if known[name]?.hexadecimal == digest { try remove(name) }
  }

  /// The page was opened.
  mutating func remove(_ name: PageName) throws(HostLinkError) {
    guard known.removeValue(forKey: name) != nil else { return }
    try connection.execute(
      "DELETE FROM sealed_page WHERE device_id = ? AND epoch = ? AND sequence = ?",
      [.integer(device), .integer(Int64(name.epoch)), .integer(Int64(name.sequence))])
  }

  /// A page was opened: its content takes the place of what there is of it.
  mutating func replace(_ name: PageName, by content: [UInt8], _ sha256: [UInt8]) throws(HostLinkError) {
    let key: [SQLValue] = [
      .integer(device), .integer(Int64(name.epoch)), .integer(Int64(name.sequence)),
    ]
    try connection.execute(
      "DELETE FROM page WHERE device_id = ? AND epoch = ? AND sequence = ?", key)
    let number = (try connection.number("SELECT MAX(id) FROM page") ?? 0).addingClamped(1)
    try connection.append(
      "page", ["id", "device_id", "epoch", "sequence", "is_open", "sha256", "size", "bytes"],
      [.integer(number)] + key
        + [
          .integer(0), .blob(sha256), .integer(Int64(content.count)),
          .blob(try archive.frames.frame(of: content)),
        ])
    try remove(name)
  }

  /// The numbers of its pages, in ascending order.
  var names: [PageName] { known.keys.sorted() }

  /// A page as the device wrote it, and the digest of its file.
  func page(_ name: PageName) throws(HostLinkError) -> (bytes: [UInt8], sha256: [UInt8]) {
    let row = try connection.rows(
      "SELECT size, bytes FROM sealed_page WHERE device_id = ? AND epoch = ? AND sequence = ?",
      [.integer(device), .integer(Int64(name.epoch)), .integer(Int64(name.sequence))]
    ).first
    return (try archive.page(in: row), known[name] ?? [])
  }
}

extension SealedPageTable {
  /// The devices of an archive that have sealed pages: their numbers and serial numbers.
  private static func devices(_ archive: Archive) throws(HostLinkError) -> [(id: Int64, serial: String)] {
    guard try archive.connection.hasTable("sealed_page") else { return [] }
    return try archive.connection.rows(
      "SELECT id, serial FROM device WHERE id IN (SELECT device_id FROM sealed_page) ORDER BY serial"
    ).map { ($0.integer(0), $0.text(1)) }
  }

  /// See `Archive.openSealedPages`.
  static func open(in archive: Archive, _ keys: SealedPageKeys)
    throws(HostLinkError) -> (opened: Int, left: Int)
  {
    var (opened, left) = (0, 0)
    for (id, serial) in try devices(archive) {
      try archive.connection.transaction { () throws(HostLinkError) in
        var table = try SealedPageTable(archive, of: id)
        let before = opened
        for name in table.names {
          let (bytes, sha256) = try table.page(name)
          guard case .page(let content, isWhole: true) = keys.open(bytes, serial: serial) else {
            left += 1
            continue
          }
          try table.replace(name, by: content, sha256)
          opened += 1
        }
        guard opened > before else { return }
        try archive.connection.execute(
          "UPDATE device SET is_unread = 1, is_stale = 1 WHERE id = ?", [.integer(id)])
      }
    }
    return (opened, left)
  }

  /// See `Archive.sealedPageCount`.
  static func count(in archive: Archive) throws(HostLinkError) -> Int {
    guard try archive.connection.hasTable("sealed_page") else { return 0 }
    return Int(try archive.connection.number("SELECT COUNT(*) FROM sealed_page") ?? 0)
  }
}

extension Archive {
  /// Opens the pages that are sealed still, as far as `keys` open them. Returns how many were opened, and how
  /// many are left. The next `update` derives what they change.
  package func openSealedPages(_ keys: SealedPageKeys) throws(HostLinkError) -> (opened: Int, left: Int) {
    try SealedPageTable.open(in: self, keys)
  }

  /// The number of pages that are sealed still.
  package func sealedPageCount() throws(HostLinkError) -> Int { try SealedPageTable.count(in: self) }
}
