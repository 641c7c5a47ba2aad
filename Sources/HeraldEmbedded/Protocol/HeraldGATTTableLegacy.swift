import HeraldBluetooth

/// The Herald service with a legacy payload beside Herald's own (HP-38), and the legacy service itself beside
/// the Herald service (HP-39): those of OpenTrace, as Herald phones offer them when they are configured to.
/// Peers without Herald find the service they expect, with the supplier's `legacyPayload`.
///
/// A provider with services of its own defines a table like this one, with its own UUIDs (HP-37).
///
/// | handles | what |
/// | --- | --- |
/// | 1…11 | GAP, GATT and Device Information, as in `HeraldGATTTable` |
/// | 12…18 | Herald: signal, legacy payload, payload |
/// | 19…21 | OpenTrace (A6BA4286-C550-4794-A888-9467EF0B31A8): legacy payload |
public enum HeraldLegacyGATTTable: GATTTable {
  /// The table.
  public static var database: GATTDatabase {
    @_lifetime(immortal) get { GATTDatabase(attributes: legacyAttributes.span, bytes: legacyBytes.span) }
  }
}

extension AttributeTag {
  /// A payload in the format of an earlier system, in either service: read, and written with response.
  public static var legacyPayload: AttributeTag { AttributeTag(rawValue: 15) }
}

private let legacyAttributes: [21 of AttributeRecord] = [
  .primaryService(at: 0, 2),
  .characteristic(at: 2, 5),
  .value(0x2A00, .read, tag: .deviceName),
  .characteristic(at: 7, 5),
  .constant(0x2A01, at: 12, 2),

  .primaryService(at: 14, 2),

  .primaryService(at: 16, 2),
  .characteristic(at: 18, 5),
  .value(0x2A29, .read, tag: .manufacturerName),
  .characteristic(at: 23, 5),
  .value(0x2A24, .read, tag: .modelNumber),

  .primaryService(at: 28, 16),
  .characteristic(at: 44, 19),
  .value(typeAt: 47, .write, longest: 512, tag: .signal),
  .characteristic(at: 63, 19),
  .value(typeAt: 66, .read.union(.write), longest: 512, tag: .legacyPayload),
  .characteristic(at: 82, 19),
  .value(typeAt: 85, .read, tag: .payload),

  .primaryService(at: 101, 16),
  .characteristic(at: 117, 19),
  .value(typeAt: 66, .read.union(.write), longest: 512, tag: .legacyPayload),
]

private let legacyBytes: [136 of UInt8] = [
  // 0: GAP; device name at 3; appearance at 5, unknown
  0x00, 0x18,
  0x02, 0x03, 0x00, 0x00, 0x2A,
  0x02, 0x05, 0x00, 0x01, 0x2A,
  0x00, 0x00,
  // 14: GATT
  0x01, 0x18,
  // 16: Device Information; manufacturer name at 9; model number at 11
  0x0A, 0x18,
  0x02, 0x09, 0x00, 0x29, 0x2A,
  0x02, 0x0B, 0x00, 0x24, 0x2A,
  // 28: Herald
  0x9B, 0xFD, 0x5B, 0xD6, 0x72, 0x45, 0x1E, 0x80, 0xD3, 0x42, 0x46, 0x47, 0xAF, 0x32, 0x81, 0x42,
  // 44: signal at 14; legacy payload, read and written (0A), at 16; payload at 18
  0x08, 0x0E, 0x00,
  0x11, 0x1A, 0x82, 0x80, 0x9A, 0xE0, 0x24, 0x83, 0x7A, 0x43, 0x2E, 0x09, 0x13, 0xB8, 0x17, 0xF6,
  0x0A, 0x10, 0x00,
  0xB2, 0x5B, 0x7D, 0x17, 0x81, 0xF4, 0xA3, 0xBC, 0xF2, 0x42, 0x1E, 0xB1, 0x10, 0x47, 0x03, 0xD1,
  0x02, 0x12, 0x00,
  0xE7, 0x33, 0x89, 0x8F, 0xE3, 0x43, 0x21, 0xA1, 0x29, 0x48, 0x05, 0x8F, 0xF8, 0xC0, 0x98, 0x3E,
  // 101: OpenTrace; its payload at 21
  0xA8, 0x31, 0x0B, 0xEF, 0x67, 0x94, 0x88, 0xA8, 0x94, 0x47, 0x50, 0xC5, 0x86, 0x42, 0xBA, 0xA6,
  0x0A, 0x15, 0x00,
  0xB2, 0x5B, 0x7D, 0x17, 0x81, 0xF4, 0xA3, 0xBC, 0xF2, 0x42, 0x1E, 0xB1, 0x10, 0x47, 0x03, 0xD1,
]
