/// Writes a flat table as a Parquet file (format version 2, pages of version 1, compressed by Zstandard).
///
/// Rows are held in memory until a row group is full: at most `mostRows` rows and about `mostBytes` bytes of
/// text. The file appears under its name when `finish` has completed it; until then it is a hidden file
/// beside it, which is removed if the table is not finished.
package final class ParquetFile {
  /// The maximum number of rows of a row group.
  package static let mostRows = 1 << 17
  /// The size of different texts of a row group, in bytes, at which it ends.
  static let mostBytes = 8 << 20

  /// The number of rows in all.
  package private(set) var rows = 0
  /// The number of rows in the present row group. While it is 0, no entry of a dictionary is valid.
  package private(set) var rowsInGroup = 0

  private let columns: [ParquetColumn]
  private let createdBy: String
  private let output: OutputFile
  private let zstandard: Zstandard
  private var buffers: [ColumnBuffer]
  /// The structures `RowGroup` of the footer.
  private var groups: [[UInt8]] = []
  private var offset: Int64 = 0

  /// Begins a table at `path`; `createdBy` names the program that writes it.
  /// - Throws: `ParquetError` if the file cannot be made.
  package convenience init(_ path: String, _ columns: [ParquetColumn], createdBy: String) throws(ParquetError)
  {
    try self.init(try OutputFile(path), columns, createdBy: createdBy)
  }

  init(_ output: OutputFile, _ columns: [ParquetColumn], createdBy: String) throws(ParquetError) {
    self.output = output
    self.columns = columns
    self.createdBy = createdBy
    zstandard = Zstandard()
    buffers = columns.map(ColumnBuffer.init)
    try put(Array("PAR1".utf8))
  }

  // MARK: Rows

  /// Sets the number, or the truth value as 0 or 1, of a column of the present row; later ones are ignored.
  package func append(_ number: Int64, to column: Int) {
    if isEmpty(column) { buffers[column].append(number) }
  }

  /// Sets the text or the bytes of a column of the present row.
  package func append(_ bytes: [UInt8], to column: Int) {
    if isEmpty(column) { buffers[column].append(bytes) }
  }

  /// Sets the text of a column of the present row by its entry in the dictionary.
  package func append(entry: UInt32, to column: Int) {
    if isEmpty(column) { buffers[column].append(entry: entry) }
  }

  /// The entry of a text in the dictionary of a column, valid until the row group ends.
  package func entry(of bytes: [UInt8], in column: Int) -> UInt32 {
    buffers.indices.contains(column) ? buffers[column].entry(of: bytes) : 0
  }

  private func isEmpty(_ column: Int) -> Bool {
    buffers.indices.contains(column) && buffers[column].rows == rowsInGroup
  }

  /// Completes the present row. A column that was not set has no value; if it must have one, 0, false or the
  /// empty text.
  /// - Throws: `ParquetError` if the row group is full and cannot be written.
  package func endRow() throws(ParquetError) {
    rowsInGroup += 1
    var size = 0
    for index in buffers.indices {
      buffers[index].fill(to: rowsInGroup)
      size += buffers[index].entryBytes
    }
    if rowsInGroup >= Self.mostRows || size >= Self.mostBytes { try endGroup() }
  }

  // MARK: Row groups and footer

  private func endGroup() throws(ParquetError) {
    var thrift = ThriftWriter()
    var chunks: [(chunk: ColumnChunk, offset: Int64)] = []
    for buffer in buffers {
      let chunk = ColumnChunk(buffer, zstandard)
      chunks.append((chunk, offset))
      try put(chunk.bytes)
    }
    thrift.structure { group in
      group.field(1, list: chunks, of: .structure) { $1.chunk.write(to: &$0, offset: $1.offset) }
      group.field(2, chunks.reduce(0) { $0 + Int64($1.chunk.uncompressedSize) })
      group.field(3, Int64(rowsInGroup))
    }
    groups.append(thrift.bytes)
    rows += rowsInGroup
    rowsInGroup = 0
    for index in buffers.indices { buffers[index].removeAll() }
  }

  /// Completes the file, syncs it to the disk, and gives it its name.
  /// - Throws: `ParquetError` if it cannot be written; then what had the name before is unchanged, unless
  ///   only the folder could not be synced.
  package func finish() throws(ParquetError) {
    if rowsInGroup > 0 { try endGroup() }
    let footer = footer()
    try put(footer)
    var length = UInt32(truncatingIfNeeded: footer.count)
    var end: [UInt8] = []
    for _ in 0..<4 {
      end.append(UInt8(truncatingIfNeeded: length))
      length >>= 8
    }
    try put(end + Array("PAR1".utf8))
    try output.finish()
  }

  /// The structure `FileMetaData`.
  private func footer() -> [UInt8] {
    var thrift = ThriftWriter()
    thrift.structure { file in
      file.field(1, 2 as Int32)
      file.field(2, list: [nil] + columns.map(Optional.some), of: .structure) { schema, column in
        if let column {
          column.write(to: &schema)
        } else {
          schema.structure { root in
            root.field(4, "schema".utf8)
            root.field(5, Int32(truncatingIfNeeded: columns.count))
          }
        }
      }
      file.field(3, Int64(rows))
      file.field(4, list: groups, of: .structure) { $0.append(structure: $1) }
      file.field(6, createdBy.utf8)
      // Statistics are in the order of the columns' types.
      file.field(7, list: columns, of: .structure) { orders, _ in
        orders.structure { order in order.field(1) { _ in } }
      }
    }
    return thrift.bytes
  }

  private func put(_ bytes: [UInt8]) throws(ParquetError) {
    try output.append(bytes)
    offset += Int64(bytes.count)
  }
}
