import HeraldBluetooth
import HeraldEmbedded
import HeraldSimulation
import Testing

@Suite("Coordinator: reading a peer")
struct ReadingStories {
  @Test("HP-04 HP-05 HP-33 It scans and advertises both services as soon as the radio is ready")
  func startsUp() throws {
    let story = Story()
    let commands = story.node.radio.takeCommands()
    #expect(
      commands.contains(
        .startScanning(
          ScanParameters(
            ownAddress: story.node.core.ownAddress, interval: .milliseconds(1125), window: .milliseconds(120),
            active: false))))
    let own = story.node.core.ownAddress
    #expect(own.isResolvablePrivate)
    #expect(
      commands.contains(
        .startAdvertising(
          AdvertisingParameters(ownAddress: own, interval: .milliseconds(250), connectable: true),
          data: hex("02 01 06 03 03 F6 FC 11 07 \(Peer.longService)"), scanResponse: [])))
    #expect(story.heard() == [.state(.on)])
    #expect(story.violations.isEmpty)
  }

  @Test(
    "HP-22 HP-44 An Android phone is found, connected, read, and let go; a mock radio sees these commands and no others"
  )
  func android() {
    let story = Story()
    _ = story.commands()
    story.hear(Peer.android, Peer.androidAdvert, rssi: -61)
    #expect(
      story.commands() == [
        .connect(Peer.android, ConnectionParameters(ownAddress: story.node.core.ownAddress))
      ])
    story.readAndroid()
    #expect(story.commands() == [.disconnect(ConnectionID(index: 0))])
    story.hear(Peer.android, Peer.androidAdvert, rssi: -62)
    #expect(
      story.heard() == [
        .state(.on), .detect(Peer.androidIdentity), .measure(Peer.androidIdentity, -61),
        .read(Peer.androidIdentity, hex(Peer.payload), known: false),
        .measureWithPayload(Peer.androidIdentity, -61),
        .measure(Peer.androidIdentity, -62), .measureWithPayload(Peer.androidIdentity, -62),
      ])
    #expect(story.count(.reads) == 1)
    #expect(story.violations.isEmpty)
  }

  @Test("HP-21 HP-56 An Android phone that was read is not connected again, whatever its address does")
  func androidOnce() {
    let story = Story()
    story.hear(Peer.android, Peer.androidAdvert)
    story.readAndroid()
    _ = story.commands()
    for minute in 0..<240 {
      let address = DeviceAddress(high: 0x7000, low: UInt32(minute), kind: .random)
      story.hear(address, Peer.androidAdvert)
      story.run(seconds: 60)
    }
    #expect(story.commands().isEmpty)
    #expect(story.count(.readings) == 241)
    #expect(story.count(.detections) == 1)
  }

  @Test(
    "HP-01 A peer that refuses a longer ATT_MTU and has only the older service is read 22 bytes at a time")
  func oldPeer() {
    let story = Story()
    let payload = (0..<50).map { UInt8($0) }
    let text = { (range: Range<Int>) in
      payload[range].map { String($0, radix: 16) }
        .map { $0.count == 1 ? "0" + $0 : $0 }.joined()
    }
    story.hear(Peer.iPhone, Peer.iPhoneAdvert)
    _ = story.commands()
    story.happen(.opened(ConnectionID(index: 1), .central, peer: Peer.iPhone))
    story.exchange("02 F7 00", "01 02 00 00 06", on: 1)
    story.exchange("06 01 00 FF FF 00 28 F6 FC", "01 06 01 00 0A", on: 1)
    story.exchange("06 01 00 FF FF 00 28 \(Peer.longService)", "07 10 00 18 00", on: 1)
    story.exchange("08 10 00 18 00 03 28", "09 15 11 00 18 12 00 \(Peer.otherSignalUUID)", on: 1)
    story.exchange("08 13 00 18 00 03 28", "09 15 14 00 02 15 00 \(Peer.payloadUUID)", on: 1)
    story.exchange("08 16 00 18 00 03 28", "01 08 16 00 0A", on: 1)
    story.exchange("0A 15 00", "0B \(text(0..<22))", on: 1)
    story.exchange("0C 15 00 16 00", "0D \(text(22..<44))", on: 1)
    story.exchange("0C 15 00 2C 00", "0D \(text(44..<50))", on: 1)
    // It may not find us by itself while its application is in the background: it is told.
    story.exchange("12 12 00 01 0D 00 08 01 00 02 00 03 00 00 00 00 00 00 00", "13", on: 1)
    #expect(story.commands() == [.disconnect(ConnectionID(index: 1))])
    let identity = TargetIdentity(Peer.iPhone)
    #expect(story.heard().contains(.read(identity, payload, known: false)))
    let place = story.node.core.table.find(identity) ?? -1
    #expect(story.node.core.table[place].system == .iOS)
    #expect(story.node.core.table[place].state == .read)
  }

  @Test(
    "HP-40 A payload of a kind nobody knows is carried like any other",
    arguments: ["FF", "00", "7F 01 02 03"])
  func unknownFormat(payload: String) {
    let story = Story()
    story.hear(Peer.android, Peer.androidAdvert)
    story.readAndroid(payload: payload)
    #expect(story.heard().contains(.read(Peer.androidIdentity, hex(payload), known: false)))
  }

  @Test("HP-16 An iPhone in the background shows no service, is looked into and read")
  func hiddenPhone() {
    let story = Story()
    _ = story.commands()
    story.hear(Peer.iPhone, Peer.iPhoneBackground)
    #expect(story.commands().count == 1)
    story.readAndroid()
    #expect(story.count(.reads) == 1)
  }

  @Test(
    "HP-16 A device without the service is left alone for a minute, then longer each time up to three minutes and a half"
  )
  func noService() {
    let story = Story()
    var waits: [UInt64] = []
    var last: UInt64?
    var served = 0
    while served < 10 {
      story.hear(Peer.iPhone, Peer.iPhoneBackground)
      if story.commands().contains(where: { if case .connect = $0 { true } else { false } }) {
        if let last { waits.append((story.now.milliseconds - last) / 1000) }
        story.happen(.opened(ConnectionID(index: 0), .central, peer: Peer.iPhone))
        story.exchange("02 F7 00", "03 F7 00")
        story.exchange("06 01 00 FF FF 00 28 F6 FC", "01 06 01 00 0A")
        story.exchange("06 01 00 FF FF 00 28 \(Peer.longService)", "01 06 01 00 0A")
        #expect(story.commands() == [.disconnect(ConnectionID(index: 0))])
        last = story.now.milliseconds
        served += 1
      }
      story.run(seconds: 1)
    }
    #expect(waits == [60, 72, 87, 104, 125, 150, 180, 215, 215])
    #expect(story.count(.withoutService) == 10)
  }

  /// An iPhone in the background is connected and has no service.
  private func leaveAlone(_ story: Story) {
    story.hear(Peer.iPhone, Peer.iPhoneBackground)
    _ = story.commands()
    story.happen(.opened(ConnectionID(index: 0), .central, peer: Peer.iPhone))
    story.exchange("02 F7 00", "03 F7 00")
    story.exchange("06 01 00 FF FF 00 28 F6 FC", "01 06 01 00 0A")
    story.exchange("06 01 00 FF FF 00 28 \(Peer.longService)", "01 06 01 00 0A")
    _ = story.commands()
  }

  @Test(
    "A device that is left alone is not measured, and looked into at once when it shows the service after all"
  )
  func serviceLater() {
    let story = Story()
    leaveAlone(story)
    story.hear(Peer.iPhone, Peer.iPhoneBackground)
    story.run(seconds: 5)
    #expect(story.count(.readings) == 1)
    #expect(story.commands().isEmpty)
    story.hear(Peer.iPhone, Peer.iPhoneAdvert)
    #expect(story.commands().count == 1)
    #expect(story.count(.readings) == 2)
  }

  @Test("A device that shows the service and has none is not connected again and again")
  func falseService() {
    let story = Story()
    leaveAlone(story)
    story.hear(Peer.iPhone, Peer.iPhoneAdvert)
    story.happen(.opened(ConnectionID(index: 0), .central, peer: Peer.iPhone))
    story.exchange("02 F7 00", "03 F7 00")
    story.exchange("06 01 00 FF FF 00 28 F6 FC", "07 01 00 03 00")
    story.exchange("08 01 00 03 00 03 28", "09 15 02 00 08 03 00 \(Peer.signalUUID)")
    story.exchange("06 04 00 FF FF 00 28 F6 FC", "01 06 04 00 0A")
    story.exchange("06 01 00 FF FF 00 28 \(Peer.longService)", "01 06 01 00 0A")
    #expect(story.commands() == [.disconnect(ConnectionID(index: 0))])
    #expect(story.count(.withoutService) == 2)
    for _ in 0..<71 {
      story.run(seconds: 1)
      story.hear(Peer.iPhone, Peer.iPhoneAdvert)
    }
    #expect(story.commands().isEmpty)
    story.run(seconds: 1)
    story.hear(Peer.iPhone, Peer.iPhoneAdvert)
    #expect(story.commands().count == 1)
  }

  @Test("HP-26 Every advertisement's strength is reported in order, none averaged, however they come")
  func everyReading() {
    let story = Story()
    story.hear(Peer.android, Peer.androidAdvert, rssi: -40)
    story.readAndroid()
    _ = story.heard()
    var expected: [Int8] = []
    for number in 0..<1000 {
      let rssi = Int8(-30 - number % 70)
      expected.append(rssi)
      story.node.radio.happen(
        .advertisement(Peer.android, RSSI(rssi), .connectable, hex(Peer.androidAdvert)))
      if number % 7 == 0 { story.poll() }
    }
    story.poll()
    let measured = story.heard().compactMap { if case .measure(_, let rssi) = $0 { rssi } else { nil } }
    #expect(measured == expected)
    #expect(story.count(.readings) == 1001)
  }

  @Test("An advertisement whose strength the radio cannot tell is no reading")
  func noStrength() {
    let story = Story()
    story.hear(Peer.android, Peer.androidAdvert, rssi: 127)
    #expect(story.count(.readings) == 0)
    #expect(story.count(.advertsWithoutStrength) == 1)
    #expect(story.heard() == [.state(.on), .detect(Peer.androidIdentity)])
  }

  @Test("HP-27 An advertised transmit power is reported when it changes")
  func txPower() {
    let story = Story()
    let identity = TargetIdentity(Peer.iPhone)
    story.hear(Peer.iPhone, Peer.iPhoneAdvert)
    story.hear(Peer.iPhone, Peer.iPhoneAdvert)
    story.hear(Peer.iPhone, Peer.iPhoneAdvert.replacing("02 0A 0C", with: "02 0A F8"))
    let powers = story.heard().compactMap { if case .txPower(_, let power) = $0 { power } else { nil } }
    #expect(powers == [12, -8])
    #expect(story.node.core.table.find(identity) != nil)
  }

  @Test("HP-03 HP-57 A payload already known under a new address is told as known")
  func newAddress() {
    let story = Story()
    let second = DeviceAddress(high: 0x4444, low: 7, kind: .random)
    story.hear(Peer.iPhone, Peer.iPhoneAdvert)
    story.readAndroid()
    story.hear(second, Peer.iPhoneAdvert)
    story.readAndroid()
    let reads = story.heard().compactMap { (event: Heard) -> Bool? in
      if case .read(_, _, let known) = event { known } else { nil }
    }
    #expect(reads == [false, true])
    #expect(story.count(.readsOfKnown) == 1)
  }

  @Test("HP-15 A pseudo device address is the identity, and the connection goes to the newest address")
  func pseudoAddress() {
    let story = Story(
      capabilities: {
        var capabilities = MockRadio.usualCapabilities
        capabilities.canConnect = false
        return capabilities
      }())
    story.hear(Peer.android, Peer.androidAdvert)
    let second = DeviceAddress(high: 0x4444, low: 7, kind: .random)
    story.hear(second, Peer.androidAdvert)
    #expect(story.count(.detections) == 1)
    let place = story.node.core.table.find(Peer.androidIdentity) ?? -1
    #expect(story.node.core.table[place].address == second)
    #expect(story.commands().isEmpty)
  }

  @Test("An address that changes during the connection does not disturb the exchange")
  func rotationDuringConnection() {
    let story = Story()
    story.hear(Peer.android, Peer.androidAdvert)
    _ = story.commands()
    story.happen(.opened(ConnectionID(index: 0), .central, peer: Peer.android))
    story.exchange("02 F7 00", "03 F7 00")
    story.hear(DeviceAddress(high: 0x4444, low: 7, kind: .random), Peer.androidAdvert)
    story.exchange("06 01 00 FF FF 00 28 F6 FC", "07 28 00 2C 00")
    story.exchange(
      "08 28 00 2C 00 03 28", "09 15 29 00 08 2A 00 \(Peer.signalUUID) 2B 00 02 2C 00 \(Peer.payloadUUID)")
    story.exchange("0A 2C 00", "0B \(Peer.payload)")
    #expect(story.count(.reads) == 1)
    #expect(story.count(.attempts) == 1)
  }

  @Test("A device that takes no connections is measured and not connected to")
  func notConnectable() {
    let story = Story()
    _ = story.commands()
    story.hear(Peer.android, Peer.androidAdvert, kind: .legacy)
    #expect(story.commands().isEmpty)
    #expect(story.count(.readings) == 1)
  }

  @Test("A device that is neither Herald nor Apple's is not tracked")
  func stranger() {
    let story = Story()
    story.hear(Peer.android, "02 01 06 03 03 0D 18")
    #expect(story.count(.adverts) == 1)
    #expect(story.count(.readings) == 0)
    #expect(story.node.core.table.count == 0)
  }

  @Test("HP-19 A silent peer that a message waits for is lost soon after the message is given up")
  func ageingAfterMessage() {
    let story = Story { $0.expiry = .seconds(40) }
    story.hear(Peer.android, Peer.androidAdvert)
    story.readAndroid()
    story.happen(.closed(ConnectionID(index: 0), .localHostTerminated))
    story.run(seconds: 21)
    #expect(story.send([1], to: Peer.androidIdentity) == nil)
    _ = story.heard()
    // The message is given up a minute later, when the peer has been silent for 81 s.
    story.run(seconds: 59)
    #expect(story.count(.messagesLost) == 0)
    #expect(story.heard().isEmpty)
    story.run(seconds: 2)
    #expect(story.count(.messagesLost) == 1)
    // An attempt to connect may still be under way.
    story.run(seconds: 12)
    #expect(story.heard() == [.lose(Peer.androidIdentity)])
  }

  @Test("HP-19 A peer that is silent for fifteen minutes is lost")
  func ageing() {
    let story = Story()
    story.hear(Peer.android, Peer.androidAdvert)
    story.readAndroid()
    _ = story.heard()
    story.run(seconds: 899)
    #expect(story.heard().isEmpty)
    story.run(seconds: 1)
    #expect(story.heard() == [.lose(Peer.androidIdentity)])
    #expect(story.node.core.table.count == 0)
  }
}
