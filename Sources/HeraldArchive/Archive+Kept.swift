import HeraldHostLink

extension Archive {
  /// The closed pages of a folder that are in the archive with the bytes of their files. Only these may be
  /// erased on the device.
  /// - Throws: `.storage` or `.busy` if the folder or the archive cannot be read.
  public func keptPages(of folder: String) throws(HostLinkError) -> Set<PageName> {
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
    var kept: Set<PageName> = []
    for page in try store.pages() where !page.isOpen {
      let bytes = try store.read(page)
      if stored[page] == Self.digest(bytes) { kept.insert(page) }
    }
    return kept
  }
}
