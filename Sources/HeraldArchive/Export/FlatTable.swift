import HeraldHostLink

/// Writes a table of the archive as text: CSV or JSON Lines.
struct FlatTable {
  private let table: ArchiveTable
  private let format: FlatFormat

  init(_ table: ArchiveTable, as format: FlatFormat) {
    self.table = table
    self.format = format
  }

  /// Writes the file, which appears under its name when it is complete.
  /// - Returns: the number of rows.
  /// - Throws: `.storage` if it cannot be written.
  func write(_ archive: Archive, _ selection: ExportSelection, to folder: String)
    throws(HostLinkError) -> Int
  {
    let file = try FlatFile(table.name, columns: table.columns.map(\.name), as: format, in: folder)
    try table.rows(of: archive, selection) { (row: SQLRow) throws(HostLinkError) in
      try file.append(
        table.columns.enumerated().map { index, column in
          switch table.value(of: row, index) {
          case .null: .null
          case .integer(let number): column.kind == .boolean ? .truth(number != 0) : .number(number)
          case .text(let text): .text(text)
          case .blob(let bytes): .bytes(bytes)
          }
        })
    }
    try file.finish()
    return file.rows
  }
}
