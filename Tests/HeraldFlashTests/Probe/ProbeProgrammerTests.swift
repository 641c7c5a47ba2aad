import HeraldHostLink
import HeraldText
import Testing

@testable import HeraldFlash
@testable import HeraldImages

@Suite("A board behind a debug probe")
struct ProbeProgrammerTests {
  /// Three and a half pages of an nRF51.
  static let image = made(seed: 1, count: 3600)

  static func made(seed: UInt64, count: Int, at address: UInt32 = 0) -> FirmwareImage {
    var state = seed &* 0x9E37_79B9_7F4A_7C15
    var bytes: [UInt8] = []
    bytes.append(littleEndian: UInt32(0x2000_0C00))
    bytes.append(littleEndian: address + 0x41)
    while bytes.count < count {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      bytes.append(UInt8(state >> 56))
    }
    // swift-format-ignore: NeverForceUnwrap, NeverUseForceTry
    return try! FirmwareImage(format: .intelHex, pieces: [.init(address: address, bytes: bytes)])
  }

  static func words(_ image: FirmwareImage, pageSize: Int) -> [UInt32] {
    let paged = PagedImage(image.segments, pageSize: pageSize)
    return paged.words(0..<paged.addresses.count)
  }

  static func plan(_ board: String = "microbit", _ image: FirmwareImage = image, erasesAll: Bool = false)
    throws
    -> FlashPlan
  {
    try FlashPlan(image: image, board: try #require(BoardCatalogue.named(board)), erasesAll: erasesAll)
  }

  static func programmer(
    _ chip: ModelChip, readsBack: Bool = false, isAtomic: Bool = true, packetSize: Int = 512
  )
    -> ProbeProgrammer
  {
    ProbeProgrammer(
      ModelProbe(chip, packetSize: packetSize, isAtomic: isAtomic), readsBack: readsBack, clock: 1_000_000,
      timeout: .zero)
  }

  static func failure(_ body: () throws -> Void) -> FlashFailure? {
    do {
      try body()
      return nil
    } catch {
      return error as? FlashFailure
    }
  }

  @Test("Identification names the chip, its sizes and numbers and its boards, and the core continues to run")
  func identify() throws {
    let chip = ModelChip(.nRF51)
    let identification = try Self.programmer(chip).identify()
    #expect(identification.boards.map(\.name) == ["microbit"])
    #expect(
      identification.details.map { "\($0.name): \($0.value)" } == [
        "probe firmware: 2.1.1", "chip: nrf51822", "flash: 256 KB", "RAM: 16 KB",
        "chip serial number: 0123456789abcdef", "debug port: open",
      ])
    #expect(!identification.isLocked)
    #expect(!chip.core.isHalted)
    #expect(try Self.programmer(ModelChip(.nRF52)).identify().boards.map(\.name).contains("nrf52840dk"))
  }

  @Test("The settings page of Adafruit's boot loader is written with an image")
  func adafruitSettings() throws {
    let chip = ModelChip(.nRF52)
    // The settings of another image: valid, CRC 1234, size 100.
    chip.fill([0x1234_0001, 0xFFFF_00FF, 100, 0, 0, 0, 0], at: 0xF_F000)
    let image = try FirmwareImage(
      format: .intelHex,
      pieces: [.init(address: 0x2_7000, bytes: [0, 0xC, 0, 0x20, 9, 0x70, 2, 0, 1, 2, 3, 4])])
    let plan = try Self.plan("xiao-nrf52840", image)
    let programmer = Self.programmer(chip)
    try programmer.write(plan) { _ in }
    try programmer.verify(plan) { _ in }
    #expect(chip.holds([0x2000_0C00, 0x0002_7009, 0x0403_0201], at: 0x2_7000))
    // CRC-16 of CCITT from FFFF on over these twelve bytes (binascii.crc_hqx).
    #expect(chip.holds([0x8BE7_0001, 0xFFFF_00FF, 12, 0, 0, 0, 0, .max], at: 0xF_F000))
    #expect(chip.violations.isEmpty && programmer.remark(after: plan) == nil)
    // Without a change nothing is written.
    let erased = chip.pagesErased
    try Self.programmer(chip).write(plan) { _ in }
    #expect(chip.pagesErased == erased)
  }

