import HeraldFirmware
import HeraldHAL
import Testing

@Suite("A button")
struct ButtonTests {
  private func at(_ milliseconds: UInt64) -> Instant { Instant(milliseconds: milliseconds) }

  /// What is reported, with its time, when the level changes at these times, first to down, and is sampled as
  /// the button demands, or late.
  private func presses(_ changes: [UInt64], until end: UInt64, late: UInt64 = 0) -> [String] {
    var button = Button()
    var found: [String] = []
    var time: UInt64 = 0
    while time <= end {
      let isDown = changes.count { $0 <= time } % 2 == 1
      let press = button.sample(isDown: isDown, at: at(time))
      if press != .none { found.append("\(press) \(time)") }
      // The pin ends a sleep while nothing is sampled.
      let next = button.nextSample(after: at(time))
      let fall = changes.first { $0 > time } ?? end + 1
      time = next == .never ? max(fall, time + 1) : next.milliseconds + late
    }
    return found
  }

  @Test("a short press is reported when it ends, and a long one once, after five seconds")
  func lengths() {
    #expect(presses([100, 300], until: 10_000) == ["short 360"])
    // Five seconds after the contact, at the next sample.
    #expect(presses([100, 20_000], until: 30_000) == ["long 5130"])
    #expect(presses([100, 5_099], until: 30_000).first?.hasPrefix("short") == true)
    #expect(presses([0, 200, 1_000, 1_200], until: 10_000).count == 2)
  }

  @Test("a contact that bounces for 25 ms at both ends is one press")
  func bounces() {
    let press: [UInt64] = [100, 102, 105, 111, 114, 119, 125]
    let release: [UInt64] = [400, 403, 407, 415, 424]
    #expect(presses(press + release, until: 2_000) == ["short 485"])
  }

  @Test("levels shorter than 30 ms are no press, and the button is not sampled after them")
  func spikes() {
    #expect(presses([100, 110, 200, 229, 300, 320], until: 10_000) == [])
    var button = Button()
    _ = button.sample(isDown: true, at: at(100))
    #expect(button.nextSample(after: at(100)) == at(110))
    _ = button.sample(isDown: false, at: at(110))
    #expect(button.nextSample(after: at(110)) == .never)
  }

  @Test("a release that has begun before the five seconds is no long press")
  func releaseBeforeLong() {
    var button = Button()
    for time in stride(from: UInt64(0), through: 4_980, by: 20) {
      #expect(button.sample(isDown: true, at: at(time)) == .none)
    }
    #expect(button.sample(isDown: false, at: at(4_990)) == .none)
    #expect(button.sample(isDown: false, at: at(5_010)) == .none)
    #expect(button.sample(isDown: false, at: at(5_020)) == .short)
  }

  @Test("a loop that samples 200 ms late recognises presses later")
  func late() {
    #expect(presses([100, 2_000], until: 10_000, late: 200).count == 1)
    #expect(presses([100, 20_000], until: 30_000, late: 200).map { $0.prefix(4) } == ["long"])
  }

  @Test("a button is stuck after a minute, until it is released")
  func stuck() {
    var button = Button()
    for time in stride(from: UInt64(0), to: 60_000, by: 50) {
      _ = button.sample(isDown: true, at: at(time))
      #expect(!button.isStuck(at: at(time)))
    }
    _ = button.sample(isDown: true, at: at(60_000))
    #expect(button.isStuck(at: at(60_000)))
    #expect(button.sample(isDown: false, at: at(70_000)) == .none)
    #expect(!button.isStuck(at: at(70_000)))
    #expect(button.sample(isDown: false, at: at(70_030)) == .none)
    #expect(button.nextSample(after: at(70_030)) == .never)
  }

  @Test("at the end of the clock nothing traps")
  func extremes() {
    var button = Button()
    for time in [UInt64.max - 40, .max, 0, .max - 1, 5, .max] {
      _ = button.sample(isDown: true, at: at(time))
      _ = button.nextSample(after: at(time))
      _ = button.isStuck(at: at(time))
    }
    #expect(button.nextSample(after: .never) == .never)
  }
}

@Suite("The status light")
struct StatusLightTests {
  /// The times at which the light changes, beginning with on, after a condition is shown at 1 s.
  private func changes(_ condition: DeviceCondition) -> [UInt64] {
    var light = StatusLight()
    var now = Instant(milliseconds: 1_000)
    light.show(condition, at: now)
    var found: [UInt64] = []
    var isLit = false
    while now != .never, found.count < 1_000 {
      let (isOn, until) = light.state(at: now)
      #expect(until > now)
      if isOn != isLit { found.append(now.milliseconds - 1_000) }
      isLit = isOn
      now = until
    }
    #expect(!isLit)
    return found
  }

  @Test("the patterns of docs/boards.md, in milliseconds")
  func patterns() {
    #expect(changes(.allWell) == [0, 1_000])
    #expect(changes(.charging) == [0, 1_000, 1_500, 2_500])
    #expect(changes(.managementOpen) == [0, 1_000, 1_500, 2_500, 3_000, 4_000])
    // Two flashes in 1.0 s and a pause of 1.2 s, three times.
    #expect(
      changes(.noDate)
        == [0, 150, 500, 650, 2_200, 2_350, 2_700, 2_850, 4_400, 4_550, 4_900, 5_050])
    let groups: [(DeviceCondition, UInt64)] = [(.logNearlyFull, 3), (.batteryLow, 4), (.notAdvertising, 5)]
    for (condition, flashes) in groups {
      let found = changes(condition)
      var expected: [UInt64] = []
      for time in 0..<3 as Range<UInt64> {
        for flash in 0..<flashes {
          let start = time * (flashes * 500 + 1_200) + flash * 500
          expected += [start, start + 150]
        }
      }
      #expect(found == expected)
    }
    let armed = changes(.resetArmed)
    #expect(armed.count == 300 && armed.prefix(3) == [0, 100, 200] && armed.last == 29_900)
  }

  @Test("a loop that is late goes on where the pattern is then, and a new pattern replaces the former")
  func late() {
    var light = StatusLight()
    #expect(light.state(at: .start).until == .never)
    light.show(.noDate, at: .start)
    #expect(light.state(at: Instant(milliseconds: 2_250)).isOn)
    #expect(light.state(at: Instant(milliseconds: 2_250)).until == Instant(milliseconds: 2_350))
    light.show(.allWell, at: Instant(milliseconds: 2_250))
    #expect(light.state(at: Instant(milliseconds: 3_249)).isOn)
    #expect(!light.state(at: Instant(milliseconds: 3_250)).isOn)
    light.end()
    #expect(light.state(at: Instant(milliseconds: 3_251)).until == .never)
    light.show(.resetArmed, at: .start)
    #expect(light.state(at: Instant(milliseconds: .max)).until == .never)
  }
}
