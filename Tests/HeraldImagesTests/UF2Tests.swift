import Testing

@testable import HeraldImages

@Suite("UF2")
struct UF2Tests {
  /// A block by the format's table.
  static func block(
    _ number: UInt32, of total: UInt32, at address: UInt32, _ payload: [UInt8], flags: UInt32 = 0x2000,
    family: UInt32 = 0xADA5_2840
  ) -> [UInt8] {
    var bytes: [UInt8] = [0x55, 0x46, 0x32, 0x0A, 0x57, 0x51, 0x5D, 0x9E]
    for word in [flags, address, UInt32(payload.count), number, total, family] {
      bytes.append(littleEndian: word)
    }
    bytes += payload + [UInt8](repeating: 0, count: 476 - payload.count)
    return bytes + [0x30, 0x6F, 0xB1, 0x0A]
  }

  private static func failure(_ bytes: [UInt8]) -> String? {
    do {
      _ = try FirmwareImage(bytes)
      return nil
    } catch {
      return error.description
    }
  }

  private static func families(_ names: String) -> String {
    "the file has blocks of several families (\(names)), of which a boot loader writes its own: take the file for one board alone"
  }

  @Test("Blocks in any order, of any payload up to 476, some of them not for flash")
  func reading() throws {
    let long = [UInt8](repeating: 7, count: 476)
    let image = try FirmwareImage(
      Self.block(2, of: 4, at: 0x2_7000, [9]) + Self.block(0, of: 4, at: 0x2_6000, [1, 2, 3, 4])
        + Self.block(3, of: 4, at: 0, [0xEE], flags: 0x2001) + Self.block(1, of: 4, at: 0x2_6004, long))
    #expect(image.format == .uf2 && image.uf2Family == 0xADA5_2840 && image.entry == nil)
    #expect(image.segments.map(\.address) == [0x2_6000, 0x2_7000])
    #expect(image.segments[0].bytes == [1, 2, 3, 4] + long && image.segments[1].bytes == [9])
  }

