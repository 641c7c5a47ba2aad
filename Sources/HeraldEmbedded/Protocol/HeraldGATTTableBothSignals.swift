import HeraldBluetooth

/// The Herald service with both signal characteristics, as the protocol document literally requires (HP-36).
/// Phones detect a peer's system by which one it hosts, so wearables do not use this table; tests do.
///
/// | handles | what |
/// | --- | --- |
/// | 1…11 | GAP, GATT and Device Information, as in `HeraldGATTTable` |
/// | 12…19 | Herald: signal, the other signal with its client configuration, payload |
public enum HeraldBothSignalsGATTTable: GATTTable {
  /// The table.
  public static var database: GATTDatabase {
    @_lifetime(immortal) get { GATTDatabase(attributes: bothAttributes.span, bytes: bothBytes.span) }
  }
}

private let bothAttributes: [19 of AttributeRecord] = [
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
  .value(typeAt: 66, .write, longest: 512, tag: .otherSignal),
  .configuration(slot: 0, allowing: .notifications),
  .characteristic(at: 82, 19),
  .value(typeAt: 85, .read, tag: .payload),
]

// The first 63 bytes are those of `HeraldGATTTable`.
private let bothBytes: [101 of UInt8] = [
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
  // 44: signal at 14
  0x08, 0x0E, 0x00,
  0x11, 0x1A, 0x82, 0x80, 0x9A, 0xE0, 0x24, 0x83, 0x7A, 0x43, 0x2E, 0x09, 0x13, 0xB8, 0x17, 0xF6,
  // 63: the other signal, written and notified (18), at 16
  0x18, 0x10, 0x00,
  0x63, 0x43, 0x2D, 0xB0, 0xAD, 0xA4, 0xF3, 0x8A, 0x9A, 0x4A, 0xE4, 0xEA, 0xF2, 0xD5, 0xB0, 0x0E,
  // 82: payload at 19
  0x02, 0x13, 0x00,
  0xE7, 0x33, 0x89, 0x8F, 0xE3, 0x43, 0x21, 0xA1, 0x29, 0x48, 0x05, 0x8F, 0xF8, 0xC0, 0x98, 0x3E,
]
