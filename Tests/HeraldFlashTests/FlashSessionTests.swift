import HeraldHostLink
import Testing

@testable import HeraldFlash
@testable import HeraldImages

@Suite("Flash session")
struct FlashSessionTests {
  private static func board(_ name: String) throws -> BoardDescription {
    try #require(BoardCatalogue.named(name))
  }

  private static func failure(_ body: () throws -> Void) -> FlashFailure? {
    do {
      try body()
      return nil
    } catch {
      return error as? FlashFailure
    }
  }

  @Test("Write, compare, start: in this order, and said as it was")
  func order() throws {
    let mock = MockProgrammer("nrf52840dk")
    let session = try FlashSession(mock)
    let image = try FirmwareImage.linked(at: 0)
    let plan = try session.plan(image, for: try session.board(nil, for: image), erasesAll: false)
    var seen: [FlashProgress] = []
    let outcome = try session.write(plan) { seen.append($0) }
    #expect(mock.asked == ["identify", "write nrf52840dk", "verify", "reset"])
    #expect(outcome == .init(bytes: 256, isVerified: true, isReset: true))
    #expect(seen == [FlashProgress(.writing, done: 256, total: 256)])
  }

  @Test("A way in that neither reads back nor resets is no failure, and is not said to be verified")
  func oneWay() throws {
    let mock = MockProgrammer("microbit")
    let cannot = FlashFailure(.cannot, "a drive reads nothing back", state: .unverified)
    (mock.verifyFailure, mock.resetFailure) = (cannot, cannot)
    let session = try FlashSession(mock)
    let plan = try session.plan(
      try .linked(at: 0), for: try Self.board("microbit"), erasesAll: false)
    #expect(try session.write(plan) { _ in } == .init(bytes: 256, isVerified: false, isReset: false))
  }

  @Test(
    "What fails ends it, with the state the board is in; nothing is started that was not seen to be right")
  func failures() throws {
    let mock = MockProgrammer("nrf52833dk")
    let session = try FlashSession(mock)
    let plan = try session.plan(
      try .linked(at: 0), for: try Self.board("nrf52833dk"), erasesAll: false)
    // The programming method does not depend on what it wrote before.
    mock.verifyFailure = FlashFailure(.different, "0x40 differs", state: .untouched, advice: "look")
    let difference = Self.failure { _ = try session.write(plan) { _ in } }
    #expect(difference?.with(.unverified) == difference && difference?.what == "0x40 differs")
    // What was written just now is not to be written again.
    #expect(difference?.cause == .different && difference?.advice?.hasPrefix("try another cable") == true)
    #expect(mock.asked == ["identify", "write nrf52833dk", "verify"])
    mock.verifyFailure = nil
    mock.resetFailure = FlashFailure(.link(.link), "gone", state: .untouched)
    #expect(Self.failure { _ = try session.write(plan) { _ in } }?.state == .written)
    mock.verifyFailure = FlashFailure(.cannot, "reads nothing back", state: .untouched)
    #expect(Self.failure { _ = try session.write(plan) { _ in } }?.state == .unverified)
    mock.stateHalfWay = .beside
    #expect(Self.failure { _ = try session.write(plan) { _ in } }?.state == .unknown)
    mock.verifyFailure = FlashFailure(.link(.noAnswer), "silent", state: .untouched)
    #expect(Self.failure { _ = try session.write(plan) { _ in } }?.state == .beside)
    mock.writeFailure = FlashFailure(.link(.link), "gone", state: .partlyWritten)
    #expect(Self.failure { _ = try session.write(plan) { _ in } }?.state == .partlyWritten)
    #expect(mock.asked.suffix(1) == ["write nrf52833dk"])
  }

  @Test("The board that is there must be the one that is meant")
  func otherBoard() throws {
    let session = try FlashSession(MockProgrammer("nrf52840dk", "nrf52840-dongle"))
    let other = Self.failure { _ = try session.board(try Self.board("nrf52833dk"), for: nil) }
    #expect(other?.cause == .doesNotFit && other?.state == .untouched)
    #expect(other?.what == "the board at mock:1 is a nrf52840dk or nrf52840-dongle, not a nrf52833dk")
    let open = Self.failure { _ = try session.board(nil, for: nil) }
    #expect(open?.cause == .link(.usage))
    #expect(try session.board(try Self.board("nrf52840-dongle"), for: nil).name == "nrf52840-dongle")
    let none = Self.failure { _ = try FlashSession(MockProgrammer()).board(nil, for: nil) }
    #expect(none?.cause == .doesNotFit)
  }

  @Test("An image that says for which board it was built settles which of several it is")
  func imageSettles() throws {
    let session = try FlashSession(MockProgrammer("nrf52840dk", "nrf52840-dongle"))
    let image = try FirmwareImage.linked(at: 0, text: "\0board=nrf52840dk")
    #expect(try session.board(nil, for: image).name == "nrf52840dk")
  }

