import TestInputs
import Testing

@testable import HeraldParquet

/// Bytes written by hand from Encodings.md and thrift-compact-protocol.md of the Parquet and Thrift projects.
@Suite struct EncodingTests {
  @Test(
    "Varints have seven bits in each byte, least significant first",
    arguments: [
      (0, "00"), (127, "7F"), (128, "80 01"), (300, "AC 02"), (UInt64.max, "FFFFFFFFFFFFFFFFFF01"),
    ] as [(UInt64, String)])
  func varint(value: UInt64, hex: String) {
    var bytes: [UInt8] = []
    Varint.append(value, to: &bytes)
    #expect(bytes == hexBytes(hex))
  }

  @Test(
    "Signed numbers are zigzag: the sign is the lowest bit",
    arguments: [
      (0, "00"), (-1, "01"), (1, "02"), (-64, "7F"), (64, "80 01"), (Int64.max, "FEFFFFFFFFFFFFFFFF01"),
      (Int64.min, "FFFFFFFFFFFFFFFFFF01"),
    ] as [(Int64, String)])
  func zigzag(value: Int64, hex: String) {
    var bytes: [UInt8] = []
    Varint.append(zigzag: value, to: &bytes)
    #expect(bytes == hexBytes(hex))
  }

  @Test("0 to 7 in three bits are the example of the specification")
  func bitPacking() {
    var packer = BitPacker()
    for value in 0..<8 { packer.append(UInt64(value), width: 3) }
    #expect(packer.bytes == [0b1000_1000, 0b1100_0110, 0b1111_1010])
  }

  @Test("Numbers of 64 bits are packed behind others, and higher bits than the width are dropped")
  func wideBitPacking() {
    var packer = BitPacker(appendingTo: [0xAA])
    packer.append(0xFF, width: 1)
    packer.append(UInt64.max, width: 64)
    packer.append(0, width: 0)
    packer.append(0b10, width: 2)
    packer.align()
    packer.align()
    #expect(packer.bytes == hexBytes("AA FFFFFFFFFFFFFFFF 05"))
  }

  @Test(
    "Widths are those of the largest bit",
    arguments: [(0, 0), (1, 1), (2, 2), (255, 8), (UInt64.max, 64)] as [(UInt64, Int)])
  func width(value: UInt64, bits: Int) { #expect(BitPacker.width(of: value) == bits) }

  @Test(
    "Runs and packed groups of the hybrid",
    arguments: [
      // Nothing.
      ([], 1, ""),
      // Ten ones: twice ten, and the number in a byte.
      (Array(repeating: 1, count: 10), 1, "14 01"),
      // A group of eight: once, and packed.
      ([0, 1, 0, 1, 0, 1, 0, 1], 1, "03 AA"), ([0, 1, 2, 3, 4, 5, 6, 7], 3, "03 88C6FA"),
      // Three numbers: the group is filled with zeros.
      ([1, 1, 1], 1, "03 07"),
      // A run begins in a group, which its first numbers fill: 1, 2, 5 × 6, then 5 × 14.
      ([1, 2] + Array(repeating: 5, count: 20), 3, "03 51DBB6 1C 05"),
      // Nine bits: a run has two bytes.
      (Array(repeating: 0x123, count: 8), 9, "10 2301"),
      // Seven equal numbers are no run.
      (Array(repeating: 1, count: 7), 1, "03 7F"),
      // Two runs one after the other.
      (Array(repeating: 0, count: 64) + Array(repeating: 1, count: 8), 1, "8001 00 10 01"),
    ] as [([UInt32], Int, String)])
  func hybrid(values: [UInt32], width: Int, hex: String) {
    var bytes: [UInt8] = []
    RunLengthHybrid.append(values, width: width, to: &bytes)
    #expect(bytes == hexBytes(hex))
  }

  @Test(
    "Differences in blocks of 128 and miniblocks of 32",
    arguments: [
      // The first example of the specification: all differences are 1.
      ([1, 2, 3, 4, 5], 64, false, "8001 04 05 02  02 00000000"),
      // The second: differences of -2 and 1, in two bits 0 and 3.
      ([7, 5, 3, 1, 2, 3, 4, 5], 64, false, "8001 04 08 0E  03 02000000 C03F000000000000"),
      // The same in whole bytes.
      (
        [7, 5, 3, 1, 2, 3, 4, 5], 64, true,
        "8001 04 08 0E  03 08000000 00000003030303" + String(repeating: "00", count: 25)
      ),
      ([-3], 32, false, "8001 04 01 05"), ([], 64, false, "8001 04 00 00"),
      // Differences wrap around in 64 bits and in 32.
      ([Int64.min, Int64.max], 64, false, "8001 04 02 FFFFFFFFFFFFFFFFFF01  01 00000000"),
      ([0x7FFF_FFFF, -0x8000_0000], 32, false, "8001 04 02 FEFFFFFF0F  02 00000000"),
      // The differences 2³¹ - 1 and -2³¹ are 2³² - 1 apart, which are 32 bits.
      (
        [0, 0x7FFF_FFFF, -1], 32, false,
        "8001 04 03 00  FFFFFFFF0F 20000000 FFFFFFFF" + String(repeating: "00", count: 124)
      ),
      // 1 to 130: the second block has the last difference.
      (Array(1...130), 64, false, "8001 04 8201 02  02 00000000  02 00000000"),
    ] as [([Int64], Int, Bool, String)])
  func delta(values: [Int64], bits: Int, isAligned: Bool, hex: String) {
    #expect(DeltaEncoding.encode(values, bits: bits, isAligned: isAligned) == hexBytes(hex))
  }

  @Test("Fields of structures have the difference to the number before, a type, and a value")
  func thriftFields() {
    var thrift = ThriftWriter()
    thrift.structure { outer in
      outer.field(1, 1 as Int32)
      outer.field(3, true)
      outer.field(4, false)
      outer.field(5, "ab".utf8)
      outer.field(12) { inner in
        inner.field(2, -1 as Int64)
      }
      // After a structure, the numbers of the outer one go on.
      outer.field(13, 3 as Int32)
    }
    #expect(thrift.bytes == hexBytes("15 02  21  12  18 02 6162  7C 26 01 00  15 06  00"))
  }

  @Test("A list of 15 elements and more has its length in a varint")
  func thriftLists() {
    var thrift = ThriftWriter()
    thrift.structure { outer in
      outer.field(1, list: [0, 1], of: .int32) { $0.element($1) }
      outer.field(2, list: Array(repeating: "x", count: 15), of: .binary) { $0.element($1.utf8) }
    }
    #expect(thrift.bytes == hexBytes("19 25 00 02  19 F8 0F" + String(repeating: "0178", count: 15) + "00"))
  }
}