  @Test("Checksums and tags behind the payload are tolerated; without the flag for it there is no family")
  func flags() throws {
    let tagged = try FirmwareImage(Self.block(0, of: 1, at: 0, [1], flags: 0xE000))
    #expect(tagged.segments[0].bytes == [1] && tagged.uf2Family == 0xADA5_2840)
    #expect(try FirmwareImage(Self.block(0, of: 1, at: 0, [1], flags: 0)).uf2Family == nil)
    // A checksum takes the last 24 bytes of the room.
    let long = [UInt8](repeating: 7, count: 453)
    #expect(
      Self.failure(Self.block(0, of: 1, at: 0, long, flags: 0x6000))
        == "block 0 says it has 453 bytes, and there is room for 452")
  }

  @Test("What contradicts itself is named with its block")
  func contradictions() {
    let good = Self.block(0, of: 2, at: 0, [1, 2]) + Self.block(1, of: 2, at: 0x100, [3])
    #expect(Self.failure(good) == nil)
    #expect(
      Self.failure(Array(good.dropLast()))
        == "a UF2 file has whole blocks of 512 bytes, and this one has 1023 bytes")
    #expect(Self.failure(Array(good.prefix(512))) == "block 0 says there are 2 blocks, and the file has 1")
    #expect(
      Self.failure(Self.block(0, of: 2, at: 0, [1]) + Self.block(0, of: 2, at: 8, [1]))
        == "block 1 has the number 0, which another block has or which is too high")
    #expect(
      Self.failure(Self.block(1, of: 1, at: 0, [1]))
        == "block 0 has the number 1, which another block has or which is too high")
    #expect(
      Self.failure(Self.block(0, of: 2, at: 0, [1]) + Self.block(1, of: 2, at: 8, [1], family: 0x621E_937A))
        == Self.families("0xada52840, 0x621e937a"))
    #expect(
      Self.failure(Self.block(0, of: 2, at: 0, [1]) + Self.block(1, of: 2, at: 8, [1], flags: 0))
        == Self.families("0xada52840, none"))
    // Blocks of each family have numbers of their own.
    #expect(
      Self.failure(Self.block(0, of: 1, at: 0, [1]) + Self.block(0, of: 1, at: 0, [1], family: 0x621E_937A))
        == Self.families("0xada52840, 0x621e937a"))
    let many = (0..<1000).flatMap { Self.block(0, of: 1, at: 0, [1], family: $0) }
    #expect(
      Self.failure(many) == Self.families("0x00000000, 0x00000001, 0x00000002, 0x00000003 and others"))
    #expect(
      Self.failure(Self.block(0, of: 2, at: 0, [1, 2]) + Self.block(1, of: 2, at: 1, [1]))
        == "two pieces overlap at 0x00000001")
    #expect(
      Self.failure(Self.block(0, of: 1, at: 0, [1], flags: 0x3000))
        == "block 0 belongs to a file in a container, not to firmware")
    #expect(
      Self.failure(Self.block(0, of: 1, at: 0, [1], flags: 0x2001))
        == "the file holds no bytes for the chip's memory")
    #expect(
      Self.failure(Self.block(0, of: 1, at: 0xFFFF_FFFF, [1, 2]))?.contains("beyond the end of memory")
        == true)
    var wrong = good
    wrong[512 + 508] = 0
    #expect(Self.failure(wrong) == "block 1 does not begin and end as a UF2 block")
    wrong = good
    wrong[16] = 0xDD
    wrong[17] = 0x01
    #expect(Self.failure(wrong) == "block 0 says it has 477 bytes, and there is room for 476")
  }

  @Test("Blocks of 256 bytes at multiples of 256; gaps within a block are filled")
  func writing() throws {
    let image = try FirmwareImage(
      format: .intelHex,
      pieces: [
        .init(address: 0x10FE, bytes: [1, 2, 3]), .init(address: 0x1103, bytes: [4]),
        .init(address: 0x1300, bytes: [5]),
      ])
    let file = try image.file(.uf2, .init(fill: 0xFF, family: 0x621E_937A))
    func padded(_ bytes: [UInt8]) -> [UInt8] { bytes + [UInt8](repeating: 0xFF, count: 256 - bytes.count) }
    let first = [UInt8](repeating: 0xFF, count: 254) + [1, 2]
    let expected =
      Self.block(0, of: 3, at: 0x1000, first, family: 0x621E_937A)
      + Self.block(1, of: 3, at: 0x1100, padded([3, 0xFF, 0xFF, 4]), family: 0x621E_937A)
      + Self.block(2, of: 3, at: 0x1300, padded([5]), family: 0x621E_937A)
    #expect(file == expected)
    #expect(throws: FirmwareError.self) { try image.file(.uf2) }
  }
  @Test("The first page erased by the first block, and written by the last ones")
  func tableLast() throws {
    // Pages of 512 bytes: the first has the blocks at 0x1000 and 0x1100.
    let image = try FirmwareImage(
      format: .intelHex,
      pieces: [
        .init(address: 0x1000, bytes: [1, 2]), .init(address: 0x1100, bytes: [3]),
        .init(address: 0x1200, bytes: [4]), .init(address: 0x1500, bytes: [5]),
      ])
    let (file, tableStart) = UF2.writeTableLast(image, family: 0xADA5_2840, pageSize: 512)
    func padded(_ bytes: [UInt8]) -> [UInt8] { bytes + [UInt8](repeating: 0xFF, count: 256 - bytes.count) }
    let expected: [(UInt32, [UInt8])] = [
      (0x1000, []), (0x1200, [4]), (0x1500, [5]), (0x1000, [1, 2]), (0x1100, [3]),
    ]
    #expect(
      file
        == expected.enumerated().flatMap { number, block in
          Self.block(UInt32(number), of: 5, at: block.0, padded(block.1))
        })
    #expect(tableStart == 3 * 512)
  }

  @Test("An image within one page has no other blocks between")
  func onePage() throws {
    let image = try FirmwareImage(format: .intelHex, pieces: [.init(address: 0x2_6000, bytes: [1])])
    let (file, tableStart) = UF2.writeTableLast(image, family: 0xADA5_2840, pageSize: 4096)
    #expect(file.count == 2 * 512 && tableStart == 512)
    #expect(file[32] == 0xFF && file[512 + 32] == 1)
  }
}
