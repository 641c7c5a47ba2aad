import HostileInputs
import Testing

@testable import HeraldImages

@Suite("Firmware images")
struct FirmwareImageTests {
  static let hex = """
    :020000040000FA
    :1000000000400020C1000000CD000000CF00000033
    :0400100001020304E2
    :020000042000DA
    :02100000AABB89
    :04000005000000C136
    :00000001FF

    """

  @Test("Intel HEX in literal lines")
  func intelHex() throws {
    let image = try FirmwareImage(Array(Self.hex.utf8))
    #expect(image.format == .intelHex && image.entry == 0xC1)
    #expect(image.segments.map(\.address) == [0, 0x2000_1000])
    #expect(image.segments[0].bytes.count == 20 && image.segments[0].bytes.suffix(4) == [1, 2, 3, 4])
    #expect(image.segments[1].bytes == [0xAA, 0xBB])
    let table = image.vectorTable
    #expect(table?.initialStackPointer == 0x2000_4000 && table?.resetHandler == 0xC0)
    // The handler lies behind these 20 bytes.
    #expect(table?.isPlausible == false)
  }

  @Test(
    "Faults in Intel HEX are named with their line",
    arguments: [
      (":0400100001020304E3\n:00000001FF", "line 1 has a wrong checksum"),
      ("\n:04001000010203E2\n", "line 2 has 3 bytes and says 4"),
      (":0400100001020304E2\n", "the end record is missing: the file is cut off"),
      (":00000001FF\n:00000001FF\n", "line 2 comes after the end record"),
      (":0G000001FF\n", "line 1 has a character that is no hexadecimal digit"),
      (":00000009F7\n", "line 1: there is no record type 9"),
      (
        ":0400000A9900C0DEBB\n",
        "line 1: this is a Universal Hex file for several boards; use the one for a single board"
      ),
      (":00000001FF\n", "the file holds no bytes for the chip's memory"),
      (":02000000AABB99\n:02000100CCDD54\n:00000001FF", "two pieces overlap at 0x00000001"),
      (":01\n", "line 1 is no record"),
    ])
  func badHex(_ text: String, _ reason: String) {
    #expect(throws: FirmwareError(reason)) { try FirmwareImage(Array(text.utf8)) }
  }

