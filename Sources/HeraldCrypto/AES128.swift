import HeraldHAL

/// The block cipher AES with a 128-bit key, encryption only (FIPS 197): the security function e of Bluetooth
/// (Core Specification, Vol 3, Part H, 2.2.1).
///
/// One table of 1 KB, which has SubBytes and MixColumns in one, and round keys computed as needed. The
/// positions read in the table depend on the key, so on a processor with a data cache the run time reveals
/// information about the key to other programs on the same processor; Cortex-M0 to M4 have none.
public enum AES128 {
  /// Encrypts `block` in place under `key`. Both are in the order of FIPS 197, which Bluetooth's documents
  /// call most significant first. All values derived from the key are erased.
  public static func encrypt(_ block: inout [16 of UInt8], key: [16 of UInt8]) {
    // State, and round key.
    var words: [8 of UInt32] = .init(repeating: 0)
    for index in 0..<16 {
      let shift = UInt32(truncatingIfNeeded: (index & 3) &* 8)
      let column = index &>> 2
      words[unchecked: 4 &+ column] |= UInt32(key[unchecked: index]) &<< shift
      words[unchecked: column] |= UInt32(block[unchecked: index] ^ key[unchecked: index]) &<< shift
    }
    var constant: UInt32 = 1
    for round in 1...10 {
      // The next round key (5.2).
      let last = rotated(words[unchecked: 7], 8)
      words[unchecked: 4] ^= constant ^ substituted(last, last, last, last)
      words[unchecked: 5] ^= words[unchecked: 4]
      words[unchecked: 6] ^= words[unchecked: 5]
      words[unchecked: 7] ^= words[unchecked: 6]
      constant = constant &<< 1 ^ (constant &>> 7) &* 0x11B
      // Row r of column c comes from column c + r: ShiftRows.
      let first = words[unchecked: 0]
      let second = words[unchecked: 1]
      let third = words[unchecked: 2]
      let fourth = words[unchecked: 3]
      if round < 10 {
        words[unchecked: 0] = mixed(first, second, third, fourth) ^ words[unchecked: 4]
        words[unchecked: 1] = mixed(second, third, fourth, first) ^ words[unchecked: 5]
        words[unchecked: 2] = mixed(third, fourth, first, second) ^ words[unchecked: 6]
        words[unchecked: 3] = mixed(fourth, first, second, third) ^ words[unchecked: 7]
      } else {
        words[unchecked: 0] = substituted(first, second, third, fourth) ^ words[unchecked: 4]
        words[unchecked: 1] = substituted(second, third, fourth, first) ^ words[unchecked: 5]
        words[unchecked: 2] = substituted(third, fourth, first, second) ^ words[unchecked: 6]
        words[unchecked: 3] = substituted(fourth, first, second, third) ^ words[unchecked: 7]
      }
    }
    for index in 0..<16 {
      let shift = UInt32(truncatingIfNeeded: (index & 3) &* 8)
      block[unchecked: index] = UInt8(truncatingIfNeeded: words[unchecked: index &>> 2] &>> shift)
    }
    var all = words.mutableSpan
    all.wipe()
  }

  /// The column of the lowest byte of `first`, the second of `second`, and so on, after SubBytes.
  @inline(never)
  private static func substituted(_ first: UInt32, _ second: UInt32, _ third: UInt32, _ fourth: UInt32)
    -> UInt32
  {
    (entry(first) &>> 8 & 0xFF) | (entry(second &>> 8) & 0xFF00) | (entry(third &>> 16) & 0xFF_0000)
      | (entry(fourth &>> 24) &<< 8 & 0xFF00_0000)
  }

  /// The same after SubBytes and MixColumns (5.1.3).
  @inline(__always)
  private static func mixed(_ first: UInt32, _ second: UInt32, _ third: UInt32, _ fourth: UInt32) -> UInt32 {
    entry(first) ^ rotated(entry(second &>> 8), 24) ^ rotated(entry(third &>> 16), 16)
      ^ rotated(entry(fourth &>> 24), 8)
  }

