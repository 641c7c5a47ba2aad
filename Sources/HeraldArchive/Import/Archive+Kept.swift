import HeraldHostLink

extension Archive {
  /// The closed pages of a folder that are in the archive with the bytes of their files. Only these may be
  /// erased on the device.
  /// - Throws: `.storage` or `.busy` if the folder or the archive cannot be read.
  package func keptPages(of folder: String) throws(HostLinkError) -> Set<PageName> {
    try FolderImport(self).keptPages(of: folder)
  }
}
