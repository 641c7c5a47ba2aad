import HeraldFirmware
import HeraldHAL
import Testing

private func at(_ milliseconds: UInt64) -> Instant { Instant(milliseconds: milliseconds) }

@Suite("The watchdog's gate")
struct ProgressGateTests {
  @Test func isOpenWhileTheRadioIsReadyAndTheLoopRests() {
    var gate = ProgressGate()
    gate.saw(.ready, at: at(1_000))
    for hour in 0..<48 as Range<UInt64> {
      gate.rested(at: at(hour * 3_600_000))
      #expect(gate.isOpen(at: at(hour * 3_600_000 + 59_999), hasRadio: true))
    }
  }

  @Test func closesWhenTheLoopHasNotRestedForAMinute() {
    var gate = ProgressGate()
    gate.saw(.ready, at: at(0))
    gate.rested(at: at(5_000))
    #expect(gate.isOpen(at: at(64_999), hasRadio: true))
    #expect(!gate.isOpen(at: at(65_000), hasRadio: true))
    #expect(!gate.isOpen(at: at(65_000), hasRadio: false))
  }

  @Test func staysOpenForARadioThatFailsAndIsTriedAgain() {
    var gate = ProgressGate()
    for minute in 0..<600 as Range<UInt64> {
      gate.saw(minute % 2 == 0 ? .failed : .starting, at: at(minute * 60_000))
      gate.rested(at: at(minute * 60_000))
      #expect(gate.isOpen(at: at(minute * 60_000), hasRadio: true))
    }
  }

  @Test func closesForARadioAboutWhichNothingHappens() {
    var gate = ProgressGate()
    gate.saw(.failed, at: at(10_000))
    for second in 10..<130 as Range<UInt64> {
      gate.saw(.failed, at: at(second * 1_000))
      gate.rested(at: at(second * 1_000))
      #expect(gate.isOpen(at: at(second * 1_000), hasRadio: true))
    }
    gate.rested(at: at(130_000))
    #expect(!gate.isOpen(at: at(130_000), hasRadio: true))
    #expect(gate.isOpen(at: at(130_000), hasRadio: false))
  }
}

@Suite("The controller's reset line")
struct ControllerResetTests {
  @Test func isPulledFromTheSecondFailureInARowOn() {
    var reset = ControllerReset()
    #expect(reset.step(.failed, at: at(0)) == .none)
    #expect(reset.step(.starting, at: at(1)) == .none)
    #expect(reset.step(.failed, at: at(2_000)) == .hold)
    #expect(reset.deadline == at(2_010))
    #expect(reset.step(.failed, at: at(2_009)) == .none)
    #expect(reset.step(.failed, at: at(2_010)) == .release)
    #expect(reset.deadline == .never)
    #expect(reset.step(.failed, at: at(2_011)) == .none)
    #expect(reset.step(.starting, at: at(2_100)) == .none)
    #expect(reset.step(.failed, at: at(4_100)) == .hold)
    #expect(reset.count == 2)
  }

  @Test func isLeftAloneWhenResettingByCommandWasEnough() {
    var reset = ControllerReset()
    for start in [0, 10_000, 20_000] as [UInt64] {
      #expect(reset.step(.failed, at: at(start)) == .none)
      #expect(reset.step(.starting, at: at(start + 1)) == .none)
      #expect(reset.step(.ready, at: at(start + 50)) == .none)
    }
    #expect(reset.count == 0)
  }

  @Test func isLetGoAlsoWhenTheRadioIsAtSomethingElseByThen() {
    var reset = ControllerReset()
    _ = reset.step(.failed, at: at(0))
    _ = reset.step(.starting, at: at(1))
    #expect(reset.step(.failed, at: at(2)) == .hold)
    #expect(reset.step(.starting, at: at(5)) == .none)
    #expect(reset.step(.starting, at: at(13)) == .release)
  }
}
