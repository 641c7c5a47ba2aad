import HostileInputs
import Testing

@testable import HeraldImages

@Suite("Image formats: writing")
struct ImageWritingTests {
  private static let gaps = [
    FirmwareImage.Segment(address: 0xFFFE, bytes: [1, 2, 3]),
    FirmwareImage.Segment(address: 0x1_0010, bytes: Array(0..<18)),
  ]

  private static func text(_ image: FirmwareImage) throws -> String {
    String(decoding: try image.file(.intelHex), as: UTF8.self)
  }

  @Test("Intel HEX as the Python library intelhex writes it")
  func intelHex() throws {
    let image = try FirmwareImage(format: .elf, pieces: Self.gaps, entry: 0x1_0011)
    #expect(
      try Self.text(image) == """
        :0400000500010011E5
        :020000040000FA
        :02FFFE000102FE
        :020000040001F9
        :0100000003FC
        :10001000000102030405060708090A0B0C0D0E0F68
        :020020001011BD
        :00000001FF

        """)
    // Below 64 KiB no line says so.
    let low = try FirmwareImage(format: .binary, pieces: [.init(address: 0xFFF0, bytes: Array(0..<16))])
    #expect(
      try Self.text(low) == """
        :10FFF000000102030405060708090A0B0C0D0E0F89
        :00000001FF

        """)
  }

  @Test("A start address of the 8086 is the address it means")
  func startSegment() throws {
    let image = try FirmwareImage(Array(":0400000310000441A4\n:0100000005FA\n:00000001FF\n".utf8))
    #expect(image.entry == 0x1_0441)
  }

  @Test("A binary has its gaps filled, and is not made if it would be too large")
  func binary() throws {
    let image = try FirmwareImage(format: .elf, pieces: Self.gaps)
    let bytes = try image.file(.binary, .init(fill: 0xAA))
    #expect(bytes == [1, 2, 3] + [UInt8](repeating: 0xAA, count: 15) + Array(0..<18))
    let far = try FirmwareImage(
      format: .elf, pieces: [.init(address: 0, bytes: [1]), .init(address: 0x2100_0000, bytes: [2])])
    #expect(throws: FirmwareError.self) { try far.file(.binary) }
    #expect(throws: FirmwareError.self) { try far.file(.mcuboot) }
  }

  @Test("A raw binary needs an address, and goes there")
  func rawBinary() throws {
    #expect(throws: FirmwareError.self) { try FirmwareImage([1, 2, 3]) }
    let image = try FirmwareImage([1, 2, 3], base: 0x1000)
    #expect(image.format == .binary && image.segments == [.init(address: 0x1000, bytes: [1, 2, 3])])
    #expect(try image.moved(to: 0xFFFF_FFFD).segments[0].address == 0xFFFF_FFFD)
    #expect(throws: FirmwareError.self) { try image.moved(to: 0xFFFF_FFFE) }
    #expect(throws: FirmwareError.self) { try FirmwareImage([1, 2, 3], base: 0xFFFF_FFFE) }
    // Where it is already it keeps its entry.
    let entered = try FirmwareImage(format: .elf, pieces: image.segments, entry: 0x1001)
    #expect(try entered.moved(to: 0x1000).entry == 0x1001 && entered.moved(to: 0x2000).entry == nil)
  }

  @Test("ELF in literal bytes: header, segment, section, names")
  func elf() throws {
    let image = try FirmwareImage(
      format: .binary, pieces: [.init(address: 0x1000, bytes: [1, 2, 3, 4, 5])], entry: 0x1005)
    let expected: [UInt8] =
      [
        0x7F, 0x45, 0x4C, 0x46, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 40, 0, 1, 0, 0, 0, 0x05, 0x10, 0, 0,
        52,
        0, 0, 0, 116, 0, 0, 0, 0, 0, 0, 5, 52, 0, 32, 0, 1, 0, 40, 0, 3, 0, 2, 0,
      ] + [
        1, 0, 0, 0, 84, 0, 0, 0, 0, 0x10, 0, 0, 0, 0x10, 0, 0, 5, 0, 0, 0, 5, 0, 0, 0, 5, 0, 0, 0, 4, 0, 0, 0,
      ] + [1, 2, 3, 4, 5, 0, 0, 0] + Array("\0.segment0\0.shstrtab\0".utf8)
    let file = try image.file(.elf)
    #expect(Array(file.prefix(expected.count)) == expected)
    #expect(file.count == 116 + 3 * 40)
    let again = try FirmwareImage(file)
    #expect(again.segments == image.segments && again.entry == 0x1005 && again.format == .elf)
  }

  @Test("Any bytes are survived by every parser, and what is taken has a form of each kind")
  func fuzz() throws {
    var random = Mutations(seed: 0xF1A5)
    let uf2 = UF2Tests.block(0, of: 2, at: 0, [1, 2]) + UF2Tests.block(1, of: 2, at: 0x100, [3])
    let seeds = [
      FirmwareImageTests.elf([(0x1000, [1, 2, 3, 4]), (0x2000, [5])]), Array(FirmwareImageTests.hex.utf8),
      uf2,
    ]
    var taken = 0
    for _ in 0..<4000 {
      guard let image = try? FirmwareImage(random.mutated(seeds), base: 0x100) else { continue }
      taken += 1
      _ = (image.builtFor, image.vectorTable)
      for format in [FirmwareImage.Format.elf, .intelHex] {
        #expect(try FirmwareImage(image.file(format)).segments == image.segments)
      }
      let blocks = try FirmwareImage(image.file(.uf2, .init(family: 1)))
      #expect(blocks.uf2Family == 1 && blocks.byteCount >= image.byteCount)
    }
    #expect(taken > 400)
  }
}
