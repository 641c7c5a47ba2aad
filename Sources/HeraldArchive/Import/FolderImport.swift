import HeraldEmbedded
import HeraldHostLink
import HeraldText

/// Adds the pages of folders of pulled logs to an archive.
struct FolderImport {
  private let archive: Archive
  private var connection: any ArchiveConnection { archive.connection }

  /// The maximum number of refused files whose names are listed.
  private static let mostListed = 100
  /// The number of folders in a transaction.
  private static let foldersAtOnce = 64
  /// The bytes of pages that are in memory at a time.
  private static let mostBytesAtOnce = 1 << 20

  private let keys: SealedPageKeys?

  init(_ archive: Archive, keys: SealedPageKeys? = nil) {
    self.archive = archive
    self.keys = keys
  }

  /// Adds the pages of folders; see `Archive.add(folders:)`.
  func add(folders: [String], progress: (Int) -> Void) throws(HostLinkError) -> Archive.Addition {
    var addition = Archive.Addition()
    var done = 0
    for start in stride(from: 0, to: folders.count, by: Self.foldersAtOnce) {
      let batch = folders[start..<min(start + Self.foldersAtOnce, folders.count)]
      try connection.transaction { () throws(HostLinkError) in
        for folder in batch {
          // What cannot be read keeps no other folder out.
          let content: Content
          do throws(HostLinkError) { content = try Content(folder) } catch {
            addition.failures.append((folder, error))
            continue
          }
          try add(content, &addition)
          addition.folders += 1
        }
      }
      done += batch.count
      progress(done)
    }
    return addition
  }

  /// A page that is in the archive.
  private struct KnownPage {
    let id: Int64
    let sha256: [UInt8]
    let size: Int
  }

  /// What is in a folder.
  private struct Content {
    let store: PageStore
    let names: [PageName]
    /// Pages that a pull in a session has found not to be the device's, and has kept aside.
    let aside: [(name: PageName, digest: String)]

    init(_ folder: String) throws(HostLinkError) {
      store = try PageStore(path: folder, create: false)
      names = try store.pages()
      aside = try store.pagesAside()
    }
  }

