import HeraldEmbedded
import HeraldHAL
import TestInputs
import Testing

/// Numbers and the bytes that phones make of them, from the published table of pseudo device addresses.
let publishedPseudoAddresses: [(value: Int64, hex: String)] = [
  (1, "000000000000"), (-1, "ffffffffffff"), (117_649, "010000000000"), (-117_649, "feffffffffff"),
  (823_543, "0c0000000000"), (40_353_607, "670200000000"), (1_977_326_743, "db7500000000"),
  (96_889_010_407, "088f16000000"), (-96_889_010_407, "f770e9ffffff"),
  (33_232_930_569_601, "05a5391e0000"), (1_628_413_597_910_449, "0d9608c90500"),
  (79_792_266_297_612_001, "7eb8a47a1b01"), (-79_792_266_297_612_001, "81475b85e4fe"),
  (558_545_864_083_284_007, "720b815ac007"), (-558_545_864_083_284_007, "8df47ea53ff8"),
]

@Suite("Pseudo device address")
struct PseudoDeviceAddressTests {
  private func onAir(_ address: PseudoDeviceAddress) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: 6)
    var span = bytes.mutableSpan
    var writer = ByteWriter(span._mutatingExtracting(0..<6))
    writer.pseudoDeviceAddress(address)
    return writer.overflowed ? [] : bytes
  }

  private func read(_ bytes: [UInt8]) -> PseudoDeviceAddress? { PseudoDeviceAddress(onAir: bytes.span) }

  @Test("HP-11 The bytes phones make of a number", arguments: publishedPseudoAddresses)
  func encoding(value: Int64, expected: String) throws {
    let address = PseudoDeviceAddress(value: value)
    #expect(onAir(address) == hexBytes(expected))
    // Phones read it back with the lowest 16 bits lost.
    #expect(address.value == value & ~0xFFFF)
    #expect(PseudoDeviceAddress(value: address.value) == address)
    #expect(read(hexBytes(expected)) == address)
  }

  @Test(
    "HP-11 Every row of the published table of pseudo device addresses",
    .enabled(if: PublishedData.has("vectors/pseudoDeviceAddress.csv")))
  func publishedTable() throws {
    let rows = try PublishedData.rows("vectors/pseudoDeviceAddress.csv")
    #expect(rows.count == 44)
    for row in rows {
      let value = try #require(Int64(row[0]))
      #expect(onAir(PseudoDeviceAddress(value: value)) == PublishedData.base64(row[1]), "\(value)")
    }
  }

  @Test("Only six bytes make one")
  func length() {
    for count in [0, 1, 5, 7, 8] {
      #expect(read([UInt8](repeating: 1, count: count)) == nil)
    }
  }

  @Test("HP-12 All 48 bits come from the random source, and none from an earlier address")
  func random() {
    var all = SeededSource(seed: 12)
    var everSet: UInt64 = 0
    var everClear: UInt64 = 0
    for _ in 0..<200 {
      let address = PseudoDeviceAddress.make(random: &all)
      let bits = UInt64(address.high) << 32 | UInt64(address.low)
      everSet |= bits
      everClear |= ~bits
    }
    #expect(everSet == 0xFFFF_FFFF_FFFF)
    #expect(everClear & 0xFFFF_FFFF_FFFF == 0xFFFF_FFFF_FFFF)
    // The same bits from the source give the same address, whatever was made before.
    var first = ScriptedRandom([1, 2, 0xA3A2_A1A0, 0xA5A4_FFFF])
    _ = PseudoDeviceAddress.make(random: &first)
    var second = ScriptedRandom([0xA3A2_A1A0, 0xA5A4_FFFF])
    let address = PseudoDeviceAddress.make(random: &first)
    #expect(address == PseudoDeviceAddress.make(random: &second))
    #expect(onAir(address) == hexBytes("a0a1a2a3a4a5"))
  }
}
