import GRDB

extension LogDatabase {
  /// Imports the pages of a folder and commits; returns the closed pages that the database contains, which
  /// `LogDownload` requires before a device may erase them, and sealed ones, of which the folder has all that
  /// there is without the owner's key.
  public func keep(_ folder: PageStore) throws(HostLinkError) -> Set<PageName> {
    let change = try pageImport(folder, isWhole: false)
    let refused = Set(change.refused)
    let serial = folder.device.serial
    let names = try asking { database in
      try Row.fetchAll(
        database,
        sql: """
          SELECT page.epoch, page.sequence FROM page JOIN device ON device.id = page.device_id
          WHERE device.serial = ? AND NOT page.is_open
          """, arguments: [serial]
      ).map { PageName(epoch: $0["epoch"], sequence: $0["sequence"], isOpen: false) }
    }
    return Set(names.filter { !refused.contains($0.fileName) } + change.sealedNames)
  }
}
