import HeraldBluetooth

// A table of its own, as an image without management over Bluetooth contains the shorter one only, and an
// image with it only this one.

extension HeraldGATTTable {
  /// The table with SMP over Bluetooth behind it, so that no handle of the table changes:
  ///
  /// | handles | what |
  /// | --- | --- |
  /// | 22…25 | SMP (MCUmgr): packets, written without response and notified, with client configuration |
  public static var managed: GATTDatabase {
    @_lifetime(immortal) get { GATTDatabase(attributes: managedAttributes.span, bytes: managedBytes.span) }
  }
  public static var managementCount: Int { 4 }
}

extension AttributeTag {
  /// Where requests of the management link are written, and responses notified.
  public static var management: AttributeTag { AttributeTag(rawValue: 8) }
}

extension HeraldUUIDs {
  /// The service of SMP over Bluetooth (MCUmgr): 8d53dc1d-1db7-4cd3-868b-8a527460aa84.
  public static var management: UUID128 { UUID128(0x8d53_dc1d_1db7_4cd3, 0x868b_8a52_7460_aa84) }
  /// The characteristic of the management service, written without response and notified:
  /// da2e7828-fbce-4e01-ae9e-261174997c48.
  public static var managementPackets: UUID128 { UUID128(0xda2e_7828_fbce_4e01, 0xae9e_2611_7499_7c48) }
}

// The first 21 attributes and 122 bytes are those of `HeraldGATTTable`.
private let managedAttributes: [25 of AttributeRecord] = [
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

  .primaryService(at: 122, 16),
  .characteristic(at: 138, 19),
  .value(typeAt: 141, .writeCommand, longest: 512, tag: .management),
  .configuration(slot: 6, allowing: .notifications),
]

private let managedBytes: [157 of UInt8] = [
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
  // 122: SMP; packets, written without response and notified (14), at 24
  0x84, 0xAA, 0x60, 0x74, 0x52, 0x8A, 0x8B, 0x86, 0xD3, 0x4C, 0xB7, 0x1D, 0x1D, 0xDC, 0x53, 0x8D,
  0x14, 0x18, 0x00,
  0x48, 0x7C, 0x99, 0x74, 0x11, 0x26, 0x9E, 0xAE, 0x01, 0x4E, 0xCE, 0xFB, 0x28, 0x78, 0x2E, 0xDA,
]
