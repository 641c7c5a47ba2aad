import HeraldBluetooth
import HeraldEmbedded
import HeraldHAL
import Testing

@Suite("Live tap")
struct LiveTapTests {
  private func measure(_ tap: inout LiveTap, _ levels: ClosedRange<Int8>) {
    let peer = TargetIdentity(kind: .randomAddress, high: 0xC102, low: 0x0304_0506)
    for level in levels { tap.didMeasure(peer, RSSI(level), at: .start) }
  }

  private func take(_ tap: inout LiveTap, most: Int = 100) -> [Int8] {
    var levels: [Int8] = []
    while levels.count < most, let event = tap.nextLive() { levels.append(event.level) }
    return levels
  }

  @Test("Fourteen events wait, in the order in which they happened, wherever the first of them lies")
  func order() {
    var tap = LiveTap()
    _ = tap.watch(at: .start)
    measure(&tap, 1...10)
    let first = take(&tap, most: 9)
    #expect(first == Array(1...9))
    measure(&tap, 11...23)
    let count = tap.watch(at: .start)
    let rest = take(&tap)
    #expect(count == 14 && rest == Array(10...23))
  }

  @Test("Events for which there was no room are counted, and the count is handed out once")
  func losses() {
    var tap = LiveTap()
    _ = tap.watch(at: .start)
    measure(&tap, 1...17)
    let lost = tap.takeLost()
    let again = tap.takeLost()
    #expect(lost == 3 && again == 0)
    let kept = take(&tap)
    #expect(kept == Array(1...14))
    measure(&tap, 1...15)
    let later = tap.takeLost()
    #expect(later == 1)
  }
}
