import HeraldBluetooth

/// The table of a Herald device: GAP, GATT and Device Information, then Herald under both of its service
/// UUIDs, so that phones with any version of Herald find it. Each Herald service has the signal
/// characteristic of compliant devices, written with response (HP-35), and the payload characteristic, read
/// (HP-34), in the order of Android phones.
///
/// | handles | what |
/// | --- | --- |
/// | 1…5 | GAP (1800): device name, appearance |
/// | 6 | GATT (1801) |
/// | 7…11 | Device Information (180A): manufacturer name, model number |
/// | 12…16 | Herald (HP-33): signal, payload |
/// | 17…21 | 0xFCF6: signal, payload |
public enum HeraldGATTTable: GATTTable {
  /// The table.
  public static var database: GATTDatabase {
    @_lifetime(immortal) get { GATTDatabase(attributes: heraldAttributes.span, bytes: heraldBytes.span) }
  }
}

extension AttributeTag {
  /// The own payload, in either service.
  public static var payload: AttributeTag { AttributeTag(rawValue: 1) }
  /// Where peers write signal messages, in either service.
  public static var signal: AttributeTag { AttributeTag(rawValue: 2) }
  /// Where peers of the other kind write signal messages (HP-36).
  public static var otherSignal: AttributeTag { AttributeTag(rawValue: 3) }
  /// The device's name, UTF-8.
  public static var deviceName: AttributeTag { AttributeTag(rawValue: 4) }
  /// The device's model, UTF-8.
  public static var modelNumber: AttributeTag { AttributeTag(rawValue: 5) }
  /// The manufacturer, UTF-8.
  public static var manufacturerName: AttributeTag { AttributeTag(rawValue: 7) }
}

private let heraldAttributes: [21 of AttributeRecord] = [
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
  .value(typeAt: 66, .read, tag: .payload),

  .primaryService(at: 82, 2),
  .characteristic(at: 84, 19),
  .value(typeAt: 47, .write, longest: 512, tag: .signal),
  .characteristic(at: 103, 19),
  .value(typeAt: 66, .read, tag: .payload),
]

// A characteristic's declaration is its properties (02 read, 08 write), the handle of its value and its UUID.
private let heraldBytes: [122 of UInt8] = [
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
  // 44: signal at 14; payload at 16
  0x08, 0x0E, 0x00,
  0x11, 0x1A, 0x82, 0x80, 0x9A, 0xE0, 0x24, 0x83, 0x7A, 0x43, 0x2E, 0x09, 0x13, 0xB8, 0x17, 0xF6,
  0x02, 0x10, 0x00,
  0xE7, 0x33, 0x89, 0x8F, 0xE3, 0x43, 0x21, 0xA1, 0x29, 0x48, 0x05, 0x8F, 0xF8, 0xC0, 0x98, 0x3E,
  // 82: 0xFCF6; signal at 19; payload at 21
  0xF6, 0xFC,
  0x08, 0x13, 0x00,
  0x11, 0x1A, 0x82, 0x80, 0x9A, 0xE0, 0x24, 0x83, 0x7A, 0x43, 0x2E, 0x09, 0x13, 0xB8, 0x17, 0xF6,
  0x02, 0x15, 0x00,
  0xE7, 0x33, 0x89, 0x8F, 0xE3, 0x43, 0x21, 0xA1, 0x29, 0x48, 0x05, 0x8F, 0xF8, 0xC0, 0x98, 0x3E,
]