  private func add(_ content: Content, _ addition: inout Archive.Addition) throws(HostLinkError) {
    let (store, names) = (content.store, content.names)
    let record = store.device
    let (id, epochs) = try device(record, folder: store.path)
    if let power = record.power { try merge(power, of: id) }
    if let sealing = record.sealing { try merge(sealing, of: id) }
    var isNew = try mergeClocks(of: id, record.clocks.map(\.unmarked), aside: record.clocksAside ?? [])
    var known: [PageName: KnownPage] = [:]
    for row in try connection.rows(
      "SELECT epoch, sequence, is_open, id, sha256, size FROM page WHERE device_id = ?", [.integer(id)])
    {
      let name = PageName(
        epoch: UInt32(clamping: row.integer(0)), sequence: UInt32(clamping: row.integer(1)),
        isOpen: row.integer(2) != 0)
      known[name] = KnownPage(id: row.integer(3), sha256: row.blob(4), size: Int(row.integer(5)))
    }
    var sealed = try SealedPageTable(archive, of: id)
    for (name, digest) in content.aside {
      if let page = known[name], page.sha256.hexadecimal == digest {
        try connection.execute("DELETE FROM page WHERE id = ?", [.integer(page.id)])
        known[name] = nil
        isNew = true
      }
      try sealed.remove(name, digest: digest)
      try connection.execute(
        "DELETE FROM refused WHERE device_id = ? AND epoch = ? AND sequence = ?",
        [.integer(id), .integer(Int64(name.epoch)), .integer(Int64(name.sequence))])
    }
    var before = known.keys.sorted(by: { Self.isBefore($0, $1, epochs) }).last
    var values: [SQLValue] = []
    var bytesOfValues = 0
    var number = try connection.number("SELECT MAX(id) FROM page") ?? 0
    for name in names {
      let file: [UInt8]?
      do throws(HostLinkError) { file = try page(name, in: store) } catch {
        if addition.failures.count < Self.mostListed {
          addition.failures.append((Self.path(of: name, in: store), error))
        }
        continue
      }
      guard let bytes = file else {
        refuse(name, store, &addition)
        continue
      }
      let sha256 = Archive.digest(bytes)
      if let closed = known[PageName(epoch: name.epoch, sequence: name.sequence, isOpen: false)] {
        if closed.sha256 == sha256 || name.isOpen {
          addition.knownPages += 1
        } else {
          try note(refused: name, sha256, of: id)
          refuse(name, store, &addition)
        }
        continue
      }
      // The digest stays that of the file.
      var content = bytes
      // A page of which not all segments were opened is like an open page: another state may replace it.
      var isOpen = name.isOpen
      if OwnerKey.isSealed(bytes) {
        let opened = keys?.open(bytes, serial: record.serial)
        var isSealed = true
        if case .page(_, isWhole: true)? = opened { isSealed = false }
        if isSealed {
          addition.sealedPages += 1
          // As it is, until there is a key. That of a device without a number could not be opened later.
          if !name.isOpen, !record.serial.isEmpty, try !sealed.keep(name, bytes, sha256) {
            try note(refused: name, sha256, of: id)
            refuse(name, store, &addition)
            continue
          }
        } else {
          try sealed.remove(PageName(epoch: name.epoch, sequence: name.sequence, isOpen: false))
        }
        guard case .page(let clear, let isWhole)? = opened else { continue }
        content = clear
        if !isWhole { isOpen = true }
      }
      if let open = known[PageName(epoch: name.epoch, sequence: name.sequence, isOpen: true)] {
        // The longer of two states of an open page is the later one.
        if isOpen, !Self.isLater(content.count, sha256, than: open) {
          addition.knownPages += 1
          continue
        }
        try connection.execute("DELETE FROM page WHERE id = ?", [.integer(open.id)])
      }
      let frame = try archive.frames.frame(of: content)
      number = number.addingClamped(1)
      values += [
        .integer(number), .integer(id), .integer(Int64(name.epoch)), .integer(Int64(name.sequence)),
        .integer(isOpen ? 1 : 0), .blob(sha256), .integer(Int64(content.count)), .blob(frame),
      ]
      bytesOfValues += frame.count
      addition.newPages += 1
      isNew = true
      if bytesOfValues > Self.mostBytesAtOnce {
        try append(pages: values)
        (values, bytesOfValues) = ([], 0)
      }
    }
    try append(pages: values)
    if isNew {
      try connection.execute("UPDATE device SET is_unread = 1, is_stale = 1 WHERE id = ?", [.integer(id)])
    }
    // The folder with the latest page says what the device is called.
    if let latest = names.sorted(by: { Self.isBefore($0, $1, epochs) }).last {
      if let known = before, Self.isBefore(latest, known, epochs) { return }
      before = latest
      try connection.execute(
        "UPDATE device SET name = ?, system = ?, version = ? WHERE id = ?",
        [.text(record.name), .text(record.system), .text(record.version), .integer(id)])
    }
  }

  /// Whether a device wrote a page before another one. `epochs` is the order of its epochs.
  private static func isBefore(_ one: PageName, _ other: PageName, _ epochs: [UInt32]) -> Bool {
    func rank(_ name: PageName) -> Int { epochs.firstIndex(of: name.epoch) ?? epochs.count }
    return (rank(one), one) < (rank(other), other)
  }

  private static func isLater(_ size: Int, _ sha256: [UInt8], than known: KnownPage) -> Bool {
    size == known.size ? known.sha256.lexicographicallyPrecedes(sha256) : size > known.size
  }

  /// The bytes of a page file; `nil` if it is too large, or the page of another number.
  private func page(_ name: PageName, in store: PageStore) throws(HostLinkError) -> [UInt8]? {
    guard let size = store.size(of: name), size <= PageFrame.mostBytes else { return nil }
    let bytes = try store.read(name)
    guard bytes.count <= PageFrame.mostBytes, let header = LogPageHeader(bytes.span),
      header.epoch == name.epoch, header.sequence == name.sequence
    else { return nil }
    return bytes
  }

