import HeraldBluetooth
import HeraldEmbedded
import HeraldHAL
import HeraldSimulation
import Testing

private let herald = "02 01 06 03 03 F6 FC"
private let apple = "02 01 1A 02 0A 0C 0B FF 4C 00 10 06 13 1A 01 02 03 04"

/// A made-up address: resolvable private, as phones have.
private func madeUp(_ number: Int) -> DeviceAddress {
  DeviceAddress(high: 0x4100, low: UInt32(truncatingIfNeeded: number), kind: .random)
}

@Suite("Coordinator: floods of advertisements")
struct CoordinatorFloodTests {
  /// A device whose budget of identities that show a Herald service, that of a table of 64, is exhausted.
  private func flooded() -> Scenario {
    let scenario = Scenario()
    scenario.run(seconds: 1)
    for number in 0..<1024 { scenario.node.radio.happen(advert(madeUp(number), herald)) }
    scenario.poll()
    return scenario
  }

  private func advert(_ address: DeviceAddress, _ data: String, rssi: Int8 = -60) -> MockRadio.Event {
    .advertisement(address, RSSI(rssi), .connectable, hex(data))
  }

  @Test(
    "Beyond 1,024 at once strangers are refused, counted, and the log says how many; others of another kind are not"
  )
  func budget() {
    let scenario = flooded()
    #expect(scenario.count(.detections) == 1024 && scenario.count(.strangersRefused) == 0)
    for number in 2000..<2100 { scenario.node.radio.happen(advert(madeUp(number), herald)) }
    scenario.poll()
    #expect(scenario.count(.detections) == 1024 && scenario.count(.strangersRefused) == 100)
    scenario.hear(madeUp(3000), apple)
    #expect(scenario.count(.detections) == 1025)
    scenario.run(seconds: 30)
    #expect(scenario.log().contains { $0.hasSuffix(" dropped 100") })
    // It is told once.
    scenario.run(seconds: 60)
    #expect(scenario.log().filter { $0.contains("dropped") }.count == 1)
  }

  @Test("While strangers are refused nothing is made up for; after that, one in four seconds")
  func recovery() {
    let scenario = flooded()
    for number in 0..<100 {
      scenario.hear(madeUp(5000 + number), herald)
      scenario.run(milliseconds: 500)
    }
    #expect(scenario.count(.strangersRefused) == 100 && scenario.count(.detections) == 1024)
    scenario.run(seconds: 45)
    for number in 0..<40 { scenario.hear(madeUp(6000 + number), herald) }
    #expect(scenario.count(.detections) >= 1024 + 9 && scenario.count(.detections) <= 1024 + 12)
  }

  @Test("While strangers are refused, one that is heard again and again is taken in")
  func proof() {
    let scenario = flooded()
    let phone = DeviceAddress(high: 0x5555, low: 1, kind: .random)
    var detectedAt: UInt64?
    let start = scenario.now.milliseconds
    for number in 0..<400 {
      // Twenty made-up addresses a second besides.
      scenario.hear(madeUp(10_000 + number * 2), herald)
      scenario.hear(madeUp(10_001 + number * 2), herald)
      if number % 5 == 0 { scenario.hear(phone, herald) }
      scenario.run(milliseconds: 100)
      if detectedAt == nil, scenario.node.core.table.find(TargetIdentity(phone)) != nil {
        detectedAt = scenario.now.milliseconds
      }
    }
    #expect(detectedAt.map { $0 - start <= 40_000 } ?? false)
    // Made-up addresses, each heard once, are not.
    #expect(scenario.count(.detections) <= 1024 + 1)
  }

  @Test(
    "Addresses that prove to be there are taken in at sixteen at once and one in four seconds, and no faster")
  func proofBudget() {
    let scenario = flooded()
    for _ in 0..<120 {
      for number in 0..<40 { scenario.hear(madeUp(20_000 + number), herald) }
      scenario.run(milliseconds: 500)
    }
    #expect(scenario.count(.detections) <= 1024 + 16 + 16)
    #expect(scenario.count(.detections) > 1024 + 8)
  }

  @Test("While strangers are refused, one that opens a connection is known from then on")
  func caller() {
    let scenario = flooded()
    scenario.hear(madeUp(4000), herald)
    #expect(scenario.count(.strangersRefused) == 1)
    scenario.happen(.opened(ConnectionID(index: 0), .peripheral, peer: Peer.iPhone))
    #expect(scenario.node.core.table.find(TargetIdentity(Peer.iPhone)) != nil)
    let readings = scenario.count(.readings)
    scenario.hear(Peer.iPhone, Peer.iPhoneAdvert)
    #expect(scenario.count(.readings) == readings + 1)
  }

