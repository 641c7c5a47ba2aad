/// Where a server's table comes from while it runs.
public protocol GATTTableSource {
  /// The table at the start.
  init()
  /// The table. Attribute `n` has handle `n + 1`.
  var database: GATTDatabase { @_lifetime(&self) mutating get }
}

/// A table that never changes.
public struct ConstantGATTTable<Table: GATTTable>: GATTTableSource {
  /// The only one there is.
  @inlinable public init() {}
  /// The table.
  public var database: GATTDatabase {
    @inlinable @_lifetime(&self) mutating get { Table.database }
  }
}

/// A table in RAM: a copy of a constant one and further services behind it, with at most `attributes` attributes and `room` bytes of
/// constant values and 128-bit types. What does not fit is refused as a whole. All zero bits while empty.
public struct ComposedGATTTable<let attributes: Int, let room: Int>: GATTTableSource {
  private var records: [attributes of AttributeRecord]
  private var blob: [room of UInt8]
  private var recordCount: Int
  private var blobCount: Int

  /// An empty table.
  public init() {
    records = .init(
      repeating: AttributeRecord(
        type: 0, valueOffset: 0, valueLength: 0, flags: AttributeRecord.Flags(rawValue: 0), tag: 0))
    blob = .init(repeating: 0)
    recordCount = 0
    blobCount = 0
  }

  /// The table.
  public var database: GATTDatabase {
    @_lifetime(&self) mutating get {
      let recordCount = recordCount
      let blobCount = blobCount
      return GATTDatabase(
        attributes: records.span.extracting(first: recordCount), bytes: blob.span.extracting(first: blobCount)
      )
    }
  }

  /// Starts again with a copy of `base`. `false`, and an empty table, if that does not fit.
  @inline(never)
  public mutating func start(with base: GATTDatabase) -> Bool {
    recordCount = 0
    blobCount = 0
    guard base.attributes.count <= attributes, base.bytes.count <= room else { return false }
    var index = 0
    while index < base.attributes.count {
      records[index] = base.attributes[index]
      index &+= 1
    }
    index = 0
    while index < base.bytes.count {
      blob[index] = base.bytes[index]
      index &+= 1
    }
    recordCount = base.attributes.count
    blobCount = base.bytes.count
    return true
  }

  /// Appends a primary service.
  public mutating func appendService(_ uuid: UUID16) -> Bool {
    guard attributes &- recordCount >= 1, room &- blobCount >= 2 else { return false }
    append(.primaryService(at: UInt16(truncatingIfNeeded: blobCount), 2))
    append(UInt8(truncatingIfNeeded: uuid.rawValue))
    append(UInt8(truncatingIfNeeded: uuid.rawValue &>> 8))
    return true
  }

  /// Appends a primary service.
  public mutating func appendService(_ uuid: UUID128) -> Bool {
    guard attributes &- recordCount >= 1, room &- blobCount >= 16 else { return false }
    append(.primaryService(at: UInt16(truncatingIfNeeded: blobCount), 16))
    append(uuid)
    return true
  }

  /// Appends a characteristic and its value, which is supplied and taken at run time under `tag`. `access` is `read`,
  /// `write` or both, and `longest` the longest value that may be written.
  public mutating func appendCharacteristic(
    _ uuid: UUID128, _ access: AttributeRecord.Flags, longest: UInt16, tag: AttributeTag
  ) -> Bool {
    guard attributes &- recordCount >= 2, room &- blobCount >= 19 else { return false }
    let start = UInt16(truncatingIfNeeded: blobCount)
    append(.characteristic(at: start, 19))
    append(.value(typeAt: start &+ 3, access, longest: longest, tag: tag))
    // Properties (Vol 3, Part G, 3.3.1.1): 02 read, 08 write.
    append((access.contains(.read) ? 0x02 : 0) | (access.contains(.write) ? 0x08 : 0))
    append(UInt8(truncatingIfNeeded: recordCount))
    append(UInt8(truncatingIfNeeded: recordCount &>> 8))
    append(uuid)
    return true
  }

  private mutating func append(_ record: AttributeRecord) {
    records[recordCount] = record
    recordCount &+= 1
  }

  private mutating func append(_ byte: UInt8) {
    blob[blobCount] = byte
    blobCount &+= 1
  }

  private mutating func append(_ uuid: UUID128) {
    append(littleEndian: uuid.low)
    append(littleEndian: uuid.high)
  }

  private mutating func append(littleEndian number: UInt64) {
    var rest = number
    var index = 0
    while index < 8 {
      append(UInt8(truncatingIfNeeded: rest.low32))
      rest = rest &>> 8
      index &+= 1
    }
  }
}
