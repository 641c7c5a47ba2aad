import HeraldEmbedded
import HeraldHostLink

extension Archive {
  /// What was added to an archive.
  public struct Addition: Equatable, Sendable {
    /// The number of folders.
    public var folders = 0
    /// The number of pages that are new, or longer than before.
    public var newPages = 0
    /// The number of pages that were in the archive already.
    public var knownPages = 0
    /// The files that are no pages, or differ from the page of the same number in the archive.
    public var refused: [String] = []
    /// Folders that could not be read, with the reason.
    public var failures: [(folder: String, error: HostLinkError)] = []

    /// Whether two additions are the same, except for the reasons of failures.
    public static func == (left: Addition, right: Addition) -> Bool {
      left.folders == right.folders && left.newPages == right.newPages && left.knownPages == right.knownPages
        && left.refused == right.refused && left.failures.map(\.folder) == right.failures.map(\.folder)
    }
  }

  /// The maximum number of refused files whose names are listed.
  private static let mostListed = 100
  /// The number of folders in a transaction.
  private static let foldersAtOnce = 64

  /// Adds the pages of folders of pulled logs. A folder that cannot be read is reported and does not keep the
  /// others from being added. The next `update` derives what the pages change.
  public func add(folders: [String], progress: (Int) -> Void = { _ in }) throws(HostLinkError) -> Addition {
    var addition = Addition()
    var done = 0
    for start in stride(from: 0, to: folders.count, by: Self.foldersAtOnce) {
      let batch = folders[start..<min(start + Self.foldersAtOnce, folders.count)]
      try connection.transaction { () throws(HostLinkError) in
        for folder in batch {
          let store: PageStore
          do throws(HostLinkError) { store = try PageStore(path: folder, create: false) } catch {
            addition.failures.append((folder, error))
            continue
          }
          try add(store, &addition)
          addition.folders += 1
        }
      }
      done += batch.count
      progress(done)
    }
    return addition
  }

  private func add(_ store: PageStore, _ addition: inout Addition) throws(HostLinkError) {
    let record = store.device
    let id = try device(record, folder: store.path)
    var isNew = try replaceClocks(of: id, record.clocks)
    var known: [PageName: (id: Int64, sha256: [UInt8])] = [:]
    for row in try connection.rows(
      "SELECT epoch, sequence, is_open, id, sha256 FROM page WHERE device_id = ?", [.integer(id)])
    {
      let name = PageName(
        epoch: UInt32(clamping: row.integer(0)), sequence: UInt32(clamping: row.integer(1)),
        isOpen: row.integer(2) != 0)
      known[name] = (row.integer(3), row.blob(4))
    }
    var values: [SQLValue] = []
    for name in try store.pages() {
      let bytes = try store.read(name)
      guard let header = LogPageHeader(bytes.span), header.epoch == name.epoch,
        header.sequence == name.sequence
      else {
        refuse(name, store, &addition)
        continue
      }
      let sha256 = Self.digest(bytes)
      let closed = known[PageName(epoch: name.epoch, sequence: name.sequence, isOpen: false)]
      let open = known[PageName(epoch: name.epoch, sequence: name.sequence, isOpen: true)]
      if let closed {
        if closed.sha256 == sha256 || name.isOpen {
          addition.knownPages += 1
        } else {
          try note(refused: name, sha256, of: id)
          refuse(name, store, &addition)
        }
        continue
      }
      if let open {
        if open.sha256 == sha256, name.isOpen {
          addition.knownPages += 1
          continue
        }
        let length = try connection.number("SELECT LENGTH(bytes) FROM page WHERE id = ?", [.integer(open.id)])
        if name.isOpen, Int(length ?? 0) > bytes.count {
          addition.knownPages += 1
          continue
        }
        try connection.execute("DELETE FROM page WHERE id = ?", [.integer(open.id)])
      }
      values += [
        .integer(id), .integer(Int64(name.epoch)), .integer(Int64(name.sequence)),
        .integer(name.isOpen ? 1 : 0), .blob(sha256), .blob(bytes),
      ]
      addition.newPages += 1
      isNew = true
    }
    let columns = ["device_id", "epoch", "sequence", "is_open", "sha256", "bytes"]
    try connection.append("page", columns, values)
    if isNew {
      try connection.execute("UPDATE device SET is_unread = 1, is_stale = 1 WHERE id = ?", [.integer(id)])
    }
  }

  private func refuse(_ name: PageName, _ store: PageStore, _ addition: inout Addition) {
    if addition.refused.count < Self.mostListed {
      addition.refused.append("\(store.path)/pages/\(name.fileName)")
    }
  }

