import Testing

@testable import HeraldFlash

/// Each way a probe fails, at each packet of writing: what the failure says of the board is so, and writing
/// again afterwards works.
@Suite("A debug probe that fails at any step")
struct ProbeInterruptionTests {
  private static let old: [UInt32] = (0..<512).map { $0 &* 0x0101_0101 &+ 7 }
  /// A page and some bytes.
  private static let image = ProbeProgrammerTests.made(seed: 2, count: 1100)
  private static let new = ProbeProgrammerTests.words(image, pageSize: 1024)

  private static func run(_ chip: ModelChip, _ probe: ModelProbe) -> FlashFailure? {
    let programmer = ProbeProgrammer(probe, readsBack: false, clock: 1_000_000, timeout: .zero)
    defer { programmer.close() }
    return ProbeProgrammerTests.failure {
      _ = try programmer.identify()
      try programmer.write(try ProbeProgrammerTests.plan("microbit", image)) { _ in }
      try programmer.verify(try ProbeProgrammerTests.plan("microbit", image)) { _ in }
      try programmer.reset()
    }
  }

  /// How many packets all of it takes. The last two let go of the probe: nothing depends on them.
  private static func undisturbed() throws -> Int {
    let chip = ModelChip(.nRF51)
    chip.fill(old)
    let probe = ModelProbe(chip)
    #expect(run(chip, probe) == nil)
    return probe.packets
  }

  private static func check(_ chip: ModelChip, _ failure: FlashFailure?, _ what: Comment) {
    let flash = Array(chip.flash[..<512])
    switch failure?.state {
    case nil, .unverified:
      let isNew = flash == new
      #expect(isNew, what)
    case .untouched:
      let isWhole = flash == old || flash == new
      #expect(isWhole, what)
    case .partlyWritten:
      let doesNotStart = flash[0] == .max && flash[1] == .max
      #expect(doesNotStart, what)
    case .unknown: break
    default: Issue.record(what)
    }
    #expect(chip.violations.isEmpty, what)
    #expect(run(chip, ModelProbe(chip)) == nil, what)
    let isNew = Array(chip.flash[..<512]) == new
    #expect(isNew, what)
  }

  @Test("A probe that is unplugged at any step is reported as gone")
  func vanishes() throws {
    let count = try Self.undisturbed()
    #expect(count > 15)
    for packet in 1...count {
      let chip = ModelChip(.nRF51)
      chip.fill(Self.old)
      let failure = Self.run(chip, ModelProbe(chip, disturbances: [packet: .vanishes]))
      if packet <= count - 2 { #expect(failure?.cause == .link(.link), "packet \(packet)") }
      Self.check(chip, failure, "vanished at packet \(packet)")
    }
  }

  @Test("The chip answers WAIT, FAULT or nothing, once: it is done again", arguments: [2, 4, 7] as [UInt8])
  func answers(code: UInt8) throws {
    for packet in 1...(try Self.undisturbed()) {
      let chip = ModelChip(.nRF51)
      chip.fill(Self.old)
      let failure = Self.run(chip, ModelProbe(chip, disturbances: [packet: .acknowledgement(code)]))
      #expect(failure == nil, "\(code) at packet \(packet)")
      Self.check(chip, failure, "\(code) at packet \(packet)")
    }
  }

  @Test("The chip answers WAIT, FAULT or nothing from some packet on", arguments: [4, 7] as [UInt8])
  func answersOnly(code: UInt8) throws {
    let count = try Self.undisturbed()
    for packet in 1...count {
      let chip = ModelChip(.nRF51)
      chip.fill(Self.old)
      let all = Dictionary(
        uniqueKeysWithValues: (packet...count + 60).map { ($0, ModelProbe.Disturbance.acknowledgement(code)) }
      )
      let failure = Self.run(chip, ModelProbe(chip, disturbances: all))
      if packet <= count - 2 { #expect(failure != nil, "\(code) from packet \(packet) on") }
      Self.check(chip, failure, "\(code) from packet \(packet) on")
    }
  }

  @Test(
    "A response that is cut short or belongs to another command is an error",
    arguments: [ModelProbe.Disturbance.cut(3), .wrong])
  func nonsense(disturbance: ModelProbe.Disturbance) throws {
    for packet in 1...(try Self.undisturbed()) {
      let chip = ModelChip(.nRF51)
      chip.fill(Self.old)
      let failure = Self.run(chip, ModelProbe(chip, disturbances: [packet: disturbance]))
      Self.check(chip, failure, "\(disturbance) at packet \(packet)")
    }
  }
}
