import HeraldBluetooth
import HeraldHAL
import Testing

@testable import HeraldEmbedded

@Suite("Lengths of attempts to connect")
struct AttemptLengthTests {
  /// A stranger with address 0x4000_00000001 and a period of 1,009,148 µs, received at 0.
  private func stranger() -> Target {
    let address = DeviceAddress(high: 0x4000, low: 1, kind: .random)
    return Target(identity: TargetIdentity(address), address: address, at: .start)
  }

  /// The length in ms of an attempt that begins at `moment` ms, and whether it is cut, and brief.
  private func length(
    _ target: Target, at moment: UInt64, othersWait: Bool = false, sparing: UInt32 = 250,
    isFlooded: Bool = false
  ) -> [UInt32] {
    let length = AttemptLength(
      of: target, usual: .seconds(8), othersWait: othersWait, sparing: sparing, isFlooded: isFlooded,
      at: Instant(milliseconds: moment))
    return [length.length.milliseconds, length.isCut ? 1 : 0, length.isBrief ? 1 : 0]
  }

  @Test("Outside rounds: 8 s, and 1.3 s while others wait for a stranger that is to be read")
  func usual() {
    var target = stranger()
    #expect(length(target, at: 1000, sparing: 0) == [8000, 0, 0])
    #expect(length(target, at: 1000, othersWait: true, sparing: 0) == [1300, 1, 0])
    target.state = .read
    #expect(length(target, at: 1000, othersWait: true, sparing: 0) == [8000, 0, 0])
  }

  @Test("In rounds: to the end of the window and 4 ms, for 5 s after the peer was received")
  func brief() {
    let target = stranger()
    // The first window is from 996 to 1,038 ms, later ones are 4 ms to either side of a multiple of the
    // period.
    #expect(length(target, at: 996) == [46, 1, 1])
    #expect(length(target, at: 1037, othersWait: true) == [5, 1, 1])
    #expect(length(target, at: 2014) == [14, 1, 1])
    #expect(length(target, at: 4999)[2] == 1)
    #expect(length(target, at: 5000) == [1100, 0, 0])
    #expect(length(target, at: 5000, othersWait: true) == [1100, 1, 0])
  }

  @Test("In a flood, and with a message, the attempt is not one of a window")
  func others() {
    var target = stranger()
    #expect(length(target, at: 996, isFlooded: true) == [1100, 0, 0])
    #expect(length(target, at: 996, othersWait: true, isFlooded: true) == [1100, 1, 0])
    target.set(Target.awaitsMessageFlag, true)
    #expect(length(target, at: 996, othersWait: true) == [8000, 0, 0])
  }

  @Test("A member of a crowd advertises as this device does, waits to be read and was received within 30 s")
  func member() {
    var target = stranger()
    target.state = .advertised
    func isMember(at moment: UInt64) -> Bool { target.isCrowdMember(at: Instant(milliseconds: moment)) }
    #expect(isMember(at: 30_000))
    #expect(!isMember(at: 30_001))
    target.state = .confirmed
    #expect(isMember(at: 0))
    target.txPower = 0
    #expect(!isMember(at: 0))
    target.txPower = Target.noTxPower
    target.state = .read
    #expect(!isMember(at: 0))
    target.state = .candidate
    #expect(!isMember(at: 0))
  }

  @Test("An attempt that is limited to a window lasts to its end and 4 ms, and is no failure")
  func window() {
    var length = AttemptLength(
      of: stranger(), usual: .seconds(8), othersWait: false, sparing: 0, isFlooded: false, at: .start)
    length.limit(to: AwaitedWindow(wait: 0, left: 9))
    #expect(length.length == .milliseconds(13) && length.isCut && length.isBrief)
  }

  @Test("An attempt ends at the limit if that is earlier, and is then cut")
  func limit() {
    var attempt = Attempt()
    let usual = AttemptLength(
      of: stranger(), usual: .seconds(8), othersWait: false, sparing: 0, isFlooded: false, at: .start)
    attempt.begin(3, usual, limit: .never, at: Instant(milliseconds: 70_000))
    #expect(attempt.isActive && !attempt.isCut && !attempt.isBrief && attempt.slot == 3)
    #expect(attempt.deadline == Instant(milliseconds: 78_000))
    #expect(attempt.begunAt == 70_000 - 65_536)
    attempt.begin(3, usual, limit: Instant(milliseconds: 71_000), at: Instant(milliseconds: 70_000))
    #expect(attempt.isCut && !attempt.isBrief && attempt.deadline == Instant(milliseconds: 71_000))
  }
}
