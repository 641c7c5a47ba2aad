import HeraldHostLink
import Testing

@testable import HeraldFlash
@testable import HeraldImages

@Suite("Adafruit's boot loader on a serial port")
struct LegacyDFUTests {
  private static func plan(
    _ size: Int = 2600, _ board: String = "feather-nrf52840", at address: UInt32 = 0x2_6000,
    erasesAll: Bool = false
  ) throws -> FlashPlan {
    try FlashPlan(
      image: ProbeProgrammerTests.made(seed: 9, count: size, at: address),
      board: try #require(BoardCatalogue.named(board)), erasesAll: erasesAll)
  }

  private static func programmer(_ loader: ModelLegacyBootLoader, comesBack: Bool = false)
    -> LegacyDFUProgrammer
  {
    LegacyDFUProgrammer(loader, location: "serial-dfu:model", timeout: .zero) {
      () throws(HostLinkError) in
      guard comesBack else { throw HostLinkError(.noDevice, "there is no serial line") }
      return loader.plugIn()
    }
  }

  private static func failure(_ loader: ModelLegacyBootLoader, _ plan: FlashPlan, comesBack: Bool = false)
    -> FlashFailure?
  {
    ProbeProgrammerTests.failure { try programmer(loader, comesBack: comesBack).write(plan) { _ in } }
  }

  @Test("All of it arrives and starts; what was on the line before is skipped")
  func write() throws {
    let loader = ModelLegacyBootLoader()
    loader.noise = [0x41, 0x42, 0xC0, 0x10, 0x00, 0xC0]
    let programmer = Self.programmer(loader)
    #expect(
      try programmer.identify().boards.map(\.name)
        == [
          "xiao-nrf52840", "feather-nrf52840", "nrf52840dongle-adafruit", "feather-nrf52840-s140v7",
          "feather-nrf52840-mbr",
        ])
    let plan = try Self.plan()
    var steps: [FlashProgress] = []
    try programmer.write(plan) { steps.append($0) }
    #expect(loader.isRunning && loader.restarts == 0)
    #expect(loader.flash == plan.image.segments[0].bytes)
    #expect(
      steps == [FlashProgress(.erasing, done: 0, total: 2600)]
        + [0, 512, 1024, 1536, 2048, 2560, 2600].map { FlashProgress(.writing, done: $0, total: 2600) }
        + [FlashProgress(.waiting, done: 0, total: 0)])
    // Two that ask, start, init packet, six of data, stop.
    #expect(loader.packets == 11)
    #expect(ProbeProgrammerTests.failure { try programmer.verify(plan) { _ in } }?.cause == .cannot)
    #expect(ProbeProgrammerTests.failure { try programmer.reset() }?.cause == .cannot)
  }

  @Test(
    "Gone after any packet, heard or not: what is said of the board is so, and the next time it is written")
  func vanishes() throws {
    let plan = try Self.plan()
    for count in 0..<11 {
      for isUnheard in [false, true] where count < 10 || !isUnheard {
        let loader = ModelLegacyBootLoader()
        (loader.vanishesAfter, loader.isUnheard) = (count, isUnheard)
        let failure = Self.failure(loader, plan)
        #expect(failure?.cause == .link(.link) || failure?.cause == .link(.noDevice), "after \(count)")
        switch failure?.state {
        case .untouched: #expect(loader.flash == [0x0D] && count < 3, "after \(count)")
        case .erased, .partlyWritten, .unverified: #expect(loader.flash == nil, "after \(count)")
        case .unknown: #expect(count < 4, "after \(count)")
        default: Issue.record("\(String(describing: failure?.state)) after \(count)")
        }
        #expect(failure?.advice != nil)
        #expect(Self.failure(loader.plugIn(), plan) == nil, "after \(count)")
        #expect(loader.isRunning && loader.flash == plan.image.segments[0].bytes, "after \(count)")
      }
    }
  }

  @Test("Gone with the last packet, unheard: it may run, and that it is not known is said")
  func vanishesAtTheEnd() throws {
    let loader = ModelLegacyBootLoader()
    (loader.vanishesAfter, loader.isUnheard) = (10, true)
    let failure = Self.failure(loader, try Self.plan())
    #expect(failure?.state == .unverified)
    #expect(loader.isRunning)
  }

  @Test(
    "A packet that is lost, damaged or not acknowledged is sent again; one that arrived is not taken twice")
  func mishaps() throws {
    let plan = try Self.plan()
    for mishap in [ModelLegacyBootLoader.LegacyFault.lost, .damaged, .unheard, .garbled, .late] {
      for number in 1...10 {
        let loader = ModelLegacyBootLoader()
        loader.mishaps[number] = mishap
        #expect(Self.failure(loader, plan) == nil, "\(mishap) \(number)")
        #expect(loader.isRunning && loader.flash == plan.image.segments[0].bytes, "\(mishap) \(number)")
        // The second that asks is not sent again by itself.
        #expect(loader.packets == (mishap == .late ? 11 : number == 2 ? 13 : 12), "\(mishap) \(number)")
      }
    }
    let deaf = ModelLegacyBootLoader()
    for number in 6...100 { deaf.mishaps[number] = .lost }
    let failure = Self.failure(deaf, plan)
    #expect(failure?.cause == .link(.noAnswer) && failure?.state == .partlyWritten)
    #expect(deaf.packets == 10)
  }

  @Test("A boot loader in the middle of an interrupted upload restarts, and the upload is repeated")
  func goesOn() throws {
    let plan = try Self.plan()
    for count in 3..<10 {
      let loader = ModelLegacyBootLoader()
      for number in count + 1...100 { loader.mishaps[number] = .lost }
      #expect(Self.failure(loader, plan)?.cause == .link(.noAnswer))
      loader.mishaps = [:]
      #expect(Self.failure(loader, plan, comesBack: true) == nil, "after \(count)")
      #expect(loader.restarts == 1, "after \(count)")
      #expect(loader.isRunning && loader.flash == plan.image.segments[0].bytes, "after \(count)")
    }
  }

  @Test(
    "Another SoftDevice than the image was linked for: nothing goes where it does not belong, and it is said why"
  )
  func softDevices() throws {
    for (name, address, wrong, right) in [
      ("feather-nrf52840", 0x2_6000, 0x123, 0xA9), ("feather-nrf52840-s140v7", 0x2_7000, 0xB6, 0x100),
      ("feather-nrf52840-mbr", 0x1000, 0xB6, 0xFFFF),
    ] as [(String, UInt32, UInt16, UInt16)] {
      let plan = try Self.plan(9000, name, at: address)
      let loader = ModelLegacyBootLoader()
      loader.softDevice = wrong
      let failure = Self.failure(loader, plan, comesBack: true)
      #expect(failure?.cause == .link(.refused) && failure?.state == .erased, "\(name)")
      #expect(loader.flash == nil && loader.restarts == 1)
      loader.softDevice = right
      #expect(Self.failure(loader.plugIn(), plan) == nil, "\(name)")
    }
  }

  @Test("Of a package goes what it says of itself, but the board's SoftDevice is asked for")
  func packages() throws {
    var bytes = Array(try Self.plan(301).image.segments[0].bytes)
    var packet = LegacyInitPacket(application: bytes, softDevices: [0xFFFE])
    (packet.deviceType, packet.deviceRevision, packet.applicationVersion) = (1, 2, 3)
    func sent(_ packet: LegacyInitPacket) throws -> LegacyInitPacket {
      let file = DFUPackage(legacy: packet, application: bytes).file
      let plan = try FlashPlan(
        image: try FirmwareImage(file, base: 0x2_6000),
        board: try #require(BoardCatalogue.named("feather-nrf52840")))
      return try LegacyInitPacket(try LegacyDFUProgrammer.package(plan).initPacket)
    }
    let padded = bytes + [0xFF, 0xFF, 0xFF]
    #expect(try sent(packet) == packet.with(application: padded, softDevices: [0xA9, 0xAE, 0xB6]))
    packet.softDevices = [0xB6, 0x123]
    #expect(try sent(packet) == packet.with(application: padded, softDevices: [0xA9, 0xAE, 0xB6]))
    packet.softDevices = [0x123]
    #expect(ProbeProgrammerTests.failure { _ = try sent(packet) }?.cause == .doesNotFit)
    // Signed: as it is, if that is possible.
    packet.softDevices = [0xFFFE]
    packet.check = [2, 0, 0, 0] + [UInt8](repeating: 7, count: 100)
    #expect(ProbeProgrammerTests.failure { _ = try sent(packet) }?.cause == .image)
    bytes += [1, 2, 3]
    #expect(try sent(packet) == packet)
  }

  @Test("What arrives wrong in spite of all does not start, and that is no success")
  func wrong() throws {
    let bytes = Array(try Self.plan(304).image.segments[0].bytes)
    var packet = LegacyInitPacket(application: bytes, softDevices: [0xB6])
    packet.check = [0, 0] + packet.check
    let image = try FirmwareImage(DFUPackage(legacy: packet, application: bytes).file)
    let plan = try FlashPlan(image: image, board: try #require(BoardCatalogue.named("feather-nrf52840")))
    let loader = ModelLegacyBootLoader()
    let failure = Self.failure(loader, plan)
    #expect(failure?.cause == .link(.protocolViolation) && failure?.state == .partlyWritten)
    #expect(!loader.isRunning)
  }

  @Test("Another board, everything, and what only a probe writes: refused before anything is sent")
  func others() throws {
    let loader = ModelLegacyBootLoader()
    #expect(Self.failure(loader, try Self.plan(9000, "nrf52840-dongle", at: 0x1000))?.cause == .doesNotFit)
    #expect(Self.failure(loader, try Self.plan(erasesAll: true))?.cause == .cannot)
    let image = try FirmwareImage(
      format: .elf,
      pieces: try Self.plan().image.segments + [.init(address: 0x1000_1014, bytes: [0, 0, 0, 0])])
    let plan = try FlashPlan(image: image, board: try #require(BoardCatalogue.named("feather-nrf52840")))
    #expect(Self.failure(loader, plan)?.cause == .doesNotFit)
    #expect(loader.flash == [0x0D])
    let silent = ScriptedLine([])
    let failure = ProbeProgrammerTests.failure {
      _ = try LegacyDFUProgrammer(silent, location: "x", timeout: .zero) { () throws(HostLinkError) in silent
      }.identify()
    }
    #expect(failure?.cause == .link(.noAnswer) && failure?.state == .untouched)
    #expect(silent.written.count == 5)
  }
}