  /// Notes a page that differs from the one of the same number, once.
  private func note(refused name: PageName, _ sha256: [UInt8], of device: Int64) throws(HostLinkError) {
    let known = try connection.number(
      "SELECT COUNT(*) FROM refused WHERE device_id = ? AND sha256 = ?", [.integer(device), .blob(sha256)])
    guard known == 0 else { return }
    try connection.append(
      "refused", ["device_id", "epoch", "sequence", "sha256", "reason"],
      [
        .integer(device), .integer(Int64(name.epoch)), .integer(Int64(name.sequence)), .blob(sha256),
        .text("another page of this number is in the archive"),
      ])
  }

  /// The row of a device, which is created or brought up to date. A device without a serial number is known
  /// by its identifier, or else by the name of its folder.
  private func device(_ record: DeviceRecord, folder: String) throws(HostLinkError) -> Int64 {
    let name = folder.split(separator: "/").last.map(String.init) ?? folder
    let serial = record.serial.isEmpty ? record.id ?? name : record.serial
    let values: [SQLValue] = [
      .text(record.name), .text(record.system), .text(record.version),
      .text(record.epochs.map(String.init).joined(separator: " ")),
    ]
    let known = try connection.number("SELECT id FROM device WHERE serial = ?", [.text(serial)])
    if let known {
      try connection.execute(
        "UPDATE device SET name = ?, system = ?, version = ?, epochs = ? WHERE id = ?",
        values + [.integer(known)])
      return known
    }
    let id = (try connection.number("SELECT MAX(id) FROM device") ?? 0) + 1
    try connection.append(
      "device",
      [
        "id", "serial", "name", "system", "version", "epochs", "is_unread", "is_stale", "readings", "undated",
        "lost",
      ],
      [.integer(id), .text(serial)] + values + Array(repeating: .integer(0), count: 5))
    return id
  }

  /// Stores the dates that the host has noted. Returns whether they differ from those in the archive.
  private func replaceClocks(of device: Int64, _ clocks: [DeviceRecord.ClockFix]) throws(HostLinkError)
    -> Bool
  {
    let clocks = clocks.sorted {
      ($0.epoch, $0.boot, $0.uptimeMilliseconds) < ($1.epoch, $1.boot, $1.uptimeMilliseconds)
    }
    guard try self.clocks(of: device) != clocks else { return false }
    try connection.execute("DELETE FROM clock WHERE device_id = ?", [.integer(device)])
    try connection.append(
      "clock", ["device_id", "epoch", "boot", "uptime_ms", "unix_ms", "source"],
      clocks.flatMap { fix -> [SQLValue] in
        [
          .integer(device), .integer(Int64(fix.epoch)), .integer(Int64(fix.boot)),
          .integer(Int64(clamping: fix.uptimeMilliseconds)), .integer(Int64(clamping: fix.unixMilliseconds)),
          .text(fix.source.rawValue),
        ]
      })
    return true
  }

  /// The dates that the host has noted, in the order in which they were stored.
  func clocks(of device: Int64) throws(HostLinkError) -> [DeviceRecord.ClockFix] {
    try connection.rows(
      "SELECT epoch, boot, uptime_ms, unix_ms, source FROM clock WHERE device_id = ? ORDER BY epoch, boot, uptime_ms",
      [.integer(device)]
    ).map { row in
      DeviceRecord.ClockFix(
        epoch: UInt32(clamping: row.integer(0)), boot: UInt32(clamping: row.integer(1)),
        uptimeMilliseconds: UInt64(clamping: row.integer(2)),
        unixMilliseconds: UInt64(clamping: row.integer(3)),
        source: row.text(4) == "device" ? .device : .host)
    }
  }

  /// The pages of a device in the order of its log.
  func pages(of device: Int64) throws(HostLinkError) -> [[UInt8]] {
    let order =
      try connection.rows("SELECT epochs FROM device WHERE id = ?", [.integer(device)]).first?
      .text(0).split(separator: " ").compactMap { Int64($0) } ?? []
    func rank(_ epoch: Int64) -> Int { order.firstIndex(of: epoch) ?? order.count }
    var pages: [(epoch: Int64, sequence: Int64, bytes: [UInt8])] = []
    try connection.query(
      "SELECT epoch, sequence, bytes FROM page WHERE device_id = ? ORDER BY epoch, sequence",
      [.integer(device)]
    ) { (row: SQLRow) throws(HostLinkError) in pages.append((row.integer(0), row.integer(1), row.blob(2))) }
    if order.count > 1 {
      pages.sort { (rank($0.epoch), $0.epoch, $0.sequence) < (rank($1.epoch), $1.epoch, $1.sequence) }
    }
    return pages.map(\.bytes)
  }

  static func digest(_ bytes: [UInt8]) -> [UInt8] {
    let digest = SHA256.digest(of: bytes.span)
    return digest.indices.map { digest[$0] }
  }
}