  private func append(pages values: [SQLValue]) throws(HostLinkError) {
    try connection.append(
      "page", ["id", "device_id", "epoch", "sequence", "is_open", "sha256", "size", "bytes"], values)
  }

  private func refuse(_ name: PageName, _ store: PageStore, _ addition: inout Archive.Addition) {
    if addition.refused.count < Self.mostListed {
      addition.refused.append(Self.path(of: name, in: store))
    }
  }

  private static func path(of name: PageName, in store: PageStore) -> String {
    "\(store.path)/pages/\(name.fileName)"
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

  /// The row of a device, which is created if there is none, and the order of its epochs, to which those of
  /// `record` are added. A device without a serial number is known by its identifier, or else by the name of
  /// its folder.
  private func device(_ record: DeviceRecord, folder: String) throws(HostLinkError) -> (
    id: Int64, epochs: [UInt32]
  ) {
    let name = folder.split(separator: "/").last.map(String.init) ?? folder
    let serial = record.serial.isEmpty ? record.id ?? name : record.serial
    func text(_ epochs: [UInt32]) -> SQLValue { .text(epochs.map(String.init).joined(separator: " ")) }
    if let row = try connection.rows("SELECT id, epochs FROM device WHERE serial = ?", [.text(serial)]).first
    {
      let known = Self.epochs(row.text(1))
      let epochs = Self.merged(known, record.epochs)
      if epochs != known {
        try connection.execute(
          "UPDATE device SET epochs = ? WHERE id = ?", [text(epochs), .integer(row.integer(0))])
      }
      return (row.integer(0), epochs)
    }
    let id = (try connection.number("SELECT MAX(id) FROM device") ?? 0).addingClamped(1)
    try connection.append(
      "device",
      [
        "id", "serial", "name", "system", "version", "epochs", "is_unread", "is_stale", "readings", "undated",
        "lost",
      ],
      [
        .integer(id), .text(serial), .text(record.name), .text(record.system), .text(record.version),
        text(record.epochs),
      ] + Array(repeating: .integer(0), count: 5))
    return (id, record.epochs)
  }

  static func epochs(_ text: String) -> [UInt32] {
    text.split(separator: " ").compactMap { UInt32($0) }
  }

  /// The order of epochs of which two computers have noted a part each.
  private static func merged(_ known: [UInt32], _ noted: [UInt32]) -> [UInt32] {
    let common = known.filter(noted.contains)
    // One that has all of the others has the order, too.
    if common == known, noted.filter(known.contains) == known { return noted }
    return known + noted.filter { !known.contains($0) }
  }

  /// Adds the dates that the host has noted: of each start-up one, by a rule that does not depend on the
  /// order in which folders are added, without those that a session has shown to be another device's. Returns
  /// whether they differ from those in the archive.
  private func mergeClocks(
    of device: Int64, _ noted: [DeviceRecord.ClockFix], aside: [DeviceRecord.ClockFix]
  ) throws(HostLinkError) -> Bool {
    let known = try archive.clocks(of: device)
    let forged = Set(aside.map(\.unmarked)).subtracting(noted)
    var clocks: [DeviceScan.Start: DeviceRecord.ClockFix] = [:]
    for fix in known.filter({ !forged.contains($0) }) + noted {
      let start = DeviceScan.Start(epoch: fix.epoch, boot: fix.boot)
      clocks[start] = clocks[start].map { Self.preferred($0, fix) } ?? fix
    }
    let merged = clocks.values.sorted { ($0.epoch, $0.boot) < ($1.epoch, $1.boot) }
    guard merged != known else { return false }
    try connection.execute("DELETE FROM clock WHERE device_id = ?", [.integer(device)])
    try connection.append(
      "clock", ["device_id", "epoch", "boot", "uptime_ms", "unix_ms", "source"],
      merged.flatMap { fix -> [SQLValue] in
        [
          .integer(device), .integer(Int64(fix.epoch)), .integer(Int64(fix.boot)),
          .integer(Int64(clamping: fix.uptimeMilliseconds)), .integer(Int64(clamping: fix.unixMilliseconds)),
          .text(fix.source.rawValue),
        ]
      })
    return true
  }

  /// Notes the current of a device, if it is later than the one in the archive.
  private func merge(_ power: DeviceRecord.Power, of device: Int64) throws(HostLinkError) {
    _ = try ArchiveSchema.ensure(.power, connection)
    let date = Int64(clamping: power.unixMilliseconds)
    let known = try connection.rows(
      "SELECT unix_ms FROM device_power WHERE device_id = ?", [.integer(device)])
    if let row = known.first, row.integer(0) >= date { return }
    try connection.execute("DELETE FROM device_power WHERE device_id = ?", [.integer(device)])
    let nanoamperes = power.microamperes.map { SQLValue.integer(Int64(min(max($0, 0), 1e9) * 1000)) }
    try connection.append(
      "device_power", ["device_id", "unix_ms", "board", "nanoamperes", "not_known"],
      [
        .integer(device), .integer(date), .text(power.board), nanoamperes ?? .null,
        .text(power.notKnown ?? ""),
      ])
  }

  /// Notes whether the log of a device is sealed, if that is later than what is in the archive.
  private func merge(_ sealing: DeviceRecord.Sealing, of device: Int64) throws(HostLinkError) {
    _ = try ArchiveSchema.ensure(.sealing, connection)
    let date = Int64(clamping: sealing.unixMilliseconds)
    let known = try connection.rows(
      "SELECT unix_ms FROM device_sealing WHERE device_id = ?", [.integer(device)])
    if let row = known.first, row.integer(0) >= date { return }
    try connection.execute("DELETE FROM device_sealing WHERE device_id = ?", [.integer(device)])
    try connection.append(
      "device_sealing", ["device_id", "unix_ms", "is_sealed", "owner_key"],
      [
        .integer(device), .integer(date), .integer(sealing.isSealed ? 1 : 0),
        .text(sealing.ownerKey ?? ""),
      ])
  }

  /// Of two dates of a start-up: the device's before this computer's; the device's latest; this computer's
  /// first, so that a later pull dates records as the first one did.
  private static func preferred(_ one: DeviceRecord.ClockFix, _ other: DeviceRecord.ClockFix)
    -> DeviceRecord.ClockFix
  {
    guard one.source == other.source else { return one.source == .device ? one : other }
    let isOneFirst =
      (one.uptimeMilliseconds, one.unixMilliseconds) < (other.uptimeMilliseconds, other.unixMilliseconds)
    return isOneFirst == (one.source == .host) ? one : other
  }

  /// The closed pages of a folder that are in the archive; see `Archive.keptPages(of:)`.
  func keptPages(of folder: String) throws(HostLinkError) -> Set<PageName> {
    let store = try PageStore(path: folder, create: false)
    let record = store.device
    let name = folder.split(separator: "/").last.map(String.init) ?? folder
    // As in `add(folders:)`.
    let serial = record.serial.isEmpty ? record.id ?? name : record.serial
    var stored: [PageName: [UInt8]] = [:]
    let sql = """
      SELECT p.epoch, p.sequence, p.sha256 FROM page p JOIN device d ON d.id = p.device_id \
      WHERE d.serial = ? AND p.is_open = 0
      """
    for row in try connection.rows(sql, [.text(serial)]) {
      let page = PageName(
        epoch: UInt32(clamping: row.integer(0)), sequence: UInt32(clamping: row.integer(1)), isOpen: false)
      stored[page] = row.blob(2)
    }
    if let device = try connection.number("SELECT id FROM device WHERE serial = ?", [.text(serial)]) {
      stored.merge(try SealedPageTable.digests(archive, of: device)) { one, _ in one }
    }
    var kept: Set<PageName> = []
    for page in try store.pages() where !page.isOpen {
      let bytes = try store.read(page)
      if stored[page] == Archive.digest(bytes) { kept.insert(page) }
    }
    return kept
  }
}
