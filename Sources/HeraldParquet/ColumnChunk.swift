/// The pages of a column in a row group, and what the footer says of them.
///
/// A chunk has one data page, and a dictionary page before it if that makes it smaller. Of the encodings that
/// a type permits, the one is taken that is smallest when compressed.
struct ColumnChunk {
  /// The enumeration `Encoding` of parquet.thrift.
  private enum Encoding {
    static let plain: Int32 = 0
    static let runLength: Int32 = 3
    static let delta: Int32 = 5
    static let dictionary: Int32 = 8
  }

  /// A page before it is compressed.
  private struct Page {
    let encoding: Int32
    let values: [UInt8]
    let dictionary: (bytes: [UInt8], count: Int)?
  }

  /// The longest text of which statistics are written.
  private static let longestStatistic = 64
  /// The most different numbers for which a dictionary is tried.
  private static let mostNumbers = 1 << 12

  private let column: ParquetColumn
  private let rows: Int
  private let nulls: Int
  private let least: [UInt8]?
  private let most: [UInt8]?
  private var encodings: [Int32] = []
  private var isCompressed = true
  private(set) var uncompressedSize = 0
  /// The pages with their headers.
  private(set) var bytes: [UInt8] = []
  private var dataOffset = 0
  private var hasDictionary = false

  init(_ buffer: ColumnBuffer, _ zstandard: Zstandard) {
    column = buffer.column
    rows = buffer.rows
    nulls = buffer.nulls
    (least, most) = Self.limits(buffer)
    var levels: [UInt8] = []
    if column.isOptional {
      var runs: [UInt8] = []
      RunLengthHybrid.append(buffer.levels, width: 1, to: &runs)
      levels = Self.littleEndian(Int64(runs.count), 4) + runs
    }
    let rows = rows
    var smallest: Int?
    for page in Self.pages(buffer) {
      let (data, dictionary) = (levels + page.values, page.dictionary)
      let pair = [dictionary?.bytes ?? [], data]
      var frames = pair.compactMap { $0.isEmpty ? [] : zstandard.compressed($0) }
      let isShorter = frames.count == 2 && frames[0].count + frames[1].count < pair[0].count + pair[1].count
      if !isShorter { frames = pair }
      let size = frames[0].count + frames[1].count
      if let smallest, smallest <= size { continue }
      smallest = size
      isCompressed = isShorter
      hasDictionary = dictionary != nil
      encodings =
        (hasDictionary ? [Encoding.plain] : []) + [page.encoding]
        + (column.isOptional ? [Encoding.runLength] : [])
      bytes = []
      uncompressedSize = 0
      if let dictionary {
        append(frames[0], of: pair[0].count) { header in
          header.field(7) { page in
            page.field(1, Int32(truncatingIfNeeded: dictionary.count))
            page.field(2, Encoding.plain)
          }
        }
      }
      dataOffset = bytes.count
      append(frames[1], of: pair[1].count) { header in
        header.field(5) { data in
          data.field(1, Int32(truncatingIfNeeded: rows))
          data.field(2, page.encoding)
          data.field(3, Encoding.runLength)
          data.field(4, Encoding.runLength)
        }
      }
    }
  }

  /// Appends a page; `body` writes the header of its type.
  private mutating func append(_ frame: [UInt8], of size: Int, _ body: (inout ThriftWriter) -> Void) {
    var thrift = ThriftWriter()
    let isDictionary = bytes.isEmpty && hasDictionary
    thrift.structure { header in
      header.field(1, isDictionary ? 2 : 0 as Int32)
      header.field(2, Int32(truncatingIfNeeded: size))
      header.field(3, Int32(truncatingIfNeeded: frame.count))
      body(&header)
    }
    bytes += thrift.bytes
    bytes += frame
    uncompressedSize += thrift.bytes.count + size
  }

  /// The structure `ColumnChunk` with its `ColumnMetaData`, for a chunk that begins at `offset` of the file.
  func write(to thrift: inout ThriftWriter, offset: Int64) {
    thrift.structure { chunk in
      chunk.field(2, 0 as Int64)
      chunk.field(3) { data in
        data.field(1, column.physicalType)
        data.field(2, list: encodings, of: .int32) { $0.element($1) }
        data.field(3, list: [column.name], of: .binary) { $0.element($1.utf8) }
        data.field(4, isCompressed ? 6 : 0 as Int32)
        data.field(5, Int64(rows))
        data.field(6, Int64(uncompressedSize))
        data.field(7, Int64(bytes.count))
        data.field(9, offset + Int64(dataOffset))
        if hasDictionary { data.field(11, offset) }
        data.field(12) { statistics in
          statistics.field(3, Int64(nulls))
          if let most { statistics.field(5, most) }
          if let least { statistics.field(6, least) }
        }
      }
    }
  }

