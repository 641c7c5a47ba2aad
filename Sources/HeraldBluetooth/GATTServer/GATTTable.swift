/// A GATT table as constants: records of integers and one blob of bytes, both global `let`s and so both in
/// flash.
///
/// ```swift
/// private let attributes: [3 of AttributeRecord] = [
///   .primaryService(at: 0, 2), .characteristic(at: 2, 5), .value(0x2A00, .read, tag: .deviceName),
/// ]
/// private let bytes: [7 of UInt8] = [0x00, 0x18, 0x02, 0x03, 0x00, 0x00, 0x2A]
/// enum SmallTable: GATTTable {
///   static var database: GATTDatabase {
///     @_lifetime(immortal) get { GATTDatabase(attributes: attributes.span, bytes: bytes.span) }
///   }
/// }
/// ```
public protocol GATTTable {
  /// The table. Attribute `n` has handle `n + 1`.
  static var database: GATTDatabase { @_lifetime(immortal) get }
  /// Whether a value in it is notified to peers that subscribe. By default a table has none, and the image
  /// contains no code for it.
  static var notifies: Bool { get }
  /// The table with the service of the management link behind it, which is its last service.
  static var managed: GATTDatabase { @_lifetime(immortal) get }
  /// How many attributes that service has; 0 if there is no such table.
  static var managementCount: Int { get }
}

extension GATTTable {
  public static var notifies: Bool { false }
  /// The table itself: it has no such service.
  public static var managed: GATTDatabase { @_lifetime(immortal) get { database } }
  public static var managementCount: Int { 0 }
}

/// A GATT table, borrowed.
///
/// References of records beyond the blob read as empty; `firstFault()` finds such mistakes in a test.
public struct GATTDatabase: ~Escapable {
  /// The attributes in the order of their handles, from handle 1 without gaps.
  public let attributes: Span<AttributeRecord>
  /// Constant values and 128-bit types.
  public let bytes: Span<UInt8>

  /// A table of these records over these bytes. There must be fewer than 65,535 records.
  @_lifetime(copy attributes, copy bytes)
  public init(attributes: Span<AttributeRecord>, bytes: Span<UInt8>) {
    self.attributes = attributes
    self.bytes = bytes
  }

  /// The record of a handle; `nil` if there is none.
  @inline(__always)
  func record(_ handle: UInt16) -> AttributeRecord? {
    let index = Int(handle) &- 1
    guard index >= 0, index < attributes.count else { return nil }
    return attributes[unchecked: index]
  }

  /// The constant value of a record; empty if it has none.
  @inline(never)
  @_lifetime(copy self)
  func constant(_ record: AttributeRecord) -> Span<UInt8> {
    let start = Int(record.valueOffset)
    let end = start &+ Int(record.valueLength)
    guard record.flags.rawValue & 0x30 == 0, end <= bytes.count else {
      return bytes.extracting(unchecked: 0..<0)
    }
    return bytes.extracting(unchecked: Range(uncheckedBounds: (start, end)))
  }

  /// The sixteen bytes of a record's 128-bit type; empty if the table is faulty.
  @_lifetime(copy self)
  func longType(_ record: AttributeRecord) -> Span<UInt8> {
    let start = Int(record.type)
    guard start &+ 16 <= bytes.count else { return bytes.extracting(unchecked: 0..<0) }
    return bytes.extracting(unchecked: Range(uncheckedBounds: (start, start &+ 16)))
  }

  /// The handle of the last attribute in the group that the declaration at `index` opens (Vol 3, Part G,
  /// 2.5.3): up to the next service, and for a characteristic also up to the next characteristic.
  @inline(never)
  func groupEnd(of index: Int, _ type: UInt16) -> UInt16 {
    var next = index &+ 1
    while next < attributes.count {
      let record = attributes[unchecked: next]
      if !record.flags.contains(.longType) {
        let opensService =
          record.type == AttributeType.primaryService || record.type == AttributeType.secondaryService
        if opensService || (type == AttributeType.characteristic && record.type == type) { break }
      }
      next &+= 1
    }
    return UInt16(truncatingIfNeeded: next)
  }
}
