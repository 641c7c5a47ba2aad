import Foundation
import HeraldHostLink
import Testing

@testable import HeraldFlash
@testable import HeraldImages

@Suite("Nordic's boot loader on a serial port")
struct SerialDFUTests {
  private static func plan(_ size: Int = 9000, erasesAll: Bool = false) throws -> FlashPlan {
    try FlashPlan(
      image: ProbeProgrammerTests.made(seed: 9, count: size, at: 0x1000),
      board: try #require(BoardCatalogue.named("nrf52840-dongle")), erasesAll: erasesAll)
  }

  private static func programmer(_ loader: ModelBootLoader) -> SerialDFUProgrammer {
    SerialDFUProgrammer(loader, location: "serial-dfu:model", timeout: .zero)
  }

  private static func failure(_ loader: ModelBootLoader, _ plan: FlashPlan) -> FlashFailure? {
    ProbeProgrammerTests.failure { try programmer(loader).write(plan) { _ in } }
  }

  @Test("Frames: the end mark and the escape are escaped, and nothing else")
  func slip() {
    #expect(SLIP.encode([0x01, 0xC0, 0xDB, 0xDC]) == [0x01, 0xDB, 0xDC, 0xDB, 0xDD, 0xDC, 0xC0])
    var decoder = SLIPDecoder()
    func frames(_ bytes: [UInt8]) -> [[UInt8]] { bytes.compactMap { decoder.take($0) } }
    #expect(frames([0x01, 0xDB, 0xDC, 0xDB, 0xDD, 0xC0, 0xC0, 0x02, 0xC0]) == [[0x01, 0xC0, 0xDB], [0x02]])
    #expect(frames([0x01, 0xDB, 0x00, 0x02, 0xC0, 0x03, 0xC0]) == [[0x03]])
    #expect(frames([0x01, 0xDB, 0xC0, 0x04, 0xC0]) == [[0x04]])
    #expect(frames([UInt8](repeating: 7, count: 9000) + [0xC0, 0x05, 0xC0]) == [[0x05]])
  }

  @Test("The first requests are those of the protocol's description")
  func requests() throws {
    let line = RecordingLine(answers: [
      [0x60, 0x02, 0x01], [0x60, 0x07, 0x01, 0x03, 0x08],
      [0x60, 0x06, 0x01, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], [0x60, 0x01, 0x01],
      [0x60, 0x03, 0x01, 0x02, 0, 0, 0, 0x69, 0xDE, 0xB4, 0x76], [0x60, 0x04, 0x01],
    ])
    let link = DFULink(line, name: "x", timeout: .zero)
    try link.begin()
    #expect(link.writeSize == 1024)
    let (most, there) = try link.select(.command)
    #expect(most == 512 && there == DFULink.Progress(offset: 0, checksum: 0))
    try link.create(.command, size: 0x3E)
    try link.write([0x0A, 0xC0])
    #expect(try link.checksum() == DFULink.Progress(offset: 2, checksum: 0x76B4_DE69))
    try link.execute()
    #expect(
      line.written == [
        [0x02, 0, 0, 0xC0], [0x07, 0xC0], [0x06, 0x01, 0xC0], [0x01, 0x01, 0x3E, 0, 0, 0, 0xC0],
        [0x08, 0x0A, 0xDB, 0xDC, 0xC0], [0x03, 0xC0], [0x04, 0xC0],
      ])
  }

  @Test("All of it arrives and starts; what was on the line before is skipped")
  func write() throws {
    let loader = ModelBootLoader()
    loader.noise = [0x41, 0x42, 0xC0, 0x60, 0x03, 0x01, 0, 0xC0]
    let programmer = Self.programmer(loader)
    let identification = try programmer.identify()
    #expect(identification.boards.map(\.name) == ["nrf52840-dongle"])
    let plan = try Self.plan()
    var steps: [FlashProgress] = []
    try programmer.write(plan) { steps.append($0) }
    #expect(loader.isRunning)
    #expect(loader.flash == plan.image.segments[0].bytes)
    #expect(steps == [0, 4096, 8192, 9000].map { FlashProgress(.writing, done: $0, total: 9000) })
    #expect(ProbeProgrammerTests.failure { try programmer.verify(plan) { _ in } }?.cause == .cannot)
    #expect(ProbeProgrammerTests.failure { try programmer.reset() }?.cause == .cannot)
  }

  @Test("Unplugged after any frame: the reported state of the board is right, and the next run continues")
  func vanishes() throws {
    let plan = try Self.plan()
    let whole = ModelBootLoader()
    #expect(Self.failure(whole, plan) == nil)
    for count in 0..<whole.frames {
      let loader = ModelBootLoader()
      loader.vanishesAfter = count
      let failure = Self.failure(loader, plan)
      #expect(failure?.cause == .link(.link), "after \(count)")
      let isUntouched = failure?.state == .untouched
      #expect(!isUntouched || loader.flash.isEmpty, "after \(count)")
      let kept = loader.flash.count
      loader.plugIn()
      #expect(Self.failure(loader, plan) == nil, "after \(count)")
      #expect(loader.isRunning && loader.flash == plan.image.segments[0].bytes, "after \(count)")
      // What was carried out is not sent again.
      #expect(loader.frames <= whole.frames + 2 - kept / 4096 * 6, "after \(count)")
    }
  }

