import HeraldFirmware
import HeraldHAL
import Testing

/// Pins that a test drives: with a button, or without one and with a cable.
struct TestPins<let buttons: Int>: PanelPins {
  var isDown = false
  var cable = false
  var reading: PowerReading? = PowerReading(level: 100, isExternal: false)
  var charges = false
  private(set) var isLit = false
  private(set) var isWatched = true
  /// The number of samples of the button, and of changes of its resistor.
  private(set) var samples = 0
  private(set) var watches = 0

  static var hasButton: Bool { buttons > 0 }
  init() {}
  mutating func isButtonDown() -> Bool {
    samples += 1
    #expect(isWatched, "a pin without its resistor has no level")
    return isDown
  }
  mutating func watchButton(_ isWatched: Bool) {
    watches += 1
    self.isWatched = isWatched
  }
  mutating func light(_ isOn: Bool) { isLit = isOn }
  mutating func hasCable() -> Bool { cable }
  mutating func power() -> PowerReading? { reading }
  mutating func isCharging() -> Bool { charges }
}

/// A panel in a loop that sleeps until its deadlines, and at most for a second.
private struct PanelLoop<let buttons: Int>: ~Copyable {
  var panel = StatusPanel<TestPins<buttons>>()
  var now: UInt64 = 0
  var rounds = 0
  var requests: [UInt64] = []
  var openings: [UInt64] = []
  var edges: [UInt64] = []

  var time: Instant { Instant(milliseconds: now) }

  mutating func run(until end: UInt64) {
    while now < end {
      rounds += 1
      let wasLit = panel.pins.isLit
      switch panel.update(at: time) {
      case .none: break
      case .showCondition, .cable:
        requests.append(now)
        panel.show(.allWell, at: time)
      case .openManagement:
        openings.append(now)
        panel.show(.managementOpen, at: time)
      }
      if panel.pins.isLit != wasLit { edges.append(now) }
      let deadline = panel.deadline(after: time).milliseconds
      #expect(deadline > now)
      now = min(deadline, (now / 1_000 + 1) * 1_000, end)
    }
  }

  mutating func press(for duration: UInt64) {
    panel.pins.isDown = true
    run(until: now + duration)
    panel.pins.isDown = false
    run(until: now + 100)
  }
}

@Suite("The panel of a board")
struct PanelTests {
  @Test("a second press while the condition is shown opens the management link, and a later one does not")
  func secondPress() {
    var loop = PanelLoop<1>()
    loop.press(for: 200)
    check(loop.requests.count == 1 && loop.openings == [])
    loop.press(for: 200)
    check(loop.requests.count == 1 && loop.openings.count == 1)
    let start = loop.edges.count
    loop.run(until: loop.now + 10_000)
    // The first of three flashes of a second has begun.
    check(loop.edges.count - start == 5)
    loop.press(for: 200)
    check(loop.requests.count == 2 && loop.openings.count == 1)
  }

  @Test("while nothing is pressed the loop is not woken, and a short press asks for the condition")
  func shortPress() {
    var loop = PanelLoop<1>()
    loop.run(until: 86_400_000)
    check(loop.rounds == 86_400 && loop.requests == [] && loop.edges == [])
    check(loop.panel.pins.watches == 0)
    loop.press(for: 200)
    loop.run(until: 86_410_000)
    check(loop.requests.count == 1 && loop.edges.count == 2)
    check(loop.edges.last.map { $0 - loop.requests[0] } == 1_000)
  }

  @Test("a long press permits one factory reset, within 30 s, and the light shows it")
  func longPress() {
    var loop = PanelLoop<1>()
    check(!loop.panel.takeResetPermission(at: loop.time))
    loop.press(for: 5_200)
    check(loop.requests == [])
    loop.run(until: 20_000)
    check(loop.edges.count > 100)
    check(loop.panel.takeResetPermission(at: loop.time))
    check(!loop.panel.takeResetPermission(at: loop.time), "once only")
    loop.run(until: 20_200)
    let edges = loop.edges.count
    check(!loop.panel.pins.isLit)
    loop.run(until: 60_000)
    check(loop.edges.count == edges, "the light is off once the permission is used")
  }

  @Test("the permission expires after 30 s")
  func expires() {
    for (delay, isPermitted) in [(29_900, true), (30_100, false), (3_600_000, false)] as [(UInt64, Bool)] {
      var loop = PanelLoop<1>()
      loop.panel.pins.isDown = true
      loop.run(until: 5_000)
      check(!loop.panel.takeResetPermission(at: loop.time), "before five seconds")
      loop.run(until: 5_100)
      loop.panel.pins.isDown = false
      loop.run(until: 5_000 + delay)
      check(loop.panel.takeResetPermission(at: loop.time) == isPermitted, "after \(delay) ms")
    }
  }

  @Test("a short press revokes the permission; the next one shows the condition again")
  func revoked() {
    var loop = PanelLoop<1>()
    loop.press(for: 6_000)
    loop.press(for: 100)
    check(loop.requests == [] && !loop.panel.takeResetPermission(at: loop.time))
    loop.run(until: 10_000)
    check(!loop.panel.pins.isLit)
    loop.press(for: 100)
    check(loop.requests.count == 1)
    // After the permission expired without use as well.
    loop.press(for: 6_000)
    loop.run(until: 100_000)
    loop.press(for: 100)
    check(loop.requests.count == 2)
  }

  @Test(
    "a button that is held for ever permits one reset, draws no current, and does not keep the loop awake")
  func stuck() {
    var loop = PanelLoop<1>()
    loop.panel.pins.isDown = true
    loop.run(until: 61_000)
    check(!loop.panel.pins.isWatched)
    let (rounds, samples, edges) = (loop.rounds, loop.panel.pins.samples, loop.edges.count)
    loop.run(until: 61_000 + 3_600_000)
    check(loop.rounds - rounds == 3_600 && loop.panel.pins.samples - samples == 360)
    check(loop.edges.count == edges && !loop.panel.takeResetPermission(at: loop.time))
    check(!loop.panel.pins.isWatched && loop.requests == [])
    // Released, it is a button again, at the next sample.
    loop.panel.pins.isDown = false
    loop.run(until: loop.now + 12_000)
    check(loop.panel.pins.isWatched && loop.requests == [])
    loop.press(for: 100)
    check(loop.requests.count == 1)
  }

  @Test("without a button the cable asks for the condition, two seconds after it is connected")
  func cable() {
    var loop = PanelLoop<0>()
    loop.run(until: 10_000)
    loop.panel.pins.cable = true
    loop.run(until: 60_000)
    check(loop.requests == [12_000])
    loop.panel.pins.cable = false
    loop.run(until: 70_000)
    loop.panel.pins.cable = true
    loop.run(until: 71_500)
    loop.panel.pins.cable = false
    loop.run(until: 80_000)
    check(loop.requests == [12_000], "not if it is disconnected before")
    loop.panel.pins.cable = true
    loop.run(until: 90_000)
    check(loop.requests == [12_000, 82_000])
    check(loop.panel.pins.samples == 0 && loop.panel.takeResetPermission(at: loop.time))
  }

  @Test("a start by the cable shows the condition")
  func start() {
    var loop = PanelLoop<0>()
    loop.panel.pins.cable = true
    loop.run(until: 60_000)
    check(loop.requests == [2_000])
  }
}

/// `#expect` for calls on values that cannot leave their scope, which the macro would capture.
private func check(
  _ condition: Bool, _ comment: Comment? = nil, sourceLocation: SourceLocation = #_sourceLocation
) {
  #expect(condition, comment, sourceLocation: sourceLocation)
}
