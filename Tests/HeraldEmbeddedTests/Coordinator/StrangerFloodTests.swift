import HeraldBluetooth
import HeraldSimulation
import Testing

/// Floods of made-up addresses that cannot be connected to, or say nothing when they are, and what they cost.
@Suite("Coordinator: floods of unknown peers")
struct StrangerFloodTests {
  private static let advert = "02 01 06 03 03 F6 FC"

  private static func stranger(_ number: Int) -> DeviceAddress {
    DeviceAddress(high: 0x4600, low: UInt32(number), kind: .random)
  }

  /// Ten new addresses a second for `seconds`; `answer` says what becomes of an attempt. Returns the
  /// milliseconds for which it was scanned more than scheduled, and those for which it was attempted to
  /// connect.
  private func flood(_ scenario: Scenario, seconds: Int, _ answer: (Scenario) -> Void) -> (
    scanning: Int, attempting: Int
  ) {
    var scanning = 0
    var attempting = 0
    for number in 0..<(seconds * 10) {
      scenario.hear(Self.stranger(number), Self.advert)
      for _ in 0..<10 {
        if let scan = scenario.node.radio.scanning, scan.window == scan.interval { scanning += 10 }
        if scenario.node.radio.connecting != nil { attempting += 10 }
        scenario.run(milliseconds: 10)
      }
      answer(scenario)
    }
    return (scanning, attempting)
  }

  @Test("Strangers whose connections fail to be established (0x3E) do not keep the radio scanning")
  func unanswered() {
    let scenario = Scenario()
    let use = flood(scenario, seconds: 300) {
      guard let peer = $0.node.radio.connecting else { return }
      $0.happen(.opened(ConnectionID(index: 0), .central, peer: peer))
      $0.happen(.closed(ConnectionID(index: 0), .failedToBeEstablished))
    }
    #expect(scenario.count(.attempts) > 50)
    #expect(use.scanning < 12_000, "\(use.scanning) ms of 300,000")
    #expect(use.attempting < 20_000, "\(use.attempting) ms of 300,000")
    #expect(scenario.violations.isEmpty)
  }

  @Test("Strangers that are not there any more when they are connected to do not keep the radio listening")
  func gone() {
    let scenario = Scenario()
    let use = flood(scenario, seconds: 300) { _ in }
    #expect(use.scanning < 12_000, "\(use.scanning) ms of 300,000")
    #expect(use.attempting < 35_000, "\(use.attempting) ms of 300,000")
  }

  @Test("Strangers that are connected and say nothing are given up after 1.5 s while others wait")
  func silent() {
    let scenario = Scenario()
    _ = flood(scenario, seconds: 60) { _ in }
    var opened: UInt64?
    for number in 0..<600 where opened == nil {
      scenario.hear(Self.stranger(10_000 + number), Self.advert)
      if let peer = scenario.node.radio.connecting {
        scenario.happen(.opened(ConnectionID(index: 0), .central, peer: peer))
        opened = scenario.now.milliseconds
      } else {
        scenario.run(milliseconds: 100)
      }
    }
    #expect(opened != nil)
    scenario.run(milliseconds: 1400)
    #expect(scenario.node.radio.open.count == 1)
    scenario.run(milliseconds: 200)
    #expect(scenario.node.radio.open.isEmpty)
    #expect(scenario.count(.exchangesTimedOut) == 1)
  }

  @Test("A peer that stays is read in the midst of strangers that are gone after a second")
  func realPeer() {
    let scenario = Scenario()
    _ = flood(scenario, seconds: 60) { _ in }
    let address = DeviceAddress(high: 0x4701, low: 1, kind: .random)
    var attempted: Int?
    for tenth in 0..<300 where attempted == nil {
      scenario.hear(Self.stranger(20_000 + tenth), Self.advert)
      if tenth % 5 == 0 { scenario.hear(address, Self.advert) }
      if scenario.node.radio.connecting == address { attempted = tenth }
      scenario.run(milliseconds: 100)
    }
    #expect((attempted ?? 300) < 150, "after \(attempted ?? 300) tenths of a second")
  }

  @Test("One stranger that never takes a connection is tried for 8 s each time, as nobody else waits")
  func oneStranger() {
    let scenario = Scenario()
    scenario.hear(Self.stranger(1), Self.advert)
    scenario.run(milliseconds: 7_990)
    #expect(scenario.node.radio.connecting == Self.stranger(1))
    scenario.run(milliseconds: 20)
    #expect(scenario.count(.attemptTimeouts) == 1)
  }

  @Test(
    "Advertisements that say under a peer's address that it takes no connections do not keep it from being read"
  )
  func forgedNonConnectable() {
    let scenario = Scenario()
    let peer = Self.stranger(1)
    var longest: UInt64 = 0
    var begun: UInt64?
    for tenth in 0..<200 {
      // The peer's own advertisement each second, and a forged one each tenth of a second.
      if tenth % 10 == 0 { scenario.hear(peer, Self.advert) }
      scenario.run(milliseconds: 20)
      scenario.hear(peer, Self.advert, kind: .legacy)
      scenario.run(milliseconds: 80)
      if scenario.node.radio.connecting == peer {
        if begun == nil { begun = scenario.now.milliseconds }
        longest = max(longest, scenario.now.milliseconds - (begun ?? 0))
      } else {
        begun = nil
      }
    }
    // Each attempt lasts for an advertisement of the peer, and there are several.
    #expect(longest >= 1100, "\(longest) ms")
    #expect(scenario.count(.attempts) >= 3)
  }
}
