import HeraldCrypto
import HeraldEmbedded
import HeraldHostLink

extension Archive {
  /// What was added to an archive.
  package struct Addition: Equatable, Sendable {
    /// The number of folders.
    package var folders = 0
    /// The number of pages that are new, or longer than before.
    package var newPages = 0
    /// The number of pages that were in the archive already.
    package var knownPages = 0
    /// The files that are no pages, or differ from the page of the same number in the archive.
    package var refused: [String] = []
    /// The number of sealed pages that were not opened, without the owner's key or with another one, and of
    /// those that were opened in part. Closed ones are in the archive as they are.
    package var sealedPages = 0
    /// Folders, and files of pages, that could not be read, with the reason.
    package var failures: [(folder: String, error: HostLinkError)] = []

    /// Whether two additions are the same, except for the reasons of failures.
    package static func == (left: Addition, right: Addition) -> Bool {
      left.folders == right.folders && left.newPages == right.newPages && left.knownPages == right.knownPages
        && left.refused == right.refused && left.sealedPages == right.sealedPages
        && left.failures.map(\.folder) == right.failures.map(\.folder)
    }
  }

  /// Adds the pages of folders of pulled logs. A folder that cannot be read is reported and does not keep the
  /// others from being added. The next `update` derives what the pages change.
  /// Sealed pages are opened with `keys`, and stored opened; those that `keys` do not open are stored as they
  /// are, for `openSealedPages`.
  package func add(
    folders: [String], keys: SealedPageKeys? = nil, progress: (Int) -> Void = { _ in }
  ) throws(HostLinkError) -> Addition {
    try FolderImport(self, keys: keys).add(folders: folders, progress: progress)
  }

  /// The dates that the host has noted, at most one of each start-up, in ascending order of epoch and
  /// start-up.
  func clocks(of device: Int64) throws(HostLinkError) -> [DeviceRecord.ClockFix] {
    try connection.rows(
      "SELECT epoch, boot, uptime_ms, unix_ms, source FROM clock WHERE device_id = ? ORDER BY epoch, boot",
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
    var pages: [[UInt8]] = []
    for epoch in try epochs(ofPagesOf: device) {
      try connection.query(
        "SELECT size, bytes FROM page WHERE device_id = ? AND epoch = ? ORDER BY sequence, is_open",
        [.integer(device), .integer(epoch)]
      ) { (row: SQLRow) throws(HostLinkError) in pages.append(try page(in: row)) }
    }
    return pages
  }

  /// The epochs of which there are pages, in the order of the log.
  func epochs(ofPagesOf device: Int64) throws(HostLinkError) -> [Int64] {
    let number = SQLValue.integer(device)
    let order = FolderImport.epochs(
      try connection.rows("SELECT epochs FROM device WHERE id = ?", [number]).first?.text(0) ?? "")
    func rank(_ epoch: Int64) -> Int { order.firstIndex { Int64($0) == epoch } ?? order.count }
    return try connection.rows("SELECT DISTINCT epoch FROM page WHERE device_id = ?", [number])
      .map { $0.integer(0) }.sorted { (rank($0), $0) < (rank($1), $1) }
  }

  /// The page in a row of its size and its stored bytes.
  /// - Throws: `.storage` if it is damaged, or there is none.
  func page(in row: SQLRow?) throws(HostLinkError) -> [UInt8] {
    guard let row, let page = frames.page(in: row.blob(1), size: Int(row.integer(0))) else {
      throw HostLinkError(
        .storage, "a page in \(connection.location) is damaged",
        advice: "make a new archive of the folders of the pulled logs")
    }
    return page
  }

  static func digest(_ bytes: [UInt8]) -> [UInt8] {
    let digest = SHA256.digest(of: bytes.span)
    return digest.indices.map { digest[$0] }
  }
}
