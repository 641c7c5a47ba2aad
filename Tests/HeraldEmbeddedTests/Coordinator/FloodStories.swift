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

@Suite("Coordinator: advertisements that are made up, or its own")
struct FloodStories {
  /// A device whose budget of identities that show a Herald service, that of a table of 64, is exhausted.
  private func flooded() -> Story {
    let story = Story()
    story.run(seconds: 1)
    for number in 0..<1024 { story.node.radio.happen(advert(madeUp(number), herald)) }
    story.poll()
    return story
  }

  private func advert(_ address: DeviceAddress, _ data: String, rssi: Int8 = -60) -> MockRadio.Event {
    .advertisement(address, RSSI(rssi), .connectable, hex(data))
  }

  @Test(
    "Beyond 1,024 at once strangers are refused, counted, and the log says how many; others of another kind are not"
  )
  func budget() {
    let story = flooded()
    #expect(story.count(.detections) == 1024 && story.count(.strangersRefused) == 0)
    for number in 2000..<2100 { story.node.radio.happen(advert(madeUp(number), herald)) }
    story.poll()
    #expect(story.count(.detections) == 1024 && story.count(.strangersRefused) == 100)
    story.hear(madeUp(3000), apple)
    #expect(story.count(.detections) == 1025)
    story.run(seconds: 30)
    #expect(story.log().contains { $0.hasSuffix(" dropped 100") })
    // It is told once.
    story.run(seconds: 60)
    #expect(story.log().filter { $0.contains("dropped") }.count == 1)
  }

  @Test("While strangers are refused nothing is made up for; after that, one in four seconds")
  func recovery() {
    let story = flooded()
    for number in 0..<100 {
      story.hear(madeUp(5000 + number), herald)
      story.run(milliseconds: 500)
    }
    #expect(story.count(.strangersRefused) == 100 && story.count(.detections) == 1024)
    story.run(seconds: 45)
    for number in 0..<40 { story.hear(madeUp(6000 + number), herald) }
    #expect(story.count(.detections) >= 1024 + 9 && story.count(.detections) <= 1024 + 12)
  }

  @Test("While strangers are refused, one that is heard again and again is taken in")
  func proof() {
    let story = flooded()
    let phone = DeviceAddress(high: 0x5555, low: 1, kind: .random)
    var detectedAt: UInt64?
    let start = story.now.milliseconds
    for number in 0..<400 {
      // Twenty made-up addresses a second besides.
      story.hear(madeUp(10_000 + number * 2), herald)
      story.hear(madeUp(10_001 + number * 2), herald)
      if number % 5 == 0 { story.hear(phone, herald) }
      story.run(milliseconds: 100)
      if detectedAt == nil, story.node.core.table.find(TargetIdentity(phone)) != nil {
        detectedAt = story.now.milliseconds
      }
    }
    #expect(detectedAt.map { $0 - start <= 40_000 } ?? false)
    // Made-up addresses, each heard once, are not.
    #expect(story.count(.detections) <= 1024 + 1)
  }

  @Test(
    "Addresses that prove to be there are taken in at sixteen at once and one in four seconds, and no faster")
  func proofBudget() {
    let story = flooded()
    for _ in 0..<120 {
      for number in 0..<40 { story.hear(madeUp(20_000 + number), herald) }
      story.run(milliseconds: 500)
    }
    #expect(story.count(.detections) <= 1024 + 16 + 16)
    #expect(story.count(.detections) > 1024 + 8)
  }

  @Test("While strangers are refused, one that opens a connection is known from then on")
  func caller() {
    let story = flooded()
    story.hear(madeUp(4000), herald)
    #expect(story.count(.strangersRefused) == 1)
    story.happen(.opened(ConnectionID(index: 0), .peripheral, peer: Peer.iPhone))
    #expect(story.node.core.table.find(TargetIdentity(Peer.iPhone)) != nil)
    let readings = story.count(.readings)
    story.hear(Peer.iPhone, Peer.iPhoneAdvert)
    #expect(story.count(.readings) == readings + 1)
  }

  @Test(
    "Of a peer whose payload is not known about a thousand readings are kept, then one in four seconds; the rest is counted"
  )
  func oneSender() {
    let story = Story()
    story.run(seconds: 1)
    for number in 0..<2000 {
      // One pseudo device address under ever new addresses: nobody can connect to it.
      story.hear(madeUp(number), "02 01 06 03 03 F6 FC 09 FF FA FF 01 02 03 04 05 06")
      story.run(milliseconds: 10)
    }
    #expect(story.count(.readings) >= 1000 && story.count(.readings) <= 1200)
    #expect(story.count(.readings) + story.count(.readingsRefused) == 2000)
  }

  @Test("A peer whose payload was read keeps all its readings")
  func knownPeer() {
    let story = Story()
    story.hear(Peer.android, Peer.androidAdvert)
    story.readAndroid()
    story.happen(.closed(ConnectionID(index: 0), .localHostTerminated))
    for _ in 0..<2000 {
      story.hear(Peer.android, Peer.androidAdvert)
      story.run(milliseconds: 10)
    }
    #expect(story.count(.readings) == 2001 && story.count(.readingsRefused) == 0)
  }

  @Test("HP-26 A radio that cannot connect gets to know no payload: all readings are kept")
  func onlyListening() {
    var capabilities = MockRadio.usualCapabilities
    capabilities.canConnect = false
    let story = Story(capabilities: capabilities)
    story.run(seconds: 1)
    for _ in 0..<2000 {
      story.hear(Peer.android, Peer.androidAdvert)
      story.run(milliseconds: 10)
    }
    #expect(story.count(.readings) == 2000 && story.count(.readingsRefused) == 0)
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
    let story = Story { $0.addressPeriod = .seconds(300) }
    story.run(seconds: 1)
    var own: [DeviceAddress] = []
    for _ in 0..<4 {
      own.append(story.node.core.ownAddress)
      for address in own {
        for _ in 0..<10 {
          story.hear(address, herald)
          story.hear(address, "02 01 06 09 FF FA FF 01 02 03 04 05 06")
        }
      }
      story.run(seconds: 300)
    }
    #expect(Set(own).count == 4)
    #expect(story.count(.detections) == 0 && story.count(.readings) == 0 && story.count(.attempts) == 0)
    #expect(story.node.core.table.count == 0)
    // Somebody else is a peer.
    story.hear(Peer.android, Peer.androidAdvert)
    #expect(story.count(.readings) == 1)
  }

  @Test("A known peer's advertisement under the device's own address is not taken for the peer's")
  func ownAddressOfPseudonym() {
    let story = Story()
    story.hear(Peer.android, Peer.androidAdvert)
    story.hear(story.node.core.ownAddress, Peer.androidAdvert)
    #expect(story.count(.readings) == 1)
    let place = story.node.core.table.find(Peer.androidIdentity) ?? -1
    #expect(place >= 0 && story.node.core.table[place].address == Peer.android)
  }
}
