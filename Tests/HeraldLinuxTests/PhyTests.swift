import Glibc
import HeraldHAL
import HeraldLinkLayer
import Testing

@testable import HeraldLinux

@Suite("A device of a simulated phy")
struct PhyTests {
  @Test("The address of a device has the name of a simulation and a number")
  func address() throws {
    #expect(try PhyAddress("run-1:12") == PhyAddress(simulation: "run-1", device: 12))
    #expect(PhyAddress(simulation: "run", device: 3).description == "run:3")
  }

  @Test(
    "Other words are refused", arguments: ["", "run", "run:", ":1", "run:-1", "run:1:2", "a/b:1", "..:0"])
  func addressRefused(text: String) {
    #expect(throws: SystemFailure.self) { try PhyAddress(text) }
  }

  @Test(
    "A clock reaches each of its times at the first simulated microsecond",
    arguments: [0, 20, -20, 500, -500])
  func clock(deviation: Int) {
    let clock = PhyClock(deviation: deviation, offset: 4_294_000_000)
    for now in [0, 999_999, 86_400_000_000] {
      for distance in [UInt32(0), 1, 2, 149, 150, 7500, 1_000_003, 59_999_999] {
        let local = clock.local(now) + distance
        let time = clock.simulated(local, near: now)
        #expect(clock.local(time).since(local) <= 1 && !clock.local(time).isBefore(local))
        if distance > 0 { #expect(clock.local(time - 1).isBefore(local)) }
      }
    }
  }

  @Test(
    "The time of a host deviates as the clock of its radio", arguments: [(0, 3_600_000), (500, 3_601_800)])
  func elapsed(deviation: Int, milliseconds: UInt64) {
    let clock = PhyClock(deviation: deviation, offset: 4_294_000_000)
    #expect(clock.elapsed(0) == .start)
    #expect(clock.elapsed(999) == .start)
    #expect(clock.elapsed(3_600_000_000) == Instant(milliseconds: milliseconds))
  }

  @Test("Faults occur at their rate")
  func faults() {
    var random = PhyRandom(seed: 1)
    let count = (0..<10_000).count { _ in random.happens(20_000) }
    #expect(1800...2200 ~= count)
    let zero = random.below(0)
    let never = random.happens(0)
    #expect(zero == 0 && !never)
  }
}
