import HeraldHAL

/// The attributes that a device serves in addition to its constant table, if any.
public protocol GATTTableSource {
  /// The table at the start.
  init()
  /// Whether the table may change while peers are connected. The members after `database` are only used for a
  /// table that may change.
  static var changes: Bool { get }
  /// The table that is served by a device whose constant one is `table`: attribute `n` has handle `n + 1`. On
  /// a connection that was opened under a former address (`isFormer`), attributes that change are left out.
  @_lifetime(&self, copy table)
  mutating func database(over table: GATTDatabase, isFormer: Bool) -> GATTDatabase
  /// The first handle of the attributes that change; one more than the last handle if there are none at
  /// present.
  var firstChanging: UInt16 { get }
  /// The handle of the value of Service Changed, whose client configuration has slot `serviceChangedSlot`; 0
  /// if the table has no such characteristic.
  var serviceChanged: UInt16 { get }
  /// Connections on which Service Changed is to be indicated if their peers have subscribed, a bit each.
  var unindicated: UInt32 { get set }
}

/// Defaults for a table that does not change.
extension GATTTableSource {
  public static var changes: Bool { false }
  /// The constant table.
  @_lifetime(&self, copy table)
  public mutating func database(over table: GATTDatabase, isFormer: Bool) -> GATTDatabase { table }
  /// Zero: there are none.
  public var firstChanging: UInt16 { 0 }
  public var serviceChanged: UInt16 { 0 }
  public var unindicated: UInt32 {
    get { 0 }
    set {}
  }
  /// The slot of the client configuration of Service Changed.
  public static var serviceChangedSlot: UInt8 { 7 }
}

/// Only the constant table is served.
public struct UnchangedGATTTable: GATTTableSource {
  public init() {}
}

/// A table in RAM: a copy of a constant one and further services behind it, with at most `attributes`
/// attributes and `room` bytes of constant values and 128-bit types. A service that does not fit is refused
/// as a whole. All zero bits while empty.
///
/// The services behind the copy are subject to change, unless `endConstantPart` follows them: on connections
/// that were opened under a former address they are not served. As the table changes while peers may have
/// cached it, its GATT service has the Service Changed characteristic (Core Specification, Vol 3, Part G,
/// 7.1).
public struct ComposedGATTTable<let attributes: Int, let room: Int>: GATTTableSource {
  private var records: [attributes of AttributeRecord]
  private var blob: [room of UInt8]
  private var recordCount: Int
  private var blobCount: Int
  private var constantCount: Int
  /// See `GATTTableSource`.
  public var unindicated: UInt32
  /// See `GATTTableSource`.
  public private(set) var serviceChanged: UInt16

  /// An empty table.
  public init() {
    records = .init(
      repeating: AttributeRecord(
        type: 0, valueOffset: 0, valueLength: 0, flags: AttributeRecord.Flags(rawValue: 0), tag: 0))
    blob = .init(repeating: 0)
    recordCount = 0
    blobCount = 0
    constantCount = 0
    unindicated = 0
    serviceChanged = 0
  }

  public static var changes: Bool { true }

  /// The table.
  public var database: GATTDatabase {
    @_lifetime(&self) mutating get { database(isFormer: false) }
  }

  /// The table, or its constant part. A copy of the device's constant table was made in `start`.
  @_lifetime(&self, copy table)
  public mutating func database(over table: GATTDatabase, isFormer: Bool) -> GATTDatabase {
    database(isFormer: isFormer)
  }

  /// The table, or its constant part.
  @_lifetime(&self)
  private mutating func database(isFormer: Bool) -> GATTDatabase {
    let recordCount = isFormer ? constantCount : recordCount
    let blobCount = blobCount
    return GATTDatabase(
      attributes: records.span.extracting(first: recordCount), bytes: blob.span.extracting(first: blobCount)
    )
  }

  /// The handle behind the constant part.
  public var firstChanging: UInt16 { UInt16(truncatingIfNeeded: constantCount &+ 1) }

  /// The contents of the table so far do not change.
  public mutating func endConstantPart() { constantCount = recordCount }

  /// Starts again with a copy of `base` and, unless the table `isFixed`, puts Service Changed into its GATT
  /// service: the handles behind that are three more than in `base`. A `base` without a GATT service, or with
  /// characteristics in it, is copied as it is. `false`, and an empty table, if that does not fit.
  @inline(never)
  public mutating func start(with base: GATTDatabase, isFixed: Bool = false) -> Bool {
    recordCount = 0
    blobCount = 0
    constantCount = 0
    serviceChanged = 0
    let service = isFixed ? -1 : base.emptyGATTService
    let isChanged = service >= 0
    guard base.attributes.count &+ (isChanged ? 3 : 0) <= attributes,
      base.bytes.count &+ (isChanged ? 5 : 0) <= room
    else { return false }
    var index = 0
    while index < base.bytes.count {
      append(base.bytes[index])
      index &+= 1
    }
    index = 0
    while index < base.attributes.count {
      let record = base.attributes[index]
      append(record)
      if serviceChanged != 0 { shiftHandle(of: record) }
      if index == service { appendServiceChanged() }
      index &+= 1
    }
    endConstantPart()
    return true
  }

  /// Appends the Service Changed characteristic: it is indicated, and neither read nor written.
  private mutating func appendServiceChanged() {
    serviceChanged = UInt16(truncatingIfNeeded: recordCount &+ 2)
    append(.characteristic(at: UInt16(truncatingIfNeeded: blobCount), 5))
    append(.value(AttributeType.serviceChanged, AttributeRecord.Flags(rawValue: 0), tag: .serviceChanged))
    append(.configuration(slot: Self.serviceChangedSlot, allowing: .indications))
    // Properties (Vol 3, Part G, 3.3.1.1): 20 indicate.
    append(0x20)
    append(UInt8(truncatingIfNeeded: serviceChanged))
    append(UInt8(truncatingIfNeeded: serviceChanged &>> 8))
    append(UInt8(truncatingIfNeeded: AttributeType.serviceChanged))
    append(UInt8(truncatingIfNeeded: AttributeType.serviceChanged &>> 8))
  }

  /// The declaration of a characteristic names the handle of its value, which moved by three.
  private mutating func shiftHandle(of record: AttributeRecord) {
    let offset = Int(record.valueOffset) &+ 1
    guard record.type == AttributeType.characteristic, !record.flags.contains(.longType),
      offset &+ 1 < blobCount
    else { return }
    let handle = (UInt16(blob[offset]) | UInt16(blob[offset &+ 1]) &<< 8) &+ 3
    blob[offset] = UInt8(truncatingIfNeeded: handle)
    blob[offset &+ 1] = UInt8(truncatingIfNeeded: handle &>> 8)
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

  /// Appends a characteristic and its value, which is supplied and accepted at run time under `tag`. `access`
  /// is `read`, `write` or both, and `longest` the longest value that may be written.
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

extension AttributeTag {
  /// The Service Changed characteristic, whose value is only indicated.
  public static var serviceChanged: AttributeTag { AttributeTag(rawValue: 6) }
}

extension GATTDatabase {
  /// The index of the GATT service's declaration if no characteristic follows it; -1 if there is none.
  fileprivate var emptyGATTService: Int {
    var index = 0
    while index < attributes.count {
      let record = attributes[unchecked: index]
      let uuid = constant(record)
      if record.type == AttributeType.primaryService, uuid.count == 2, uuid.u16(at: 0) == 0x1801 {
        return groupEnd(of: index, record.type) == UInt16(truncatingIfNeeded: index &+ 1) ? index : -1
      }
      index &+= 1
    }
    return -1
  }
}