  /// The entry of the table for the lowest byte of `word`.
  @inline(__always)
  private static func entry(_ word: UInt32) -> UInt32 { aesColumns[unchecked: Int(word & 0xFF)] }

  /// `word` rotated to the right by `count` bits, 1…31.
  @inline(__always)
  private static func rotated(_ word: UInt32, _ count: UInt32) -> UInt32 {
    word &>> count | word &<< (32 &- count)
  }
}

/// What a byte of row 0 contributes to its column: its value s in the S-box (5.1.1) after MixColumns, 2s, s,
/// s and 3s from the lowest byte on.
private let aesColumns: [256 of UInt32] = [
  0xa563_63c6, 0x847c_7cf8, 0x9977_77ee, 0x8d7b_7bf6, 0x0df2_f2ff, 0xbd6b_6bd6, 0xb16f_6fde, 0x54c5_c591,
  0x5030_3060, 0x0301_0102, 0xa967_67ce, 0x7d2b_2b56, 0x19fe_fee7, 0x62d7_d7b5, 0xe6ab_ab4d, 0x9a76_76ec,
  0x45ca_ca8f, 0x9d82_821f, 0x40c9_c989, 0x877d_7dfa, 0x15fa_faef, 0xeb59_59b2, 0xc947_478e, 0x0bf0_f0fb,
  0xecad_ad41, 0x67d4_d4b3, 0xfda2_a25f, 0xeaaf_af45, 0xbf9c_9c23, 0xf7a4_a453, 0x9672_72e4, 0x5bc0_c09b,
  0xc2b7_b775, 0x1cfd_fde1, 0xae93_933d, 0x6a26_264c, 0x5a36_366c, 0x413f_3f7e, 0x02f7_f7f5, 0x4fcc_cc83,
  0x5c34_3468, 0xf4a5_a551, 0x34e5_e5d1, 0x08f1_f1f9, 0x9371_71e2, 0x73d8_d8ab, 0x5331_3162, 0x3f15_152a,
  0x0c04_0408, 0x52c7_c795, 0x6523_2346, 0x5ec3_c39d, 0x2818_1830, 0xa196_9637, 0x0f05_050a, 0xb59a_9a2f,
  0x0907_070e, 0x3612_1224, 0x9b80_801b, 0x3de2_e2df, 0x26eb_ebcd, 0x6927_274e, 0xcdb2_b27f, 0x9f75_75ea,
  0x1b09_0912, 0x9e83_831d, 0x742c_2c58, 0x2e1a_1a34, 0x2d1b_1b36, 0xb26e_6edc, 0xee5a_5ab4, 0xfba0_a05b,
  0xf652_52a4, 0x4d3b_3b76, 0x61d6_d6b7, 0xceb3_b37d, 0x7b29_2952, 0x3ee3_e3dd, 0x712f_2f5e, 0x9784_8413,
  0xf553_53a6, 0x68d1_d1b9, 0x0000_0000, 0x2ced_edc1, 0x6020_2040, 0x1ffc_fce3, 0xc8b1_b179, 0xed5b_5bb6,
  0xbe6a_6ad4, 0x46cb_cb8d, 0xd9be_be67, 0x4b39_3972, 0xde4a_4a94, 0xd44c_4c98, 0xe858_58b0, 0x4acf_cf85,
  0x6bd0_d0bb, 0x2aef_efc5, 0xe5aa_aa4f, 0x16fb_fbed, 0xc543_4386, 0xd74d_4d9a, 0x5533_3366, 0x9485_8511,
  0xcf45_458a, 0x10f9_f9e9, 0x0602_0204, 0x817f_7ffe, 0xf050_50a0, 0x443c_3c78, 0xba9f_9f25, 0xe3a8_a84b,
  0xf351_51a2, 0xfea3_a35d, 0xc040_4080, 0x8a8f_8f05, 0xad92_923f, 0xbc9d_9d21, 0x4838_3870, 0x04f5_f5f1,
  0xdfbc_bc63, 0xc1b6_b677, 0x75da_daaf, 0x6321_2142, 0x3010_1020, 0x1aff_ffe5, 0x0ef3_f3fd, 0x6dd2_d2bf,
  0x4ccd_cd81, 0x140c_0c18, 0x3513_1326, 0x2fec_ecc3, 0xe15f_5fbe, 0xa297_9735, 0xcc44_4488, 0x3917_172e,
  0x57c4_c493, 0xf2a7_a755, 0x827e_7efc, 0x473d_3d7a, 0xac64_64c8, 0xe75d_5dba, 0x2b19_1932, 0x9573_73e6,
  0xa060_60c0, 0x9881_8119, 0xd14f_4f9e, 0x7fdc_dca3, 0x6622_2244, 0x7e2a_2a54, 0xab90_903b, 0x8388_880b,
  0xca46_468c, 0x29ee_eec7, 0xd3b8_b86b, 0x3c14_1428, 0x79de_dea7, 0xe25e_5ebc, 0x1d0b_0b16, 0x76db_dbad,
  0x3be0_e0db, 0x5632_3264, 0x4e3a_3a74, 0x1e0a_0a14, 0xdb49_4992, 0x0a06_060c, 0x6c24_2448, 0xe45c_5cb8,
  0x5dc2_c29f, 0x6ed3_d3bd, 0xefac_ac43, 0xa662_62c4, 0xa891_9139, 0xa495_9531, 0x37e4_e4d3, 0x8b79_79f2,
  0x32e7_e7d5, 0x43c8_c88b, 0x5937_376e, 0xb76d_6dda, 0x8c8d_8d01, 0x64d5_d5b1, 0xd24e_4e9c, 0xe0a9_a949,
  0xb46c_6cd8, 0xfa56_56ac, 0x07f4_f4f3, 0x25ea_eacf, 0xaf65_65ca, 0x8e7a_7af4, 0xe9ae_ae47, 0x1808_0810,
  0xd5ba_ba6f, 0x8878_78f0, 0x6f25_254a, 0x722e_2e5c, 0x241c_1c38, 0xf1a6_a657, 0xc7b4_b473, 0x51c6_c697,
  0x23e8_e8cb, 0x7cdd_dda1, 0x9c74_74e8, 0x211f_1f3e, 0xdd4b_4b96, 0xdcbd_bd61, 0x868b_8b0d, 0x858a_8a0f,
  0x9070_70e0, 0x423e_3e7c, 0xc4b5_b571, 0xaa66_66cc, 0xd848_4890, 0x0503_0306, 0x01f6_f6f7, 0x120e_0e1c,
  0xa361_61c2, 0x5f35_356a, 0xf957_57ae, 0xd0b9_b969, 0x9186_8617, 0x58c1_c199, 0x271d_1d3a, 0xb99e_9e27,
  0x38e1_e1d9, 0x13f8_f8eb, 0xb398_982b, 0x3311_1122, 0xbb69_69d2, 0x70d9_d9a9, 0x898e_8e07, 0xa794_9433,
  0xb69b_9b2d, 0x221e_1e3c, 0x9287_8715, 0x20e9_e9c9, 0x49ce_ce87, 0xff55_55aa, 0x7828_2850, 0x7adf_dfa5,
  0x8f8c_8c03, 0xf8a1_a159, 0x8089_8909, 0x170d_0d1a, 0xdabf_bf65, 0x31e6_e6d7, 0xc642_4284, 0xb868_68d0,
  0xc341_4182, 0xb099_9929, 0x772d_2d5a, 0x110f_0f1e, 0xcbb0_b07b, 0xfc54_54a8, 0xd6bb_bb6d, 0x3a16_162c,
]
