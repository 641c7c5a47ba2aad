import Testing

@testable import HeraldFlash

@Suite("Closing the debug port")
struct ProbeLockTests {
  private let board = "nrf52840dk"

  private func programmed(isHardened: Bool = false) throws -> ModelChip {
    let chip = ModelChip(.nRF52, isHardened: isHardened)
    chip.fill([0x2000_0C00, 0x41, 7])
    // Another word of UICR, and as the tool leaves a chip that it has opened: 0x5A.
    #expect(chip.write(0x4001_E504, 1) && chip.write(0x1000_1080, 0x1234))
    while chip.read(0x4001_E400) == 0 {}
    #expect(chip.write(0x1000_1208, isHardened ? 0x5A : 0xFFFF_FFFF))
    while chip.read(0x4001_E400) == 0 {}
    #expect(chip.write(0x4001_E504, 0))
    return chip
  }

  private func lock(_ chip: ModelChip) throws {
    let programmer = ProbeProgrammerTests.programmer(chip)
    defer { programmer.close() }
    try programmer.lock(try #require(BoardCatalogue.named(board)))
  }

  @Test(
    "Locking clears the word in UICR and nothing else, the firmware runs; erasing all unlocks",
    arguments: [false, true])
  func locks(isHardened: Bool) throws {
    let chip = try programmed(isHardened: isHardened)
    #expect(!chip.isLocked)
    try lock(chip)
    #expect(chip.isLocked)
    #expect(chip.uicr[0x208 / 4] == (isHardened ? 0 : 0xFFFF_FF00))
    #expect(chip.uicr[0x80 / 4] == 0x1234)
    #expect(chip.holds([0x2000_0C00, 0x41, 7]) && chip.pagesErased == 0)
    #expect(chip.resets >= 1 && !chip.core.isHalted)
    #expect(chip.violations.isEmpty && chip.misuses.isEmpty)
    // Again: nothing is written.
    let resets = chip.resets
    try lock(chip)
    #expect(chip.isLocked && chip.resets == resets)
    let programmer = ProbeProgrammerTests.programmer(chip)
    try programmer.erase(.chip, of: try #require(BoardCatalogue.named(board))) { _ in }
    #expect(!chip.isLocked && chip.flash[2] == .max)
  }

  @Test("Erasing all opens a chip whose program forces the lock until the next reset")
  func forced() throws {
    let chip = try programmed(isHardened: true)
    try lock(chip)
    chip.isForced = true
    let programmer = ProbeProgrammerTests.programmer(chip)
    try programmer.erase(.chip, of: try #require(BoardCatalogue.named(board))) { _ in }
    #expect(!chip.isLocked && chip.flash[2] == .max && chip.violations.isEmpty)
  }

  @Test("Without a program, and on an nRF51, it is refused, and nothing is written")
  func refuses() throws {
    let empty = ModelChip(.nRF52)
    let refusal = ProbeProgrammerTests.failure { try lock(empty) }
    #expect(refusal?.cause == .cannot && refusal?.state == .untouched)
    #expect(refusal?.advice?.contains("herald-flash write --board nrf52840dk") == true)
    #expect(empty.uicr[0x208 / 4] == .max && !empty.isLocked)
    let old = ModelChip(.nRF51)
    old.fill([0x2000_0C00, 0x41])
    let other = ProbeProgrammerTests.failure {
      try ProbeProgrammerTests.programmer(old).lock(try #require(BoardCatalogue.named("microbit")))
    }
    #expect(other?.cause == .cannot && old.uicr[1] == .max && old.resets == 0)
    // Another chip than the board's.
    let chip = try programmed()
    let wrong = ProbeProgrammerTests.failure {
      try ProbeProgrammerTests.programmer(chip).lock(try #require(BoardCatalogue.named("nrf52833dk")))
    }
    #expect(wrong?.cause == .doesNotFit && !chip.isLocked && chip.uicr[0x208 / 4] == .max)
  }

  @Test(
    "What is not closed is not reported as closed: before the supply was off, and if the memory can be read")
  func checks() throws {
    let chip = try programmed()
    chip.needsPowerCycle = true
    let failure = ProbeProgrammerTests.failure { try lock(chip) }
    #expect(failure?.cause == .link(.refused) && failure?.advice?.contains("off and on") == true)
    #expect(chip.uicr[0x208 / 4] == 0xFFFF_FF00)
    chip.cyclePower()
    try lock(chip)
    let leaking = try programmed(isHardened: true)
    leaking.leaks = true
    #expect(ProbeProgrammerTests.failure { try lock(leaking) }?.cause == .link(.refused))
  }

  @Test("Other programming methods say that a probe does it")
  func otherMethods() throws {
    let mock = MockProgrammer("nrf52840dk")
    let board = try #require(BoardCatalogue.named("nrf52840dk"))
    let failure = ProbeProgrammerTests.failure { try mock.lock(board) }
    #expect(failure?.cause == .cannot && failure?.advice?.contains("probe") == true)
    let updatable = BoardCatalogue.all.filter(\.canBeUpdatedWhileLocked).map(\.name)
    #expect(Set(["xiao-nrf52840", "feather-nrf52840", "nrf52840-dongle"]).isSubset(of: updatable))
    #expect(
      Set(["microbit", "microbit2", "nrf52833dk", "nrf52840dk", "herald-wearable"]).isDisjoint(
        with: updatable))
  }
}