  /// An ELF file with the segments (address, bytes in the file, bytes in memory).
  static func elf(_ segments: [(UInt32, [UInt8])], machine: UInt16 = 40) -> [UInt8] {
    func u16(_ value: UInt16) -> [UInt8] { [UInt8(value & 0xFF), UInt8(value >> 8)] }
    func u32(_ value: UInt32) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) } }
    var file: [UInt8] = [0x7F, 0x45, 0x4C, 0x46, 1, 1, 1, 0] + [UInt8](repeating: 0, count: 8)
    file += u16(2) + u16(machine) + u32(1) + u32(0x1001) + u32(52) + u32(0) + u32(0x0500_0200)
    file += u16(52) + u16(32) + u16(UInt16(segments.count)) + u16(0) + u16(0) + u16(0)
    var offset = UInt32(52 + 32 * segments.count)
    for (address, bytes) in segments {
      // Stored at `address`, run elsewhere: the address to flash is the physical one.
      file += u32(1) + u32(offset) + u32(0x2000_0000) + u32(address) + u32(UInt32(bytes.count)) + u32(4096)
      file += u32(5) + u32(4)
      offset += UInt32(bytes.count)
    }
    return file + segments.flatMap(\.1)
  }

  @Test("ELF segments lie at their load addresses; what the file does not hold is left out")
  func elfSegments() throws {
    let vectors: [UInt8] = [0x00, 0x40, 0x00, 0x20, 0x09, 0x10, 0x00, 0x00, 0x70, 0x47]
    let image = try FirmwareImage(
      Self.elf([(0x100A, [1, 2]), (0x1000, vectors), (0x3000, []), (0x2000, [9])]))
    #expect(image.format == .elf && image.entry == 0x1001)
    #expect(image.segments.map(\.address) == [0x1000, 0x2000])
    #expect(image.segments[0].bytes == vectors + [1, 2])
    #expect(
      image.vectorTable
        == FirmwareImage.VectorTable(
          address: 0x1000, initialStackPointer: 0x2000_4000, resetHandler: 0x1008, isPlausible: true))
  }

  @Test("The vector table of a padded MCUboot image is the same in HEX and in binary, wherever the file lies")
  func paddedMCUboot() throws {
    let program: [UInt8] = [0x00, 0x40, 0x00, 0x20, 0xC9, 0xC2, 0x00, 0x00]
    func image(flags: UInt8) -> [UInt8] {
      var bytes: [UInt8] = [0x3D, 0xB8, 0xF3, 0x96, 0, 0, 0, 0, 32, 0, 0, 0, 8, 0, 0, 0, flags, 0, 0, 0, 1]
      bytes += [UInt8](repeating: 0, count: 32 - bytes.count)
      return bytes + program + [0x07, 0x69, 4, 0]
    }
    let trailer: [UInt8] = [
      0x77, 0xC2, 0x95, 0xF3, 0x60, 0xD2, 0xEF, 0x7F, 0x35, 0x52, 0x50, 0x0F, 0x2C, 0xB6, 0x79, 0x80,
    ]
    let signed = image(flags: 0)
    let padding = [UInt8](repeating: 0xFF, count: 0xFFF0 - signed.count)
    let binary = try FirmwareImage(signed + padding + trailer)
    // The forms that imgtool writes: in HEX without what pads it.
    for address in [0, 0x6_0000] as [UInt32] {
      let hex = try FirmwareImage(
        format: .intelHex,
        pieces: [.init(address: address, bytes: signed), .init(address: address + 0xFFF0, bytes: trailer)])
      #expect(hex.trailer != nil && hex.mcuboot == binary.mcuboot)
      let table = FirmwareImage.VectorTable(
        address: address + 32, initialStackPointer: 0x2000_4000, resetHandler: 0xC2C8, isPlausible: true)
      #expect(hex.vectorTable == table)
      if address == 0 { #expect(binary.vectorTable == table) }
    }
    // Of an encrypted program there is no telling.
    #expect(try FirmwareImage(image(flags: 4)).vectorTable?.isPlausible == false)
  }

  @Test("Segments of the 8086 count sixteen bytes each")
  func segmentAddresses() throws {
    let text = ":020000021200EA\n:02FFF000AABBAA\n:020000022200DA\n:01000000CC33\n:00000001FF\n"
    let image = try FirmwareImage(Array(text.utf8))
    #expect(
      image.segments == [
        .init(address: 0x2_1FF0, bytes: [0xAA, 0xBB]), .init(address: 0x2_2000, bytes: [0xCC]),
      ])
  }

  @Test("Only what is loaded counts, and program headers are as long as they must be")
  func otherHeaders() throws {
    var notes = Self.elf([(0x1000, [1, 2]), (0x2000, [3])])
    // The second is a note.
    notes[52 + 32] = 4
    #expect(try FirmwareImage(notes).segments == [.init(address: 0x1000, bytes: [1, 2])])
    var short = Self.elf([(0x1000, [1, 2])])
    short[42] = 31
    #expect(throws: FirmwareError("the ELF program headers are too short")) { try FirmwareImage(short) }
  }

  @Test("ELF files that are cut off, foreign or contradictory are refused")
  func badELF() {
    let good = Self.elf([(0x1000, [1, 2, 3, 4])])
    for count in 4..<good.count {
      #expect(throws: FirmwareError.self) { try FirmwareImage(Array(good.prefix(count))) }
    }
    #expect(throws: FirmwareError.self) { try FirmwareImage(Self.elf([(0x1000, [1])], machine: 62)) }
    #expect(throws: FirmwareError.self) { try FirmwareImage(Self.elf([(0x1000, [1, 2]), (0x1001, [3])])) }
    #expect(throws: FirmwareError.self) { try FirmwareImage(Self.elf([(0xFFFF_FFFF, [1, 2])])) }
    #expect(throws: FirmwareError.self) { try FirmwareImage([1, 2, 3]) }
    #expect(throws: FirmwareError.self) { try FirmwareImage([]) }
  }

  @Test("Segments that share the file's bytes to hold more than the file are refused")
  func sharedBytes() {
    var file = Self.elf([(0x1000, [UInt8](repeating: 1, count: 200)), (0x2000, []), (0x3000, [])])
    // All three have the bytes of the first: 600, and the file has 348.
    for header in [84, 116] {
      (file[header + 4], file[header + 5]) = (file[56], file[57])
      file[header + 16] = 200
    }
    #expect(throws: FirmwareError("the ELF segments hold more than the file does")) {
      try FirmwareImage(file)
    }
  }

  @Test("Any bytes are survived")
  func fuzz() {
    var random = Mutations(seed: 0xE1F)
    let seeds = [Self.elf([(0x1000, [1, 2, 3, 4]), (0x2000, [5])]), Array(Self.hex.utf8), Array(":0".utf8)]
    for _ in 0..<20_000 { _ = try? FirmwareImage(random.mutated(seeds)) }
  }
}