  @Test("An image with a gap has no CRC; the dongle's boot loader has other settings")
  func otherSettings() throws {
    let start: [UInt8] = [0, 0xC, 0, 0x20, 1, 0x80, 2, 0]
    let gap = try FirmwareImage(
      format: .intelHex,
      pieces: [.init(address: 0x2_7000, bytes: start), .init(address: 0x2_8000, bytes: [1])])
    let settings = AdafruitSettings.segment(for: try Self.plan("xiao-nrf52840", gap))
    #expect(settings?.address == 0xF_F000)
    #expect(
      settings?.bytes == [1, 0, 0, 0, 0xFF, 0, 0xFF, 0xFF] + [UInt8](repeating: 0, count: 20))
    let dongle = try Self.plan("nrf52840-dongle", Self.made(seed: 2, count: 300, at: 0x1000))
    #expect(AdafruitSettings.segment(for: dongle) == nil)
    #expect(Self.programmer(ModelChip(.nRF52)).remark(after: dongle)?.contains("settings page") == true)
    #expect(AdafruitSettings.segment(for: try Self.plan()) == nil)
  }

  @Test("Write, verify, reset; with every kind of probe", arguments: [true, false], [64, 512])
  func write(isAtomic: Bool, packetSize: Int) throws {
    let chip = ModelChip(.nRF51)
    chip.fill([1, 2, 3])
    let programmer = Self.programmer(chip, isAtomic: isAtomic, packetSize: packetSize)
    var steps: [FlashProgress] = []
    try programmer.write(try Self.plan()) { steps.append($0) }
    try programmer.verify(try Self.plan()) { steps.append($0) }
    try programmer.reset()
    programmer.close()
    #expect(chip.holds(Self.words(Self.image, pageSize: 1024)))
    #expect(chip.violations.isEmpty && chip.misuses.isEmpty)
    #expect(!chip.core.isHalted)
    #expect(
      steps == [
        FlashProgress(.writing, done: 0, total: 4096), FlashProgress(.writing, done: 3072, total: 4096),
        FlashProgress(.writing, done: 4096, total: 4096), FlashProgress(.verifying, done: 0, total: 4096),
        FlashProgress(.verifying, done: 4096, total: 4096),
      ])
  }

  @Test("What is there already is not written again; of one byte, its page and the first")
  func changes() throws {
    let chip = ModelChip(.nRF51)
    let programmer = Self.programmer(chip)
    try programmer.write(try Self.plan()) { _ in }
    #expect(chip.pagesErased == 0)
    try programmer.write(try Self.plan()) { _ in Issue.record("something was written") }
    #expect(chip.pagesErased == 0)
    var bytes = Self.image.segments[0].bytes
    bytes[2050] ^= 0x10
    let changed = try FirmwareImage(format: .intelHex, pieces: [.init(address: 0, bytes: bytes)])
    try programmer.write(try Self.plan("microbit", changed)) { _ in }
    #expect(chip.pagesErased == 2)
    #expect(chip.holds(Self.words(changed, pageSize: 1024)))
  }

  @Test("The first byte that differs is named, however it is compared", arguments: [true, false])
  func difference(readsBack: Bool) throws {
    let chip = ModelChip(.nRF51)
    let programmer = Self.programmer(chip, readsBack: readsBack)
    try programmer.write(try Self.plan()) { _ in }
    let word = chip.flash[700]
    chip.fill([word ^ 0x0002_0000], at: 2800)
    let failure = Self.failure { try programmer.verify(try Self.plan()) { _ in } }
    let found = UInt8(truncatingIfNeeded: word >> 16)
    #expect(
      failure
        == FlashFailure(
          .different,
          "at 0x00000af2 the chip holds 0x\((found ^ 2).hexadecimal(2)) and not 0x\(found.hexadecimal(2))",
          state: .unverified, advice: "`herald-flash write` writes it"))
    // Bytes behind the image's end are nobody's.
    chip.fill([word], at: 2800)
    chip.fill([0], at: 3604)
    try programmer.verify(try Self.plan()) { _ in }
  }

  @Test("Settings and log stay, unless all is to go")
  func keeping() throws {
    let chip = ModelChip(.nRF51)
    chip.fill([5], at: 0x17800)
    chip.fill([6], at: 0x18000)
    chip.fill([7], at: 0x2000)
    let programmer = Self.programmer(chip)
    let board = try #require(BoardCatalogue.named("microbit"))
    try programmer.erase(.firmware, of: board) { _ in }
    #expect([chip.flash[0x17800 / 4], chip.flash[0x18000 / 4], chip.flash[0x2000 / 4]] == [5, 6, .max])
    try programmer.write(try Self.plan(erasesAll: true)) { _ in }
    #expect([chip.flash[0x17800 / 4], chip.flash[0x18000 / 4]] == [.max, .max])
    #expect(chip.holds(Self.words(Self.image, pageSize: 1024)))
    #expect(chip.violations.isEmpty)
  }

  @Test("Words for UICR are written, and erase it only where bits have to come back; the others stay")
  func configuration() throws {
    let chip = ModelChip(.nRF52)
    func image(_ word: UInt32) throws -> FirmwareImage {
      var bytes: [UInt8] = []
      bytes.append(littleEndian: word)
      return try FirmwareImage(
        format: .intelHex,
        pieces: Self.image.segments + [.init(address: 0x1000_1080, bytes: bytes)])
    }
    let programmer = Self.programmer(chip)
    try programmer.write(try Self.plan("nrf52840dk", image(0xFFFF_0FF0))) { _ in }
    try programmer.verify(try Self.plan("nrf52840dk", image(0xFFFF_0FF0))) { _ in }
    #expect(chip.uicr[0x80 / 4] == 0xFFFF_0FF0)
    #expect(chip.write(0x4001_E504, 1) && chip.write(0x1000_1084, 0x1234))
    while chip.read(0x4001_E400) == 0 {}
    let failure = Self.failure {
      try programmer.verify(try Self.plan("nrf52840dk", image(0xFFFF_F00F))) { _ in }
    }
    #expect(failure?.what == "at 0x10001080 the chip holds 0xf0 and not 0x0f")
    try programmer.write(try Self.plan("nrf52840dk", image(0xFFFF_F00F))) { _ in }
    #expect(chip.uicr[0x80 / 4] == 0xFFFF_F00F)
    #expect(chip.uicr[0x84 / 4] == 0x1234)
    #expect(chip.holds(Self.words(Self.image, pageSize: 4096)))
    #expect(chip.violations.isEmpty)
  }

  @Test("Another chip than the board's is not touched")
  func wrongChip() throws {
    let chip = ModelChip(.nRF52)
    chip.fill([1, 2])
    let failure = Self.failure { try Self.programmer(chip).write(try Self.plan()) { _ in } }
    #expect(failure?.cause == .doesNotFit)
    #expect(failure?.state == .untouched)
    #expect(chip.flash[0] == 1 && chip.resets == 0)
  }

  @Test(
    "A locked chip is left alone until all is to go; then it is opened, and stays open",
    arguments: [false, true])
  func locked(isHardened: Bool) throws {
    let chip = ModelChip(.nRF52, isLocked: true, isHardened: isHardened)
    chip.fill([1, 2])
    let programmer = Self.programmer(chip)
    let identification = try programmer.identify()
    #expect(identification.isLocked && identification.boards.contains { $0.name == "nrf52840dk" })
    let refusal = Self.failure { try programmer.write(try Self.plan("nrf52840dk")) { _ in } }
    #expect(refusal?.cause == .locked)
    #expect(refusal?.state == .untouched)
    #expect(chip.flash[0] == 1)
    try programmer.write(try Self.plan("nrf52840dk", erasesAll: true)) { _ in }
    try programmer.verify(try Self.plan("nrf52840dk")) { _ in }
    try programmer.reset()
    #expect(chip.holds(Self.words(Self.image, pageSize: 4096)))
    #expect(chip.uicr[0x208 / 4] == (isHardened ? 0x5A : .max))
    #expect(!chip.isLocked)
    #expect(chip.violations.isEmpty)
  }

  @Test(
    "A chip counts as locked if two readings and the port of its memory say so, and not by fewer",
    arguments: [([0, 1], true), ([1, 0], true), ([0, 0], false)] as [([UInt32], Bool)])
  func unsteadyLock(readings: [UInt32], isLocked: Bool) throws {
    let chip = ModelChip(.nRF52, isLocked: isLocked)
    for _ in 0..<8 { chip.protectionReadings += readings }
    let identification = try? Self.programmer(chip).identify()
    #expect(identification?.isLocked != true)
    #expect(chip.protectionReadings.count < 16)
  }

  @Test("Pages that lie together are a stretch, but not across a page that is left out")
  func stretches() throws {
    let image = PagedImage(Self.made(seed: 1, count: 4096).segments, pageSize: 1024)
    #expect(image.stretches == [0..<4])
    #expect(image.stretches(of: [0, 2, 3], limit: 8) == [0..<1, 2..<4])
    #expect(image.stretches(of: [0, 1, 2, 3], limit: 3) == [0..<3, 3..<4])
    let segments = [0, 0x400, 0xC00].map { FirmwareImage.Segment(address: $0, bytes: [1, 2]) }
    #expect(PagedImage(segments, pageSize: 1024).stretches == [0..<2, 2..<3])
  }

  @Test("A chip whose core does nothing is not waited for without end, and the state is true")
  func stuck() throws {
    let chip = ModelChip(.nRF51)
    chip.fill([1, 2])
    let programmer = Self.programmer(chip)
    _ = try programmer.identify()
    chip.breaksCore = true
    let failure = Self.failure { try programmer.write(try Self.plan()) { _ in } }
    #expect(failure?.cause == .link(.noAnswer))
    #expect(failure?.state == .untouched)
    #expect(chip.flash[0] == 1)
  }
}