  // MARK: Encodings

  private static func pages(_ buffer: ColumnBuffer) -> [Page] {
    switch buffer.column.kind {
    case .boolean:
      var packer = BitPacker()
      for number in buffer.numbers { packer.append(number == 0 ? 0 : 1, width: 1) }
      packer.align()
      return [Page(encoding: Encoding.plain, values: packer.bytes, dictionary: nil)]
    case .int32, .int64, .timestamp: return numberPages(buffer)
    case .string, .bytes: return [textPage(buffer)]
    }
  }

  private static func textPage(_ buffer: ColumnBuffer) -> Page {
    let width = byteWidth(of: buffer.entries.count)
    // Rows with the same text are often next to each other, so that this is an upper limit.
    if buffer.entryBytes + buffer.indices.count * width / 8 < buffer.plainBytes {
      return dictionaryPage(buffer.indices, width, buffer.entries.count, plain(buffer.entries))
    }
    return Page(
      encoding: Encoding.plain, values: plain(buffer.indices.map { buffer.entries[Int($0)] }), dictionary: nil
    )
  }

  private static func numberPages(_ buffer: ColumnBuffer) -> [Page] {
    let size = buffer.column.kind == .int32 ? 4 : 8
    let numbers = buffer.numbers
    guard !numbers.isEmpty else { return [Page(encoding: Encoding.plain, values: [], dictionary: nil)] }
    var pages = [false, true].map { isAligned in
      Page(
        encoding: Encoding.delta,
        values: DeltaEncoding.encode(numbers, bits: size * 8, isAligned: isAligned), dictionary: nil)
    }
    var known: [Int64: UInt32] = [:]
    var order: [Int64] = []
    var indices: [UInt32] = []
    indices.reserveCapacity(numbers.count)
    for number in numbers {
      if let index = known[number] {
        indices.append(index)
        continue
      }
      // So many different numbers make no dictionary that pays.
      guard order.count < mostNumbers, order.count < 64 || order.count * 2 <= indices.count + 64 else {
        return pages
      }
      known[number] = UInt32(order.count)
      indices.append(UInt32(order.count))
      order.append(number)
    }
    pages.append(
      dictionaryPage(
        indices, byteWidth(of: order.count), order.count, order.flatMap { littleEndian($0, size) }))
    return pages
  }

  /// The width of indices in whole bytes: compressed, they are shorter than indices that are packed tightly.
  private static func byteWidth(of count: Int) -> Int {
    max(1, (BitPacker.width(of: UInt64(max(0, count - 1))) + 7) / 8) * 8
  }

  private static func dictionaryPage(_ indices: [UInt32], _ width: Int, _ count: Int, _ dictionary: [UInt8])
    -> Page
  {
    var values = [UInt8(truncatingIfNeeded: width)]
    RunLengthHybrid.append(indices, width: width, to: &values)
    return Page(encoding: Encoding.dictionary, values: values, dictionary: (dictionary, count))
  }

  private static func plain(_ texts: [[UInt8]]) -> [UInt8] {
    texts.flatMap { littleEndian(Int64($0.count), 4) + $0 }
  }

  private static func littleEndian(_ value: Int64, _ size: Int) -> [UInt8] {
    (0..<size).map { UInt8(truncatingIfNeeded: value >> Int64($0 * 8)) }
  }

  // MARK: Statistics

  /// The least and the greatest value, as PLAIN has them but without lengths.
  private static func limits(_ buffer: ColumnBuffer) -> ([UInt8]?, [UInt8]?) {
    if buffer.column.isText {
      func isBefore(_ one: [UInt8], _ other: [UInt8]) -> Bool { one.lexicographicallyPrecedes(other) }
      let ends = (buffer.entries.min(by: isBefore), buffer.entries.max(by: isBefore))
      return (
        ends.0.flatMap { $0.count > longestStatistic ? nil : $0 },
        ends.1.flatMap { $0.count > longestStatistic ? nil : $0 }
      )
    }
    guard let least = buffer.numbers.min(), let most = buffer.numbers.max() else { return (nil, nil) }
    let size =
      switch buffer.column.kind {
      case .boolean: 1
      case .int32: 4
      default: 8
      }
    return (littleEndian(least, size), littleEndian(most, size))
  }
}
