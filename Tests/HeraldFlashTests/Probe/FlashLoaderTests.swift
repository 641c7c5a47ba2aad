import Foundation
import Testing

@testable import HeraldFlash

@Suite("The loader in the chip's RAM")
struct FlashLoaderTests {
  @Test("The words of the flash loader are what its source assembles to")
  func words() throws {
    let source = URL(filePath: #filePath).deletingLastPathComponent().appending(
      path: "../../../Sources/HeraldFlash/Probe/FlashLoader.s")
    let object = FileManager.default.temporaryDirectory.appending(path: "loader-\(UUID()).o")
    defer { try? FileManager.default.removeItem(at: object) }
    let assembler = Process()
    assembler.executableURL = URL(filePath: "/usr/bin/env")
    assembler.arguments = [
      "clang", "-target", "armv6m-none-eabi", "-c", "-o", object.path, source.path,
    ]
    try assembler.run()
    assembler.waitUntilExit()
    #expect(assembler.terminationStatus == 0)
    #expect(try Self.code(in: [UInt8](Data(contentsOf: object))) == FlashLoaderCode.words)
  }

  /// The words of the section with instructions of an ELF file (System V ABI, "Sections").
  private static func code(in file: [UInt8]) throws -> [UInt32] {
    func number(_ offset: Int, _ count: Int) -> Int {
      (0..<count).reduce(0) { $0 | Int(file[offset + $1]) << (8 * $1) }
    }
    let table = number(32, 4)
    for index in 0..<number(48, 2) {
      let entry = table + index * number(46, 2)
      // SHT_PROGBITS, with SHF_ALLOC and SHF_EXECINSTR.
      guard number(entry + 4, 4) == 1, number(entry + 8, 4) & 6 == 6 else { continue }
      let start = number(entry + 16, 4)
      return stride(from: start, to: start + number(entry + 20, 4), by: 4).map { UInt32(number($0, 4)) }
    }
    return []
  }

  private static func started(_ kind: ModelChip.Kind) throws -> (ModelChip, FlashLoader) {
    let chip = ModelChip(kind)
    let port = DebugPort(DebugProbe(ModelProbe(chip)), clock: 1_000_000)
    try port.connect()
    let core = CortexCore(port)
    try core.resetAndHalt()
    let loader = try #require(
      FlashLoader(
        port, core, ram: 0x2000_0000, ramSize: 16384, pageSize: UInt32(chip.pageSize), timeout: .zero))
    try loader.start()
    return (chip, loader)
  }

  @Test("CRC-32 as everybody has it: of the digits 1 to 8, and of page after page")
  func checksum() throws {
    let (chip, loader) = try Self.started(.nRF51)
    chip.fill([0x3433_3231, 0x3837_3635])
    // CRC-32 of "12345678".
    #expect(try loader.checksums(of: 0, size: 8, count: 1) == [0x9AE0_DAAF])
    // CRC-32 of 1024 bytes of 0xFF.
    let sums = try loader.checksums(of: 1024, size: 1024, count: 3)
    #expect(sums == [UInt32](repeating: 0xB83A_FFF4, count: 3))
    #expect(chip.violations.isEmpty)
  }

  @Test("Pages that are blank are not erased, others are; all ones are not written")
  func program() throws {
    let (chip, loader) = try Self.started(.nRF51)
    chip.fill([0], at: 1024)
    let words = (0..<512).map { UInt32($0) == 5 ? UInt32.max : UInt32($0) &* 0x0101_0101 }
    try loader.program(words, at: 0)
    try loader.program(words, at: 4096)
    try loader.program(words, at: 8192)
    try loader.finish()
    for start in [0, 4096, 8192] as [UInt32] { #expect(chip.holds(words, at: start)) }
    #expect(chip.pagesErased == 1)
    #expect(chip.violations.isEmpty)
  }

  @Test("A page that arrives damaged is refused by the chip, said at once, and not programmed")
  func refusal() throws {
    let (chip, loader) = try Self.started(.nRF51)
    chip.fill([7], at: 4096)
    try loader.program([UInt32](repeating: 5, count: 256), at: 4096)
    // The first word of slot 0.
    #expect(chip.debugWrite(0x2000_0600, 4))
    let error = #expect(throws: ProbeError.self) { try loader.finish() }
    #expect(error == .silent)
    #expect(chip.holds([7], at: 4096) && chip.pagesErased == 0)
  }

  @Test("Capacity is whole pages, twice within the RAM there is")
  func capacity() throws {
    #expect(try Self.started(.nRF51).1.capacity == 7168)
    #expect(try Self.started(.nRF52).1.capacity == 4096)
    let port = DebugPort(DebugProbe(ModelProbe(ModelChip(.nRF52))), clock: 1)
    let core = CortexCore(port)
    func fitted(_ size: UInt32) -> FlashLoader? {
      FlashLoader(port, core, ram: 0x2000_0000, ramSize: size, pageSize: 4096, timeout: .zero)
    }
    #expect(fitted(65536)?.capacity == 8192)
    #expect(fitted(8192) == nil)
    #expect(fitted(16) == nil)
  }
}
