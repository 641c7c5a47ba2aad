import Foundation
import HeraldCrypto
import HeraldEmbedded
import HeraldText

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

  /// The open folder, which is locked, and that of the pages: files are made in these, whatever becomes of
  /// their paths.
  private let lock: Int32
  private let pagesFolder: Int32
  private var pagesPath: String { path + "/pages" }
  private var devicePath: String { path + "/\(Self.deviceName)" }
  private static let deviceName = "device.json"

  /// The maximum size of a file with a page, in bytes.
  public static let largestPage = Int(DeviceLogStatus.largestPage)
  /// The maximum size of `device.json`, in bytes: the dates of some 50,000 start-ups.
  private static let largestRecord = 8 << 20

  /// Opens the folder `path`; creates it if `create` is set.
  /// - Throws: `.storage` if it does not exist, cannot be read, or its folder of pages is a symbolic link;
  ///   `.busy` if another program has it open.
  public init(path: String, create: Bool) throws(HostLinkError) {
    self.path = path
    if create { try PrivateFolder.make(path, containing: "pages") }
    let opened = try OpenFolder(path)
    device = opened.device
    lock = opened.lock
    pagesFolder = opened.pages
  }

  /// The open folder, and what is read from it at once. Without an error the descriptors are the caller's.
  private struct OpenFolder {
    var lock: Int32 = -1
    var pages: Int32 = -1
    var device = DeviceRecord()

    init(_ path: String) throws(HostLinkError) {
      do throws(HostLinkError) {
        try open(path)
      } catch {
        if pages >= 0 { Foundation.close(pages) }
        if lock >= 0 { Foundation.close(lock) }
        throw error
      }
    }

    private mutating func open(_ path: String) throws(HostLinkError) {
      let shown = PrintableText.of(path, limit: 256)
      lock = try LocalFile.open(folder: path, path: path) ?? -1
      if lock >= 0 { pages = try LocalFile.open(folder: "pages", in: lock, path: path + "/pages") ?? -1 }
      guard pages >= 0 else { throw PageStoreSearch.noLog(path) }
      guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
        throw HostLinkError(
          .busy, "another program is working on \(shown)", advice: "wait until it has finished")
      }
      let name = PageStore.deviceName
      guard let bytes = try LocalFile.bytes("\(path)/\(name)", atMost: PageStore.largestRecord) else {
        return
      }
      do {
        device = try JSONDecoder().decode(DeviceRecord.self, from: Data(bytes))
      } catch {
        throw HostLinkError(
          .storage, "\(shown)/\(name) cannot be understood",
          advice: "move it away; the pages can be converted without it, but dates may be missing")
      }
    }
  }

  deinit {
    // A child process that is being started temporarily has a copy of this descriptor, which would keep the
    // lock after closing.
    flock(lock, LOCK_UN)
    Foundation.close(pagesFolder)
    Foundation.close(lock)
  }

  // MARK: Pages

  /// The stored pages, sorted; an open one only if its closed form is not stored.
  public func pages() throws(HostLinkError) -> [PageName] {
    let all = try LocalFile.names(in: pagesPath, missing: gone).compactMap(PageName.init(fileName:)).sorted()
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
    let ranks = Dictionary(zip(order, order.indices)) { first, _ in first }
    func rank(_ name: PageName) -> Int { ranks[name.epoch] ?? order.count }
    return names.sorted { (rank($0), $0) < (rank($1), $1) }
  }

  /// The stamp that identifies an unchanged file of a page.
  func stamp(of name: PageName) -> FileStamp? { FileStamp.of("\(pagesPath)/\(name.fileName)") }

  /// The size of the file of a page in bytes; `nil` if there is none.
  public func size(of name: PageName) -> Int? { stamp(of: name).map { Int(clamping: $0.bytes) } }

  /// The bytes of a page.
  /// - Throws: `.storage` if its file cannot be read, or is larger than any page.
  public func read(_ name: PageName) throws(HostLinkError) -> [UInt8] {
    try LocalFile.bytes("\(pagesPath)/\(name.fileName)", atMost: Self.largestPage, missing: gone)
  }

  private var gone: String { "another program has removed it: run the command again" }

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
    try replace(name.fileName, inPages: true, with: bytes)
    if let decoded { recent.add(decoded, as: name, bytes) }
    guard !name.isOpen else { return }
    try beforeStep(.openRemoved)
    let open = PageName(epoch: name.epoch, sequence: name.sequence, isOpen: true)
    for file in [open.fileName, open.fileName + ".part"] { unlinkat(pagesFolder, file, 0) }
  }

  // MARK: Pages of other devices

  /// Keeps the file of a page aside, as it is not that of the device: with its SHA-256 behind its name, under
  /// which it is a page no longer. Returns its path.
  func setAside(_ name: PageName) throws(HostLinkError) -> String {
    let bytes = try read(name)
    let digest = SHA256.digest(of: bytes.span)
    let text = digest.indices.map { digest[$0] }.hexadecimal
    let other = "\(name.fileName).\(text)"
    guard renameat(pagesFolder, name.fileName, pagesFolder, other) == 0 else {
      throw .system(.storage, "\(pagesPath)/\(name.fileName) cannot be renamed", code: errno)
    }
    try synchronise(pagesFolder, pagesPath)
    return "\(pagesPath)/\(other)"
  }

  /// The pages that were kept aside, with the SHA-256 of each in hexadecimal.
  public func pagesAside() throws(HostLinkError) -> [(name: PageName, digest: String)] {
    var found: [(name: PageName, digest: String)] = []
    for file in try LocalFile.names(in: pagesPath, missing: gone).sorted() {
      let digest = String(file.suffix(64))
      guard digest.utf8.count == 64, digest.allSatisfy(\.isHexDigit), file.dropLast(64).hasSuffix("."),
        let name = PageName(fileName: String(file.dropLast(65)))
      else { continue }
      found.append((name: name, digest: digest))
    }
    return found
  }

  // MARK: Beginnings of pages

  /// Stores the beginning of a page for the next pull, as `….part`. It is ignored until the page is complete.
  func storeBeginning(_ bytes: [UInt8], of name: PageName) throws(HostLinkError) {
    try write(bytes, to: "\(name.fileName).part", inPages: true)
  }

  /// Removes the stored beginnings of a page. Its open form is kept aside.
  func discardBeginnings(of name: PageName) throws(HostLinkError) -> String? {
    let open = PageName(epoch: name.epoch, sequence: name.sequence, isOpen: true)
    let closed = PageName(epoch: name.epoch, sequence: name.sequence, isOpen: false)
    for form in [open, closed] { unlinkat(pagesFolder, form.fileName + ".part", 0) }
    return stamp(of: open) == nil ? nil : try setAside(open)
  }

  /// The longest stored beginning of each incomplete page of `epoch`, including open pages. Removes all other
  /// files left by an interrupted pull.
  func beginnings(epoch: UInt32) throws(HostLinkError) -> [UInt32: [UInt8]] {
    for name in try LocalFile.names(in: path, missing: gone) where name.hasSuffix(".part") {
      unlinkat(lock, name, 0)
    }
    var found: [UInt32: [UInt8]] = [:]
    for file in try LocalFile.names(in: pagesPath, missing: gone) {
      let isPart = file.hasSuffix(".part")
      let name = PageName(fileName: isPart ? String(file.dropLast(5)) : file)
      guard let name, name.epoch == epoch, isPart || name.isOpen else {
        if isPart { unlinkat(pagesFolder, file, 0) }
        continue
      }
      guard let bytes = try LocalFile.bytes("\(pagesPath)/\(file)", atMost: Self.largestPage) else {
        continue
      }
      if bytes.count > found[name.sequence]?.count ?? 0 { found[name.sequence] = bytes }
    }
    return found
  }

  /// Syncs the names of all pages to the disk; their bytes are already synced. Required if a program was
  /// interrupted between renaming and syncing.
  func synchronise() throws(HostLinkError) {
    let parent = URL(fileURLWithPath: path).standardizedFileURL.deletingLastPathComponent().path
    try synchronise(pagesFolder, pagesPath)
    try synchronise(lock, path)
    guard let folder = try LocalFile.open(folder: parent, path: parent) else { return }
    defer { Foundation.close(folder) }
    try synchronise(folder, parent)
  }

  // MARK: Other files

  /// Changes the device record, on the disk first.
  public func updateDevice(_ change: (inout DeviceRecord) -> Void) throws(HostLinkError) {
    var changed = device
    change(&changed)
    if changed == device, try LocalFile.exists(devicePath) { return }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    guard let data = try? encoder.encode(changed) else {
      throw HostLinkError(.storage, "\(devicePath) cannot be written")
    }
    try replace(Self.deviceName, inPages: false, with: [UInt8](data) + [0x0A])
    device = changed
  }

  /// Writes a file beside the pages, atomically.
  public func write(_ bytes: [UInt8], named name: String) throws(HostLinkError) {
    try replace(name, inPages: false, with: bytes)
  }

  /// The path of a folder in this one, which is made if it is not there.
  /// - Throws: `.storage` if it cannot be made, or is a symbolic link.
  public func subfolder(_ name: String) throws(HostLinkError) -> String {
    let location = path.hasSuffix("/") ? "\(path)\(name)" : "\(path)/\(name)"
    mkdirat(lock, name, 0o700)
    guard let folder = try LocalFile.open(folder: name, in: lock, path: location) else {
      throw .system(.storage, "\(location) cannot be made", code: ENOTDIR)
    }
    Foundation.close(folder)
    return location
  }

  private func replace(_ name: String, inPages: Bool, with bytes: [UInt8]) throws(HostLinkError) {
    let folder = inPages ? pagesFolder : lock
    let location = inPages ? pagesPath : path
    let part = name + ".part"
    try write(bytes, to: part, inPages: inPages)
    try beforeStep(.renamed)
    guard renameat(folder, part, folder, name) == 0 else {
      throw .system(.storage, "\(location)/\(name) cannot be replaced", code: errno)
    }
    try beforeStep(.folderSynced)
    try synchronise(folder, location)
  }

  /// Writes a file and syncs it to the disk.
  private func write(_ bytes: [UInt8], to part: String, inPages: Bool) throws(HostLinkError) {
    let path = "\(inPages ? pagesPath : path)/\(part)"
    try beforeStep(.partOpened)
    let descriptor = try LocalFile.make(part, in: inPages ? pagesFolder : lock)
    do throws(HostLinkError) {
      try beforeStep(.partWritten)
      try SystemCall.writeAll(bytes, to: descriptor, at: path)
      try beforeStep(.partSynced)
      guard fsync(descriptor) == 0 else {
        throw HostLinkError.system(.storage, "\(path) cannot be synced to the disk", code: errno)
      }
    } catch {
      Foundation.close(descriptor)
      throw error
    }
    Foundation.close(descriptor)
  }

  private func synchronise(_ folder: Int32, _ location: String) throws(HostLinkError) {
    guard fsync(folder) == 0 else {
      throw .system(.storage, "\(location) cannot be synced to the disk", code: errno)
    }
  }
}
