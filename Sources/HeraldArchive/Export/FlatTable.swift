import HeraldHostLink

/// Writes a table of the archive as text: CSV or JSON Lines.
struct FlatTable {
  private let table: ArchiveTable
  private let format: DatabaseExport.Format

  init(_ table: ArchiveTable, as format: DatabaseExport.Format) {
    self.table = table
    self.format = format
  }

  /// Writes the file, which appears under its name when it is complete.
  /// - Returns: the number of rows.
  /// - Throws: `.storage` if it cannot be written.
  func write(_ archive: Archive, _ selection: ExportSelection, to folder: String)
    throws(HostLinkError) -> Int
  {
    let file = try ReplacedFile("\(folder)/\(table.name).\(format.rawValue)")
    if format == .csv { try file.append(table.columns.map(\.name).joined(separator: ",") + "\n") }
    var rows = 0
    var line: [UInt8] = []
    try table.rows(of: archive, selection) { (row: SQLRow) throws(HostLinkError) in
      line.removeAll(keepingCapacity: true)
      for (index, column) in table.columns.enumerated() {
        line += (index == 0 ? (format == .jsonl ? "{" : "") : ",").utf8
        if format == .jsonl { line += "\"\(column.name)\":".utf8 }
        switch table.value(of: row, index) {
        case .null: if format == .jsonl { line += "null".utf8 }
        case .integer(let number) where column.kind == .boolean: line += (number == 0 ? "false" : "true").utf8
        case .integer(let number): line += String(number).utf8
        case .text(let text): format.append(text, to: &line)
        case .blob(let bytes): format.append(bytes: bytes, to: &line)
        }
      }
      line += (format == .jsonl ? "}\n" : "\n").utf8
      try file.append(line)
      rows += 1
    }
    try file.finish()
    return rows
  }
}
