/// A GATT table as constants: records of integers and one blob of bytes, both global `let`s and so both in flash.
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
}

/// A GATT table, borrowed.
///
/// What the records point at outside the blob reads as empty; `firstFault()` finds such mistakes in a test.
public struct GATTDatabase: ~Escapable {
  /// The attributes in the order of their handles, from handle 1 without gaps.
  public let attributes: Span<AttributeRecord>
  /// Constant values and 128-bit types.
  public let bytes: Span<UInt8>

  /// A table of these records over these bytes. Of more than 65,534 records the rest is ignored.
  @_lifetime(copy attributes, copy bytes)
  @inlinable
  public init(attributes: Span<AttributeRecord>, bytes: Span<UInt8>) {
    self.attributes = attributes
    self.bytes = bytes
  }
}