  @Test("A locked chip is written only with everything erased")
  func locked() throws {
    let mock = MockProgrammer("nrf52840dk", isLocked: true)
    let session = try FlashSession(mock)
    let board = try Self.board("nrf52840dk")
    let refused = Self.failure { _ = try session.plan(try .linked(at: 0), for: board, erasesAll: false) }
    #expect(refused?.cause == .locked && refused?.state == .untouched)
    #expect(try session.plan(try .linked(at: 0), for: board, erasesAll: true).erasesAll)
    #expect(mock.asked == ["identify"])
  }

  @Test(
    "An image that was linked for another board, or does not fit, is refused with the reason",
    arguments: [
      ("nrf52833dk", 0, 121 * 1024, "", "does not fit: it has bytes at 0x00000000 to 0x0001e3ff"),
      ("nrf52833dk", 0x1000, 256, "", "has no vector table at 0x00000000"),
      ("nrf52840-dongle", 0, 256, "", "does not fit: it has bytes at 0x00000000 to 0x000000ff"),
      ("feather-nrf52840-s140v7", 0x2_6000, 256, "", "does not fit: it has bytes at 0x00026000"),
      ("feather-nrf52840", 0x2_7000, 256, "", "has no vector table at 0x00026000"),
      // The dongle's settings; what is behind the space for an update of the boot loader; a SoftDevice.
      ("nrf52840-dongle", 0x1000, 0x3_D001, "", "takes firmware at 0x00001000 to 0x0003dfff"),
      ("xiao-nrf52840", 0x2_7000, 0xC_3001, "", "takes firmware at 0x00027000 to 0x000e9fff"),
      ("xiao-nrf52840", 0x2_6000, 256, "", "does not fit: it has bytes at 0x00026000"),
      ("herald-wearable", 0, 0x7_E001, "", "takes firmware at 0x00000000 to 0x0007dfff"),
      ("nrf52833dk", 0, 256, "\0board=nrf52840dk", "was built for nrf52840dk, not for nrf52833dk"),
      ("microbit2", 0, 256, "\0board=microbit", "was built for microbit, not for microbit2"),
      ("mps2-an386", 0, 256, "", "cannot be written"),
      ("mcuboot", 0, 256, "", "is not in MCUboot's form"),
    ])
  func doesNotFit(_ name: String, _ address: UInt32, _ size: Int, _ text: String, _ reason: String) throws {
    let board = try Self.board(name)
    let image = try FirmwareImage.linked(at: address, size: size, text: text)
    let refused = Self.failure { _ = try FlashPlan(image: image, board: board) }
    #expect(refused?.cause == .doesNotFit && refused?.state == .untouched)
    #expect(refused?.what.contains(reason) == true, "\(refused?.what ?? "it fits")")
    #expect(!image.fittingBoards.contains(board))
  }

  @Test("A stack beyond the board's RAM, a chip's other UF2 family, and a name within another name")
  func moreFits() throws {
    let small = try Self.board("microbit")
    let stack = try FirmwareImage.linked(at: 0, stack: 0x2000_4004)
    #expect(small.obstacle(to: stack)?.contains("puts its stack at 0x20004004") == true)
    #expect(small.obstacle(to: try .linked(at: 0, stack: 0x2000_4000)) == nil)
    #expect(try FirmwareImage.linked(at: 0, text: "\0board=microbit").builtFor == "microbit")
    #expect(try FirmwareImage.linked(at: 0, text: "\0board=my-own").builtFor == "my-own")
    // Without the zero bytes around it, too long, empty, no name, or two of them: it says nothing.
    for text in [
      "board=microbit", "\0board=", "\0board=Micro", "\0board=\(String(repeating: "a", count: 33))",
      "\0board=microbit\0board=nrf52840dk",
    ] { #expect(try FirmwareImage.linked(at: 0, text: text).builtFor == nil, "\(text)") }
    #expect(try FirmwareImage.linked(at: 0, size: 24, text: "\0board=microbit").builtFor == nil)
    let segments = try FirmwareImage.linked(at: 0).segments
    let foreign = try FirmwareImage(format: .uf2, pieces: segments, uf2Family: 0x621E_937A)
    let board = try Self.board("nrf52840dk")
    #expect(board.obstacle(to: foreign) == "is for the family NRF52833, and nrf52840dk has an nrf52840")
  }

  @Test("A device with MCUboot's slots gets what carries its own hash, and nothing else")
  func mcuboot() throws {
    let device = try Self.board("mcuboot")
    #expect(device.obstacle(to: try FirmwareImage(Imgtool.plain)) == nil)
    var damaged = Imgtool.plain
    damaged[40] ^= 1
    #expect(device.obstacle(to: try FirmwareImage(damaged))?.hasPrefix("is damaged") == true)
    let microbit = try Self.board("microbit").obstacle(to: try FirmwareImage(Imgtool.plain))
    #expect(microbit == "is in MCUboot's form, and microbit has no MCUboot")
  }

  @Test("The pages that are erased are those the image touches, and none of log and settings")
  func pages() throws {
    let vectors = try FirmwareImage.linked(at: 0).segments[0]
    let image = try FirmwareImage(
      format: .elf,
      pieces: [vectors, .init(address: 0x1FFC, bytes: [1, 2, 3, 4, 5]), .init(address: 0x2100, bytes: [9])])
    let plan = try FlashPlan(image: image, board: try Self.board("nrf52833dk"))
    #expect(plan.pages == [0, 0x1000, 0x2000])
    // Words for the configuration of a chip that a probe reaches lie in no page.
    let words = FirmwareImage.Segment(address: 0x1000_13FC, bytes: [1, 2, 3, 4])
    let configured = try FirmwareImage(format: .elf, pieces: [vectors, words])
    #expect(try FlashPlan(image: configured, board: Self.board("nrf52833dk")).pages == [0])
    let beyond = try FirmwareImage(
      format: .elf, pieces: [vectors, .init(address: 0x1000_13FC, bytes: [1, 2, 3, 4, 5])])
    #expect(try Self.board("nrf52833dk").obstacle(to: beyond) != nil)
    let full = try FlashPlan(
      image: try .linked(at: 0, size: 94 * 1024), board: try Self.board("microbit"))
    #expect(full.pages.count == 94 && full.pages.last == 0x1_7400)
  }
}

@Suite("Choosing a board")
struct BoardChoiceTests {
  private static func found(_ place: String, _ name: String) -> FoundBoard {
    FoundBoard(
      location: place,
      identification: BoardIdentification(boards: [name].compactMap(BoardCatalogue.named), details: []))
  }

