import Foundation

/// A folder with the log of one device: raw pages under `pages/`, `device.json`, and the files derived from
/// them.
///
/// A page appears under its name only after its bytes are on the disk: it is written as `….part`, synced,
/// renamed, and the folder synced. An interrupted pull also stores the received part of a page as `….part`.
/// After an interruption at any point the next pull continues. Only one program at a time can open the
/// folder. Files have mode 0600, as they contain contacts.
public final class PageStore {
  /// Steps of storing a file, in order; a test can fail at each.
  enum Step: CaseIterable {
    case partOpened, partWritten, partSynced, renamed, folderSynced, openRemoved
  }

  /// The folder.
  public let path: String
  /// The stored data of the device.
  public private(set) var device: DeviceRecord
  /// The keys that open sealed pages; without one they stay as they are.
  public var sealedPageKeys: SealedPageKeys?
  /// Called before each step of storing; throwing simulates an interruption there.
  var beforeStep: (Step) throws(HostLinkError) -> Void = { _ throws(HostLinkError) in }

  /// Recently stored pages, decoded.
  private var recent = DecodedPages()

  private let lock: Int32
  private var pagesPath: String { path + "/pages" }
  private var devicePath: String { path + "/device.json" }

  /// Opens the folder `path`; creates it if `create` is set.
  /// - Throws: `.storage` if it does not exist or cannot be used, `.busy` if another program has it open.
  public init(path: String, create: Bool) throws(HostLinkError) {
    self.path = path
    if create { try PrivateFolder.make(path, containing: "pages") }
    lock = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard lock >= 0, access(path + "/pages", R_OK | X_OK) == 0 else {
      if lock >= 0 { Foundation.close(lock) }
      throw HostLinkError(
        .storage, "\(path) holds no pulled log", advice: "`herald-host log pull --output \(path)` makes one")
    }
    guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
      Foundation.close(lock)
      throw HostLinkError(
        .busy, "another program is working on \(path)", advice: "wait until it has finished")
    }
    device = DeviceRecord()
    if let data = FileManager.default.contents(atPath: devicePath) {
      do {
        device = try JSONDecoder().decode(DeviceRecord.self, from: data)
      } catch {
        throw HostLinkError(
          .storage, "\(devicePath) cannot be understood",
          advice: "move it away; the pages can be converted without it, but dates may be missing")
      }
    }
  }

  deinit {
    // A child process that is being started temporarily has a copy of this descriptor, which would keep the
    // lock after closing.
    flock(lock, LOCK_UN)
    Foundation.close(lock)
  }

  // MARK: Pages

  /// The stored pages, sorted; an open one only if its closed form is not stored.
  public func pages() throws(HostLinkError) -> [PageName] {
    let names: [String]
    do {
      names = try FileManager.default.contentsOfDirectory(atPath: pagesPath)
    } catch {
      throw HostLinkError(.storage, "\(pagesPath) cannot be read")
    }
    let all = names.compactMap(PageName.init(fileName:)).sorted()
    let closed = Set(all.filter { !$0.isOpen })
    return all.filter {
      !$0.isOpen || !closed.contains(PageName(epoch: $0.epoch, sequence: $0.sequence, isOpen: false))
    }
  }

  /// The stored pages in the order in which the device wrote them: epochs in the order first seen, unknown
  /// epochs last.
  func pagesInOrder() throws(HostLinkError) -> [PageName] { inOrder(try pages()) }

  /// Sorts pages in the order in which the device wrote them.
  func inOrder(_ names: [PageName]) -> [PageName] {
    let order = device.epochs
    func rank(_ name: PageName) -> Int { order.firstIndex(of: name.epoch) ?? order.count }
    return names.sorted { (rank($0), $0) < (rank($1), $1) }
  }

  /// The stamp that identifies an unchanged file of a page.
  func stamp(of name: PageName) -> FileStamp? { FileStamp.of("\(pagesPath)/\(name.fileName)") }

  /// The size of the file of a page in bytes; `nil` if there is none.
  public func size(of name: PageName) -> Int? { stamp(of: name).map { Int(clamping: $0.bytes) } }

  /// The bytes of a page.
  public func read(_ name: PageName) throws(HostLinkError) -> [UInt8] {
    guard let data = FileManager.default.contents(atPath: "\(pagesPath)/\(name.fileName)") else {
      throw HostLinkError(.storage, "\(pagesPath)/\(name.fileName) cannot be read")
    }
    return [UInt8](data)
  }

  /// The decoded page, once: a page that has just been stored is not decoded again. `nil` if the bytes have
  /// no valid header. A page that is sealed for another key, or without a key, is `isSealed`.
  func decoded(_ bytes: [UInt8], of name: PageName) -> LogPage? {
    let page = recent.take(name, bytes) ?? LogPage(bytes)
    guard page?.isSealed == true, let sealedPageKeys,
      case .page(let opened, let isWhole) = sealedPageKeys.open(bytes, serial: device.serial)
    else { return page }
    var decoded = LogPage(opened)
    decoded?.isPartlyOpened = !isWhole
    return decoded
  }

  /// Stores a page. A closed page replaces its open form. `decoded` is the decoded page, if available, which
  /// saves decoding it again.
  public func store(_ bytes: [UInt8], as name: PageName, decoded: LogPage? = nil) throws(HostLinkError) {
    try replace("\(pagesPath)/\(name.fileName)", in: pagesPath, with: bytes)
    if let decoded { recent.add(decoded, as: name, bytes) }
    guard !name.isOpen else { return }
    try beforeStep(.openRemoved)
    let open = PageName(epoch: name.epoch, sequence: name.sequence, isOpen: true)
    for file in [open.fileName, open.fileName + ".part"] { unlink("\(pagesPath)/\(file)") }
  }

  // MARK: Beginnings of pages

  /// Stores the beginning of a page for the next pull, as `….part`. It is ignored until the page is complete.
  func storeBeginning(_ bytes: [UInt8], of name: PageName) throws(HostLinkError) {
    try write(bytes, to: "\(pagesPath)/\(name.fileName).part")
  }

  /// The longest stored beginning of each incomplete page of `epoch`, including open pages. Removes all other
  /// files left by an interrupted pull.
  func beginnings(epoch: UInt32) throws(HostLinkError) -> [UInt32: [UInt8]] {
    for name in (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
    where name.hasSuffix(".part") { unlink("\(path)/\(name)") }
    var found: [UInt32: [UInt8]] = [:]
    for file in (try? FileManager.default.contentsOfDirectory(atPath: pagesPath)) ?? [] {
      let isPart = file.hasSuffix(".part")
      let name = PageName(fileName: isPart ? String(file.dropLast(5)) : file)
      guard let name, name.epoch == epoch, isPart || name.isOpen,
        let data = FileManager.default.contents(atPath: "\(pagesPath)/\(file)")
      else {
        if isPart { unlink("\(pagesPath)/\(file)") }
        continue
      }
      if data.count > found[name.sequence]?.count ?? 0 { found[name.sequence] = [UInt8](data) }
    }
    return found
  }

  /// Syncs the names of all pages to the disk; their bytes are already synced. Required if a program was
  /// interrupted between renaming and syncing.
  func synchronise() throws(HostLinkError) {
    let parent = URL(fileURLWithPath: path).standardizedFileURL.deletingLastPathComponent().path
    for folder in [pagesPath, path, parent] { try synchronise(folder) }
  }

  // MARK: Other files

  /// Changes the device record, on the disk first.
  public func updateDevice(_ change: (inout DeviceRecord) -> Void) throws(HostLinkError) {
    var changed = device
    change(&changed)
    guard changed != device || access(devicePath, F_OK) != 0 else { return }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    guard let data = try? encoder.encode(changed) else {
      throw HostLinkError(.storage, "\(devicePath) cannot be written")
    }
    try replace(devicePath, in: path, with: [UInt8](data) + [0x0A])
    device = changed
  }

  /// Writes a file beside the pages, atomically.
  public func write(_ bytes: [UInt8], named name: String) throws(HostLinkError) {
    try replace("\(path)/\(name)", in: path, with: bytes)
  }

  private func replace(_ file: String, in folder: String, with bytes: [UInt8]) throws(HostLinkError) {
    let part = file + ".part"
    try write(bytes, to: part)
    try beforeStep(.renamed)
    guard rename(part, file) == 0 else { throw .system(.storage, "\(file) cannot be replaced", code: errno) }
    try beforeStep(.folderSynced)
    try synchronise(folder)
  }

  /// Writes a file and syncs it to the disk.
  private func write(_ bytes: [UInt8], to part: String) throws(HostLinkError) {
    try beforeStep(.partOpened)
    let descriptor = open(part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw .system(.storage, "\(part) cannot be made", code: errno) }
    do {
      defer { Foundation.close(descriptor) }
      // A file left by an earlier run may have been readable for others.
      guard fchmod(descriptor, 0o600) == 0 else {
        throw HostLinkError.system(.storage, "\(part) cannot be made private", code: errno)
      }
      try beforeStep(.partWritten)
      var written = 0
      while written < bytes.count {
        let count = SystemCall.retrying {
          bytes.withUnsafeBytes {
            Foundation.write(descriptor, $0.baseAddress.map { $0 + written }, bytes.count - written)
          }
        }
        guard count > 0 else {
          throw HostLinkError.system(
            .storage, "\(part) cannot be written", code: errno,
            advice: "what is there is kept; make room and run the command again")
        }
        written += count
      }
      try beforeStep(.partSynced)
      guard fsync(descriptor) == 0 else {
        throw HostLinkError.system(.storage, "\(part) cannot be synced to the disk", code: errno)
      }
    } catch let error as HostLinkError {
      throw error
    } catch {
      throw HostLinkError(.storage, "\(part) cannot be written")
    }
  }

  private func synchronise(_ folder: String) throws(HostLinkError) {
    let directory = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard directory >= 0 else { throw .system(.storage, "\(folder) cannot be opened", code: errno) }
    defer { Foundation.close(directory) }
    guard fsync(directory) == 0 else {
      throw .system(.storage, "\(folder) cannot be synced to the disk", code: errno)
    }
  }
}
