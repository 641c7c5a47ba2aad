/// The values of a column in the present row group.
struct ColumnBuffer {
  let column: ParquetColumn
  /// The number of rows.
  private(set) var rows = 0
  /// The numbers of the rows that have one; truth values are 0 and 1.
  private(set) var numbers: [Int64] = []
  /// The indices in `entries` of the rows that have one.
  private(set) var indices: [UInt32] = []
  /// The different texts, in the order in which they were added.
  private(set) var entries: [[UInt8]] = []
  /// The size of the texts of all rows, and of the different ones, as PLAIN has them.
  private(set) var plainBytes = 0
  private(set) var entryBytes = 0
  /// 1 for each row with a value, 0 for each without; empty if the column is not optional.
  private(set) var levels: [UInt32] = []
  private(set) var nulls = 0
  private var entryIndices: [[UInt8]: UInt32] = [:]

  init(_ column: ParquetColumn) { self.column = column }

  mutating func append(_ number: Int64) {
    guard !column.isText else { return }
    numbers.append(column.kind == .int32 ? Int64(Int32(truncatingIfNeeded: number)) : number)
    present()
  }

  mutating func append(_ bytes: [UInt8]) {
    guard column.isText else { return }
    append(entry: entry(of: bytes))
  }

  /// The index of a text, valid until the row group ends.
  mutating func entry(of bytes: [UInt8]) -> UInt32 {
    if let known = entryIndices[bytes] { return known }
    let index = UInt32(truncatingIfNeeded: entries.count)
    entryIndices[bytes] = index
    entries.append(bytes)
    entryBytes += bytes.count + 4
    return index
  }

  mutating func append(entry: UInt32) {
    guard column.isText, entries.indices.contains(Int(entry)) else { return }
    indices.append(entry)
    plainBytes += entries[Int(entry)].count + 4
    present()
  }

  private mutating func present() {
    if column.isOptional { levels.append(1) }
    rows += 1
  }

  /// Completes a row: a column without a value has none, or zero, or the empty text if it must have one.
  mutating func fill(to count: Int) {
    while rows < count {
      if column.isOptional {
        levels.append(0)
        nulls += 1
        rows += 1
      } else if column.isText {
        append([])
      } else {
        append(0)
      }
    }
  }

  mutating func removeAll() {
    numbers.removeAll(keepingCapacity: true)
    indices.removeAll(keepingCapacity: true)
    levels.removeAll(keepingCapacity: true)
    entries = []
    entryIndices = [:]
    (rows, nulls, plainBytes, entryBytes) = (0, 0, 0, 0)
  }
}
