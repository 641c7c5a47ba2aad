import HeraldHostLink
import HeraldParquet

/// Writes a table of the archive as Parquet files, one for each partition.
struct TablePartitions {
  /// The number of rows that were written.
  private(set) var rows = 0
  private(set) var files = 0
  /// The number of rows whose day has no name.
  private(set) var leftOut = 0

  private let table: ArchiveTable
  private let folder: ExportFolder
  private var file: ParquetFile?
  private var day: Int64?
  private var days: Set<Int64> = []

  private init(_ table: ArchiveTable, _ folder: ExportFolder) {
    self.table = table
    self.folder = folder
  }

  /// Writes a table, and removes the partitions that it no longer has.
  /// - Throws: `.storage` if a file cannot be written.
  static func write(
    _ table: ArchiveTable, of archive: Archive, _ selection: ExportSelection, to folder: ExportFolder
  ) throws(HostLinkError) -> TablePartitions {
    var partitions = TablePartitions(table, folder)
    if case .none = table.partition { try partitions.open(nil) }
    try table.rows(of: archive, selection) { (row: SQLRow) throws(HostLinkError) in
      try partitions.append(row, archive.days)
    }
    try partitions.close()
    folder.removePartitions(of: table.name, except: partitions.days)
    return partitions
  }

  private mutating func append(_ row: SQLRow, _ calendar: LocalDays) throws(HostLinkError) {
    var first = 0
    switch table.partition {
    case .none: break
    case .byDay:
      first = 1
      try turn(to: LocalDays.day(ofNumber: row.integer(0)))
    case .byDate(let name):
      let column = table.columns.firstIndex { $0.name == name } ?? 0
      let day = calendar.day(of: row.integer(column))
      try turn(to: ExportFolder.hasName(day) ? day : nil)
    }
    guard let file else {
      leftOut += 1
      return
    }
    for index in first..<table.columns.count {
      switch table.value(of: row, index) {
      case .integer(let number): file.append(number, to: index - first)
      case .text(let text): file.append(Array(text.utf8), to: index - first)
      case .blob(let bytes): file.append(bytes, to: index - first)
      case .null: break
      }
    }
    rows += 1
    try ExportFolder.storing { () throws(ParquetError) in try file.endRow() }
  }

  /// Goes on with the partition of a day; without one, rows are left out. Where clocks are put back across
  /// midnight, the rows of the repeated time stay with the later day, whose file is not written twice.
  private mutating func turn(to next: Int64?) throws(HostLinkError) {
    if let day, let next, next <= day { return }
    try close()
    day = next
    guard let next else { return }
    days.insert(next)
    try open(next)
  }

  private mutating func open(_ day: Int64?) throws(HostLinkError) {
    let path = try folder.file(table.name, day: day)
    let columns = day == nil || !table.isDayFirst ? table.columns : Array(table.columns.dropFirst())
    file = try ExportFolder.storing { () throws(ParquetError) in
      try ParquetFile(path, columns, createdBy: ExportFolder.createdBy)
    }
    files += 1
  }

  private mutating func close() throws(HostLinkError) {
    guard let file else { return }
    try ExportFolder.storing { () throws(ParquetError) in try file.finish() }
    self.file = nil
  }
}
