import HeraldHostLink
import HostileInputs
import Testing

@testable import HeraldFlash
@testable import HeraldImages

/// Everything that comes from a board or a package, mutated: nothing traps, and nothing is taken for what it
/// is not.
@Suite("Hostile boards and packages")
struct HostileResponseTests {
  @Test("Responses of a probe")
  func probe() {
    var random = Mutations(seed: 1)
    let access = DAPAccess(request: 0x02, value: nil)
    let rows: [[DAPCommand]] = [
      [.transfer([access, access])], [.readBlock(request: 0x0F, count: 3)], [.info(0xFE, most: 4), .connect],
      [.plain([0x13, 0]), .transfer([access]), .writeBlock(request: 0x0D, [1, 2])],
    ]
    let seeds: [[UInt8]] = [
      [0x05, 0x02, 0x01, 1, 2, 3, 4, 5, 6, 7, 8],
      [0x06, 0x03, 0x00, 0x01] + [UInt8](repeating: 9, count: 12),
      [0x7F, 0x02, 0x00, 0x01, 0x04, 0x02, 0x01],
      [0x7F, 0x03, 0x13, 0x00, 0x05, 0x01, 0x01, 1, 2, 3, 4, 0x06, 0x02, 0x00, 0x01],
    ]
    for _ in 0..<5_000 {
      let commands = rows[Int(random.next() % 4)]
      var packet = DAPPacket()
      for command in commands { packet.append(command) }
      var answers = DAPResponses()
      guard (try? packet.read(random.mutated(seeds), into: &answers)) != nil else { continue }
      let wanted = commands.reduce(0) { sum, command in
        switch command {
        case .transfer(let accesses): sum + accesses.filter(\.answersWord).count
        case .readBlock(_, let count): sum + count
        default: sum
        }
      }
      #expect(answers.words.count == wanted)
    }
  }

  @Test("Frames of a boot loader")
  func frames() {
    var random = Mutations(seed: 2)
    var decoder = SLIPDecoder()
    let seeds: [[UInt8]] = [
      [0x60, 0x06, 0x01, 0xDB, 0xDC, 0xC0], [0xC0, 0xC0], [UInt8](repeating: 0xDB, count: 9),
    ]
    for _ in 0..<5_000 {
      for byte in random.mutated(seeds) {
        if let frame = decoder.take(byte) { #expect(!frame.isEmpty && frame.count <= 4096) }
      }
    }
  }

  @Test("Packages and what is in them")
  func packages() throws {
    var random = Mutations(seed: 3)
    let image = try FirmwareImage.linked(at: 0x1000)
    let package = try DFUPackage(image, .secure)
    let legacy = try DFUPackage(image, .legacy(softDevices: [0xB6, 0x123]))
    let seeds = [
      package.file, package.initPacket, legacy.file, legacy.initPacket, Array("{\"manifest\":{}}".utf8),
    ]
    for _ in 0..<5_000 {
      let bytes = random.mutated(seeds)
      _ = try? StoredZip(bytes)
      _ = try? DFUInitPacket(bytes)
      _ = try? LegacyInitPacket(bytes)
      if let found = try? DFUPackage(file: bytes) { #expect(found.application == package.application) }
    }
  }

  @Test("What a boot loader of SDK 11 says: nothing of it is taken for success but that it goes")
  func acknowledgements() throws {
    var random = Mutations(seed: 5)
    let plan = try FlashPlan(
      image: ProbeProgrammerTests.made(seed: 9, count: 2000, at: 0x2_6000),
      board: try #require(BoardCatalogue.named("feather-nrf52840")))
    let seeds = (0..<8 as Range<UInt8>).map { [0xC0, $0 << 3, 0, 0, 0 &- ($0 << 3), 0xC0] }
    for _ in 0..<500 {
      let line = ScriptedLine((0..<40).map { _ in random.mutated(seeds) })
      let programmer = LegacyDFUProgrammer(line, location: "x", timeout: .zero) {
        () throws(HostLinkError) in line
      }
      #expect(throws: FlashFailure.self) { try programmer.write(plan) { _ in } }
      _ = try? SerialDFUDialect.spoken(on: line, name: "x", timeout: .zero)
    }
  }

  @Test("What drives say of themselves, and the table of mounts")
  func drives() {
    var random = Mutations(seed: 4)
    let seeds = [
      Array("Board-ID: nRF52840-Feather-revE\r\nModel: x\r\n".utf8),
      Array("/dev/sda /media/a\\040b\\ vfat rw 0 0\n\\ \\0 \\777 vfat".utf8),
    ]
    for _ in 0..<5_000 {
      let text = String(decoding: random.mutated(seeds), as: UTF8.self)
      if let value = DriveFolder.value("Board-ID", in: text) {
        #expect(value.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F })
      }
      _ = DriveFolder.mounted(text)
    }
  }
}
