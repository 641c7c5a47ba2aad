import Foundation
import HeraldHostLink
import HeraldParquet
import HeraldText

extension Archive {
  /// What an export has written.
  package struct Export: Equatable, Sendable {
    /// A table.
    package struct Table: Equatable, Sendable, Encodable {
      /// The name of the table.
      package let name: String
      /// The number of its rows.
      package var rows = 0
      /// The number of its files.
      package var files = 0
    }

    /// The tables, in order.
    package internal(set) var tables: [Table] = []
    /// The number of rows that no partition can have: readings without a date, and dates of no calendar.
    package internal(set) var leftOut = 0
  }

  /// Writes the archive as a data set of Parquet files, which docs/archive.md describes: readings by day and
  /// device, what is derived from them by day. The archive must be up to date.
  ///
  /// Each file is complete when it appears. In the folder of an earlier export each partition is replaced,
  /// and those that the archive no longer has are removed at the end. `progress` receives the number of
  /// devices that are done and to do.
  /// - Throws: `.storage` if a file cannot be written, `.usage` if the folder has other files.
  package func exportParquet(
    to path: String, _ selection: ExportSelection = ExportSelection(),
    replacing replacement: Replacement = Replacement(), progress: (Int, Int) -> Void = { _, _ in }
  ) throws(HostLinkError) -> Export {
    let folder = try ExportFolder(path, replacing: replacement)
    let lock = try FolderLock(path)
    defer { lock.release() }
    let parquet = ParquetExport(self)
    try parquet.mark(folder, selection, replacement)
    var export = Export()
    if selection.has("readings") { try parquet.exportReadings(to: folder, &export, progress) }
    for table in ArchiveTable.all(selection) {
      let rows = try TablePartitions.write(table, of: self, selection, to: folder)
      export.tables.append(Export.Table(name: table.name, rows: rows.rows, files: rows.files))
      export.leftOut += rows.leftOut
    }
    try folder.synchronise()
    return export
  }

  /// Writes the tables, without readings, as one file each.
  /// - Throws: `.storage` if a file cannot be written, `.usage` if it would take the place of another one.
  package func export(
    as format: FlatFormat, to path: String, _ selection: ExportSelection = ExportSelection(),
    replacing replacement: Replacement = Replacement()
  ) throws(HostLinkError) -> Export {
    let tables = ArchiveTable.all(selection).map {
      TableFolder.Table($0.name, columns: $0.columns.map(\.name), as: format)
    }
    try TableFolder.prepare(path, for: tables, replacement)
    var export = Export()
    for table in ArchiveTable.all(selection) {
      let rows = try FlatTable(table, as: format).write(self, selection, to: path)
      export.tables.append(Export.Table(name: table.name, rows: rows, files: 1))
    }
    return export
  }
}

/// A lock on a folder: two exports would write the same files.
private struct FolderLock {
  private let descriptor: Int32

  /// - Throws: `.busy` if another program has it.
  init(_ path: String) throws(HostLinkError) {
    descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0, flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      if descriptor >= 0 { close(descriptor) }
      throw HostLinkError(
        .busy, "another program is exporting to \(PrintableText.of(path))",
        advice: "wait until it has finished")
    }
  }

  func release() { close(descriptor) }
}