  @Test(
    "Of a peer whose payload is not known about a thousand readings are kept, then one in four seconds; the rest is counted"
  )
  func oneSender() {
    let scenario = Scenario()
    scenario.run(seconds: 1)
    for number in 0..<2000 {
      // One pseudo device address under ever new addresses: nobody can connect to it.
      scenario.hear(madeUp(number), "02 01 06 03 03 F6 FC 09 FF FA FF 01 02 03 04 05 06")
      scenario.run(milliseconds: 10)
    }
    #expect(scenario.count(.readings) >= 1000 && scenario.count(.readings) <= 1200)
    #expect(scenario.count(.readings) + scenario.count(.readingsRefused) == 2000)
  }

  @Test("A peer whose payload was read keeps all its readings")
  func knownPeer() {
    let scenario = Scenario()
    scenario.hear(Peer.android, Peer.androidAdvert)
    scenario.readAndroid()
    scenario.happen(.closed(ConnectionID(index: 0), .localHostTerminated))
    for _ in 0..<2000 {
      scenario.hear(Peer.android, Peer.androidAdvert)
      scenario.run(milliseconds: 10)
    }
    #expect(scenario.count(.readings) == 2001 && scenario.count(.readingsRefused) == 0)
  }

  @Test("HP-26 A radio that cannot connect gets to know no payload: all readings are kept")
  func onlyListening() {
    var capabilities = MockRadio.usualCapabilities
    capabilities.canConnect = false
    let scenario = Scenario(capabilities: capabilities)
    scenario.run(seconds: 1)
    for _ in 0..<2000 {
      scenario.hear(Peer.android, Peer.androidAdvert)
      scenario.run(milliseconds: 10)
    }
    #expect(scenario.count(.readings) == 2000 && scenario.count(.readingsRefused) == 0)
  }

  @Test(
    "Peers whose payloads were read keep their places when a table full of made-up addresses comes at once")
  func eviction() {
    var table = TargetTable<64>()
    for number in 0..<20 {
      let place =
        table.insert(
          TargetIdentity(madeUp(number)), address: madeUp(number),
          at: Instant(milliseconds: UInt64(number) * 500))
        ?? -1
      table[place].payloadDigest = UInt64(number + 1)
    }
    for number in 100..<1124 {
      let now = Instant(milliseconds: UInt64(20_000 + number))
      let place = table.insert(TargetIdentity(madeUp(number)), address: madeUp(number), at: now) ?? -1
      table[place].readings = 1
      table.setOwesWork(place, true)
    }
    for number in 0..<20 { #expect(table.find(TargetIdentity(madeUp(number))) != nil) }
  }

  @Test(
    "The device does not take itself for a peer, under its address or a former one of the last quarter of an hour"
  )
  func ownAddress() {
    let scenario = Scenario { $0.addressPeriod = .seconds(300) }
    scenario.run(seconds: 1)
    var own: [DeviceAddress] = []
    for _ in 0..<4 {
      own.append(scenario.node.core.ownAddress)
      for address in own {
        for _ in 0..<10 {
          scenario.hear(address, herald)
          scenario.hear(address, "02 01 06 09 FF FA FF 01 02 03 04 05 06")
        }
      }
      scenario.run(seconds: 300)
    }
    #expect(Set(own).count == 4)
    #expect(
      scenario.count(.detections) == 0 && scenario.count(.readings) == 0 && scenario.count(.attempts) == 0)
    #expect(scenario.node.core.table.count == 0)
    // Somebody else is a peer.
    scenario.hear(Peer.android, Peer.androidAdvert)
    #expect(scenario.count(.readings) == 1)
  }

  @Test("A known peer's advertisement under the device's own address is not taken for the peer's")
  func ownAddressOfPseudonym() {
    let scenario = Scenario()
    scenario.hear(Peer.android, Peer.androidAdvert)
    scenario.hear(scenario.node.core.ownAddress, Peer.androidAdvert)
    #expect(scenario.count(.readings) == 1)
    let place = scenario.node.core.table.find(Peer.androidIdentity) ?? -1
    #expect(place >= 0 && scenario.node.core.table[place].address == Peer.android)
  }
}