  @Test("What arrived damaged before the line was cut is not built upon")
  func damagedAndGone() throws {
    let plan = try Self.plan()
    let whole = ModelBootLoader()
    #expect(Self.failure(whole, plan) == nil)
    for count in 1..<whole.frames {
      let loader = ModelBootLoader()
      loader.spoiled = [count - 1]
      loader.vanishesAfter = count
      _ = Self.failure(loader, plan)
      loader.reconnect()
      #expect(Self.failure(loader, plan) == nil, "frame \(count - 1)")
      #expect(loader.isRunning && loader.flash == plan.image.segments[0].bytes, "frame \(count - 1)")
      // The data itself is damaged, and the line is cut before that is noticed.
      let last = ModelBootLoader()
      last.damaged = [count]
      last.vanishesAfter = count
      _ = Self.failure(last, plan)
      last.reconnect()
      #expect(Self.failure(last, plan) == nil, "data in frame \(count)")
      #expect(last.isRunning && last.flash == plan.image.segments[0].bytes, "data in frame \(count)")
    }
  }

  @Test("A piece that arrives damaged is sent again, but not indefinitely")
  func damaged() throws {
    let plan = try Self.plan(600)
    let whole = ModelBootLoader()
    #expect(Self.failure(whole, plan) == nil)
    let once = ModelBootLoader()
    once.spoiled = [whole.frames - 1]
    #expect(Self.failure(once, plan) == nil)
    #expect(once.isRunning && once.frames > whole.frames)
    let always = ModelBootLoader()
    always.spoiled = Set(whole.frames - 1..<whole.frames + 500)
    let failure = Self.failure(always, plan)
    #expect(failure?.cause == .link(.protocolViolation))
    #expect(failure?.state == .unknown)
  }

  @Test("A later version that is there already is no obstacle to a boot loader made for debugging")
  func version() throws {
    let loader = ModelBootLoader()
    loader.firmwareVersion = 9
    #expect(Self.failure(loader, try Self.plan()) == nil)
    #expect(loader.isRunning)
  }

  @Test("What the boot loader refuses is said in words")
  func refused() throws {
    for (request, answer, words) in [
      (0x04, [0x0B, 0x08], "takes signed firmware only"), (0x04, [0x0B, 0x0D], "has no room for the image"),
      (0x04, [0x0B, 0x42], "refused (error 0x42)"), (0x01, [0x08], "is not ready for this step"),
      (0x06, [0x07], "refused request 0x06 with result 0x07"),
    ] as [(UInt8, [UInt8], String)] {
      let loader = ModelBootLoader()
      loader.refusals[request] = answer
      let failure = Self.failure(loader, try Self.plan())
      #expect(failure?.what == "the boot loader at serial-dfu:model \(words)")
      #expect(failure?.cause == .link(.refused))
      #expect(failure?.state == .untouched)
    }
  }

  @Test("With a SoftDevice in front it is no board that is known; nothing else answers, nothing is erased")
  func others() throws {
    let loader = ModelBootLoader()
    loader.hasSoftDevice = true
    #expect(try Self.programmer(loader).identify().boards.isEmpty)
    #expect(Self.failure(loader, try Self.plan())?.cause == .doesNotFit)
    #expect(Self.failure(ModelBootLoader(), try Self.plan(erasesAll: true))?.cause == .cannot)
    let silent = RecordingLine(answers: [])
    let failure = ProbeProgrammerTests.failure {
      _ = try SerialDFUProgrammer(silent, location: "x", timeout: .zero).identify()
    }
    #expect(failure?.cause == .link(.noAnswer))
  }

  @Test("The boot loader's serial ports are distinguished from others by their USB device")
  func ports() throws {
    let root = FileManager.default.temporaryDirectory.appending(path: "tty-\(UUID())")
    defer { try? FileManager.default.removeItem(at: root) }
    for (name, vendor, product) in [
      ("ttyACM0", "1915", "521f"), ("ttyACM1", "1915", "cafe"), ("ttyACM2", "1915", "521f"),
      ("ttyACM3", "239a", "0029"),
      ("ttyACM4", "239a", "8029"), ("ttyACM5", "239a", "002a"), ("ttyACM6", "239a", "521f"),
      ("ttyACM7", "2886", "0044"), ("ttyACM8", "2886", "8044"), ("ttyACM9", "2886", "0045"),
    ] {
      let device = root.appending(path: "usb-\(name)")
      let port = root.appending(path: "class/\(name)")
      for folder in [device.appending(path: "1.0"), port] {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      }
      try Data("\(vendor)\n".utf8).write(to: device.appending(path: "idVendor"))
      try Data("\(product)\n".utf8).write(to: device.appending(path: "idProduct"))
      try FileManager.default.createSymbolicLink(
        at: port.appending(path: "device"), withDestinationURL: device.appending(path: "1.0"))
    }
    #expect(
      ProgrammingMethod.serialPorts(in: root.appending(path: "class").path)
        == ["ttyACM0", "ttyACM2", "ttyACM3", "ttyACM5", "ttyACM7", "ttyACM9"])
  }
}

/// A line that notes what is written and answers each frame but writes with the next of `answers`.
private final class RecordingLine: SerialLine {
  private(set) var written: [[UInt8]] = []
  private var answers: [[UInt8]]
  private var output: [UInt8] = []

  init(answers: [[UInt8]]) { self.answers = answers }

  func write(_ bytes: [UInt8], by deadline: Deadline) {
    written.append(bytes)
    if bytes[0] != 0x08, !answers.isEmpty { output += SLIP.encode(answers.removeFirst()) }
  }

  func read(upTo limit: Int, by deadline: Deadline) -> [UInt8] {
    defer { output = [] }
    return output
  }

  func close() {}
}