  private static func failure(_ found: [FoundBoard], _ wanted: String? = nil) -> FlashFailure? {
    do {
      _ = try BoardChoice.only(of: found, wanted: wanted.flatMap(BoardCatalogue.named))
      return nil
    } catch {
      return error
    }
  }

  @Test("Two boards without a choice are an error that lists both")
  func several() {
    let two = [Self.found("drive:/a", "microbit"), Self.found("probe:7", "nrf52840dk")]
    let failure = Self.failure(two)
    #expect(failure?.cause == .link(.severalDevices) && failure?.state == .untouched)
    #expect(failure?.what == "there are 2 boards: drive:/a (microbit), probe:7 (nrf52840dk)")
    #expect(Self.failure(two, "microbit") == nil)
    let none = Self.failure(two, "nrf52833dk")
    #expect(none?.cause == .link(.noDevice))
    #expect(none?.what.contains("drive:/a (microbit), probe:7 (nrf52840dk)") == true)
    #expect(Self.failure([])?.what == "there is no board")
  }

  @Test("What cannot be opened could be the one that is meant: it is not skipped")
  func blocked() {
    let obstacle = FlashFailure(.link(.permission), "no permission", state: .untouched)
    let blocked = FoundBoard(location: "probe:8", obstacle: obstacle)
    #expect(Self.failure([blocked]) == obstacle)
    let both = Self.failure([Self.found("probe:7", "nrf52840dk"), blocked], "nrf52840dk")
    #expect(both?.cause == .link(.severalDevices))
  }

  @Test("A board that is a probe and a drive at once is one board, and the probe is the better way")
  func seenTwice() throws {
    let (probe, drive) = (Self.found("probe:1", "microbit"), Self.found("drive:/a", "microbit"))
    #expect(try BoardChoice.only(of: [drive, probe], wanted: nil) == probe)
    #expect(try BoardChoice.only(of: [drive], wanted: nil) == drive)
    // Two of them, or one more drive than probes: nobody can say.
    let second = Self.found("drive:/b", "microbit")
    #expect(Self.failure([drive, probe, second])?.what.hasPrefix("there are 3 boards") == true)
    let two = Self.failure([drive, probe, second, Self.found("probe:2", "microbit")])
    #expect(two?.what == "there are 2 boards: probe:1 (microbit), probe:2 (microbit)")
    // Another board's drive is another board; a probe that cannot be opened could be the drive's.
    let feather = Self.found("drive:/c", "feather-nrf52840")
    #expect(Self.failure([probe, feather])?.cause == .link(.severalDevices))
    let obstacle = FlashFailure(.link(.permission), "no permission", state: .untouched)
    #expect(Self.failure([FoundBoard(location: "probe:9", obstacle: obstacle), drive]) == obstacle)
  }

  @Test("Places in the words of --to")
  func places() throws {
    let way = ProgrammingMethod(.drive, form: "/FOLDER", find: { _ in [] }) { rest, _ throws(FlashFailure) in
      throw FlashFailure(.cannot, "opens \(rest)", state: .untouched)
    }
    let (found, rest) = try ProgrammingMethod.parse("drive:/media/MICROBIT:1", of: [way])
    #expect(found.kind == .drive && rest == "/media/MICROBIT:1")
    for place in ["", "drive", "drive:", "probe:1", "/media/MICROBIT"] {
      #expect(throws: FlashFailure.self, "\(place)") { try ProgrammingMethod.parse(place, of: [way]) }
    }
  }
}
