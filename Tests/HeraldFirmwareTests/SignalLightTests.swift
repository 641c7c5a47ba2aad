import HeraldDeviceLink
import HeraldFirmware
import HeraldHAL
import Testing

/// What a host has the light show, by the table of docs/boards.md.
@Suite("The light while a host collects the log")
struct SignalLightTests {
  private func time(_ milliseconds: UInt64) -> Instant { Instant(milliseconds: milliseconds) }

  /// When the light changes, in milliseconds from the signal.
  private func changes(_ signal: CollectionSignal) -> [UInt64] {
    var light = StatusLight()
    check(light.signal(signal, at: time(1_000)))
    var edges: [UInt64] = []
    var now = time(1_000)
    var isOn = false
    while now != .never {
      let state = light.state(at: now)
      if state.isOn != isOn { edges.append(now.milliseconds - 1_000) }
      isOn = state.isOn
      now = state.until
    }
    return edges
  }

  @Test("collecting flashes evenly for a minute, done is on for two, failed flashes twice and twice again")
  func patterns() {
    let collecting = changes(.collecting)
    check(collecting.prefix(4) == [0, 500, 1_000, 1_500])
    check(collecting.count == 120 && collecting.last == 59_500)
    check(changes(.done) == [0, 120_000])
    let failed = changes(.failed)
    check(failed.prefix(6) == [0, 150, 300, 450, 1_000, 1_150])
    check(failed.count == 480 && failed.last == 119_450)
    check(changes(.none) == [])
  }

  @Test("a signal is shown for 250 ms at least, so that a stranger cannot make the light flicker")
  func rate() {
    var light = StatusLight()
    var shown: [UInt64] = []
    for now in stride(from: UInt64(0), to: 2_000, by: 10)
    where light.signal(now % 20 == 0 ? .collecting : .failed, at: time(now)) {
      shown.append(now)
    }
    check(shown == [0, 250, 500, 750, 1_000, 1_250, 1_500, 1_750])
    // The end of a signal as well.
    let isTaken = (light.signal(.none, at: time(1_999)), light.signal(.none, at: time(2_000)))
    check(isTaken == (false, true))
    check(!light.isShowingSignal)
  }

  @Test("the permission of a reset stays visible; a condition is replaced; the end of a signal leaves both")
  func importance() {
    var light = StatusLight()
    light.show(.resetArmed, at: time(0))
    let isArmed = light.signal(.done, at: time(1_000))
    check(!isArmed && light.colour == .usual)
    light.show(.noDate, at: time(2_000))
    let isEnded = light.signal(.none, at: time(2_001))
    check(isEnded && light.isShowing)
    let isShown = light.signal(.done, at: time(2_002))
    check(isShown && !light.isShowing && light.isShowingSignal && light.colour == .green)
    light.show(.allWell, at: time(2_003))
    check(light.isShowing && !light.isShowingSignal && light.colour == .usual)
  }

  @Test("a short press during a signal shows the condition, and does not open the management link")
  func press() {
    var panel = StatusPanel<ColourPins<1>>()
    check(panel.signal(.collecting, at: time(0)))
    var requests: [PanelRequest] = []
    panel.pins.isDown = true
    for now in stride(from: UInt64(10), to: 400, by: 10) {
      if now == 200 { panel.pins.isDown = false }
      let request = panel.update(at: time(now))
      if request != .none { requests.append(request) }
    }
    check(requests == [.showCondition])
  }

  @Test("a board without a button does not replace a signal by its condition, which the cable causes")
  func cable() {
    var panel = StatusPanel<ColourPins<0>>()
    check(panel.signal(.done, at: time(0)))
    panel.show(.noDate, at: time(2_000))
    let colours = panel.pins.colours
    check(colours == [.green] && panel.pins.isLit)
    _ = panel.update(at: time(120_000))
    check(!panel.pins.isLit)
    panel.show(.noDate, at: time(121_000))
    let later = panel.pins.colours
    check(later == [.green, .usual])
  }

  @Test("the colours: blue while collecting, then green or red; the light is switched off before another")
  func colours() {
    var panel = StatusPanel<ColourPins<1>>()
    for (index, signal) in [CollectionSignal.collecting, .done, .failed, .none].enumerated() {
      check(panel.signal(signal, at: time(UInt64(index) * 1_000)))
    }
    let (colours, isLit) = (panel.pins.colours, panel.pins.isLit)
    check(colours == [.blue, .green, .red] && !isLit)
    // One that is refused changes nothing.
    check(panel.signal(.done, at: time(10_000)))
    let isTaken = panel.signal(.failed, at: time(10_100))
    check(!isTaken)
    check(panel.pins.colours == [.blue, .green, .red, .green])
  }
}

/// `#expect` for calls on values that cannot leave their scope, which the macro would capture.
private func check(
  _ condition: Bool, _ comment: Comment? = nil, sourceLocation: SourceLocation = #_sourceLocation
) {
  #expect(condition, comment, sourceLocation: sourceLocation)
}

/// Pins of a light with colours, and a button or a cable.
struct ColourPins<let buttons: Int>: PanelPins {
  var isDown = false
  private(set) var isLit = false
  /// The colours in which the light was switched on.
  private(set) var colours: [LightColour] = []

  static var hasButton: Bool { buttons > 0 }
  init() {}
  mutating func isButtonDown() -> Bool { isDown }
  mutating func watchButton(_ isWatched: Bool) {}
  mutating func light(_ isOn: Bool) { isLit = isOn }
  mutating func light(in colour: LightColour) {
    #expect(!isLit, "two colours at once are a third one")
    isLit = true
    colours.append(colour)
  }
  mutating func hasCable() -> Bool { false }
  mutating func power() -> PowerReading? { nil }
  mutating func isCharging() -> Bool { false }
}
