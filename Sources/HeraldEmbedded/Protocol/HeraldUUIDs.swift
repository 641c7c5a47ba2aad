import HeraldBluetooth

/// The UUIDs of Herald's services and characteristics.
public enum HeraldUUIDs {
  /// The service of the protocol document (HP-33): 428132af-4746-42d3-801e-4572d65bfd9b.
  public static var service: UUID128 { UUID128(0x4281_32af_4746_42d3, 0x801e_4572_d65b_fd9b) }
  /// The service of phones with Herald 2.1 and later, assigned to the Linux Foundation.
  public static var shortService: UUID16 { UUID16(0xFCF6) }
  /// The payload characteristic, read (HP-34): 3e98c0f8-8f05-4829-a121-43e38f8933e7.
  public static var payload: UUID128 { UUID128(0x3e98_c0f8_8f05_4829, 0xa121_43e3_8f89_33e7) }
  /// The signal characteristic of compliant devices, written with response (HP-35):
  /// f617b813-092e-437a-8324-e09a80821a11. A peer that has it counts as an Android phone.
  public static var compliantSignal: UUID128 { UUID128(0xf617_b813_092e_437a, 0x8324_e09a_8082_1a11) }
  /// The signal characteristic of the other devices, written and notified (HP-36):
  /// 0eb0d5f2-eae4-4a9a-8af3-a4adb02d4363. A peer that has it counts as an iPhone.
  public static var otherSignal: UUID128 { UUID128(0x0eb0_d5f2_eae4_4a9a, 0x8af3_a4ad_b02d_4363) }
  /// The Device Information service (Device Information Service Specification, 1.1), and in it the model
  /// number string.
  public static var deviceInformation: UUID16 { UUID16(0x180A) }
  /// The model number string's UUID in its 128-bit form.
  public static var modelNumber: UUID128 { UUID128(UUID16(0x2A24)) }
}

/// Company identifiers in manufacturer data, as numbers; little-endian on air.
public enum CompanyID {
  /// Used by Herald's documents and by its phones up to 2.0; not assigned by the Bluetooth SIG.
  public static var herald: UInt16 { 0xFFFA }
  /// The Linux Foundation's, of Herald 2.1 and later, and of many other products.
  public static var linuxFoundation: UInt16 { 0x05F1 }
  /// `herald` with swapped bytes, as the C library sends it.
  public static var heraldSwapped: UInt16 { 0xFAFF }
  /// Apple's.
  public static var apple: UInt16 { 0x004C }
}
