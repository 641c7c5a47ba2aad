import HeraldBluetooth
import HeraldEmbedded
import HeraldSimulation
import Testing

@Suite("Coordinator: reading a peer")
struct PeerReadingTests {
  @Test("HP-04 HP-05 HP-33 It scans and advertises both services as soon as the radio is ready")
  func startsUp() throws {
    let scenario = Scenario()
    let commands = scenario.node.radio.takeCommands()
    #expect(
      commands.contains(
        .startScanning(
          ScanParameters(
            ownAddress: scenario.node.core.ownAddress, interval: .milliseconds(1125),
            window: .milliseconds(120),
            active: false))))
    let own = scenario.node.core.ownAddress
    #expect(own.isResolvablePrivate)
    #expect(
      commands.contains(
        .startAdvertising(
          AdvertisingParameters(ownAddress: own, interval: .milliseconds(250), connectable: true),
          data: hex("02 01 06 03 03 F6 FC 11 07 \(Peer.longService)"), scanResponse: [])))
    #expect(scenario.heard() == [.state(.on)])
    #expect(scenario.violations.isEmpty)
  }

  @Test(
    "HP-22 HP-44 An Android phone is found, connected, read, and let go; a mock radio sees these commands and no others"
  )
  func android() {
    let scenario = Scenario()
    _ = scenario.commands()
    scenario.hear(Peer.android, Peer.androidAdvert, rssi: -61)
    #expect(
      scenario.commands() == [
        .connect(Peer.android, ConnectionParameters(ownAddress: scenario.node.core.ownAddress))
      ])
    scenario.readAndroid()
    #expect(scenario.commands() == [.disconnect(ConnectionID(index: 0))])
    scenario.hear(Peer.android, Peer.androidAdvert, rssi: -62)
    #expect(
      scenario.heard() == [
        .state(.on), .detect(Peer.androidIdentity), .measure(Peer.androidIdentity, -61),
        .read(Peer.androidIdentity, hex(Peer.payload), known: false),
        .measureWithPayload(Peer.androidIdentity, -61),
        .measure(Peer.androidIdentity, -62), .measureWithPayload(Peer.androidIdentity, -62),
      ])
    #expect(scenario.count(.reads) == 1)
    #expect(scenario.violations.isEmpty)
  }

  @Test("HP-21 HP-56 An Android phone that was read is not connected again, whatever its address does")
  func androidOnce() {
    let scenario = Scenario()
    scenario.hear(Peer.android, Peer.androidAdvert)
    scenario.readAndroid()
    _ = scenario.commands()
    for minute in 0..<240 {
      let address = DeviceAddress(high: 0x7000, low: UInt32(minute), kind: .random)
      scenario.hear(address, Peer.androidAdvert)
      scenario.run(seconds: 60)
    }
    #expect(scenario.commands().isEmpty)
    #expect(scenario.count(.readings) == 241)
    #expect(scenario.count(.detections) == 1)
  }

  @Test(
    "HP-01 A peer that refuses a longer ATT_MTU and has only the older service is read 22 bytes at a time")
  func oldPeer() {
    let scenario = Scenario()
    let payload = (0..<50).map { UInt8($0) }
    let text = { (range: Range<Int>) in
      payload[range].map { String($0, radix: 16) }
        .map { $0.count == 1 ? "0" + $0 : $0 }.joined()
    }
    scenario.hear(Peer.iPhone, Peer.iPhoneAdvert)
    _ = scenario.commands()
    scenario.happen(.opened(ConnectionID(index: 1), .central, peer: Peer.iPhone))
    scenario.exchange("02 F7 00", "01 02 00 00 06", on: 1)
    scenario.exchange("06 01 00 FF FF 00 28 F6 FC", "01 06 01 00 0A", on: 1)
    scenario.exchange("06 01 00 FF FF 00 28 \(Peer.longService)", "07 10 00 18 00", on: 1)
    scenario.exchange("08 10 00 18 00 03 28", "09 15 11 00 18 12 00 \(Peer.otherSignalUUID)", on: 1)
    scenario.exchange("08 13 00 18 00 03 28", "09 15 14 00 02 15 00 \(Peer.payloadUUID)", on: 1)
    scenario.exchange("08 16 00 18 00 03 28", "01 08 16 00 0A", on: 1)
    scenario.exchange("0A 15 00", "0B \(text(0..<22))", on: 1)
    scenario.exchange("0C 15 00 16 00", "0D \(text(22..<44))", on: 1)
    scenario.exchange("0C 15 00 2C 00", "0D \(text(44..<50))", on: 1)
    // It may not find us by itself while its application is in the background: it is told.
    scenario.exchange("12 12 00 01 0D 00 08 01 00 02 00 03 00 00 00 00 00 00 00", "13", on: 1)
    #expect(scenario.commands() == [.disconnect(ConnectionID(index: 1))])
    let identity = TargetIdentity(Peer.iPhone)
    #expect(scenario.heard().contains(.read(identity, payload, known: false)))
    let place = scenario.node.core.table.find(identity) ?? -1
    #expect(scenario.node.core.table[place].system == .iOS)
    #expect(scenario.node.core.table[place].state == .read)
  }

  @Test(
    "HP-40 A payload of a kind nobody knows is carried like any other",
    arguments: ["FF", "00", "7F 01 02 03"])
  func unknownFormat(payload: String) {
    let scenario = Scenario()
    scenario.hear(Peer.android, Peer.androidAdvert)
    scenario.readAndroid(payload: payload)
    #expect(scenario.heard().contains(.read(Peer.androidIdentity, hex(payload), known: false)))
  }

  @Test("HP-16 An iPhone in the background shows no service, is looked into and read")
  func hiddenPhone() {
    let scenario = Scenario()
    _ = scenario.commands()
    scenario.hear(Peer.iPhone, Peer.iPhoneBackground)
    #expect(scenario.commands().count == 1)
    scenario.readAndroid()
    #expect(scenario.count(.reads) == 1)
  }

  @Test(
    "HP-16 A device without the service is left alone for a minute, then longer each time up to three minutes and a half"
  )
  func noService() {
    let scenario = Scenario()
    var waits: [UInt64] = []
    var last: UInt64?
    var served = 0
    while served < 10 {
      scenario.hear(Peer.iPhone, Peer.iPhoneBackground)
      if scenario.commands().contains(where: { if case .connect = $0 { true } else { false } }) {
        if let last { waits.append((scenario.now.milliseconds - last) / 1000) }
        scenario.happen(.opened(ConnectionID(index: 0), .central, peer: Peer.iPhone))
        scenario.exchange("02 F7 00", "03 F7 00")
        scenario.exchange("06 01 00 FF FF 00 28 F6 FC", "01 06 01 00 0A")
        scenario.exchange("06 01 00 FF FF 00 28 \(Peer.longService)", "01 06 01 00 0A")
        #expect(scenario.commands() == [.disconnect(ConnectionID(index: 0))])
        last = scenario.now.milliseconds
        served += 1
      }
      scenario.run(seconds: 1)
    }
    #expect(waits == [60, 72, 87, 104, 125, 150, 180, 215, 215])
    #expect(scenario.count(.withoutService) == 10)
  }

  /// An iPhone in the background is connected and has no service.
  private func leaveAlone(_ scenario: Scenario) {
    scenario.hear(Peer.iPhone, Peer.iPhoneBackground)
    _ = scenario.commands()
    scenario.happen(.opened(ConnectionID(index: 0), .central, peer: Peer.iPhone))
    scenario.exchange("02 F7 00", "03 F7 00")
    scenario.exchange("06 01 00 FF FF 00 28 F6 FC", "01 06 01 00 0A")
    scenario.exchange("06 01 00 FF FF 00 28 \(Peer.longService)", "01 06 01 00 0A")
    _ = scenario.commands()
  }

  @Test(
    "A device that is left alone is not measured, and looked into at once when it shows the service after all"
  )
  func serviceLater() {
    let scenario = Scenario()
    leaveAlone(scenario)
    scenario.hear(Peer.iPhone, Peer.iPhoneBackground)
    scenario.run(seconds: 5)
    #expect(scenario.count(.readings) == 1)
    #expect(scenario.commands().isEmpty)
    scenario.hear(Peer.iPhone, Peer.iPhoneAdvert)
    #expect(scenario.commands().count == 1)
    #expect(scenario.count(.readings) == 2)
  }

  @Test("A device that shows the service and has none is not connected again and again")
  func falseService() {
    let scenario = Scenario()
    leaveAlone(scenario)
    scenario.hear(Peer.iPhone, Peer.iPhoneAdvert)
    scenario.happen(.opened(ConnectionID(index: 0), .central, peer: Peer.iPhone))
    scenario.exchange("02 F7 00", "03 F7 00")
    scenario.exchange("06 01 00 FF FF 00 28 F6 FC", "07 01 00 03 00")
    scenario.exchange("08 01 00 03 00 03 28", "09 15 02 00 08 03 00 \(Peer.signalUUID)")
    scenario.exchange("06 04 00 FF FF 00 28 F6 FC", "01 06 04 00 0A")
    scenario.exchange("06 01 00 FF FF 00 28 \(Peer.longService)", "01 06 01 00 0A")
    #expect(scenario.commands() == [.disconnect(ConnectionID(index: 0))])
    #expect(scenario.count(.withoutService) == 2)
    for _ in 0..<71 {
      scenario.run(seconds: 1)
      scenario.hear(Peer.iPhone, Peer.iPhoneAdvert)
    }
    #expect(scenario.commands().isEmpty)
    scenario.run(seconds: 1)
    scenario.hear(Peer.iPhone, Peer.iPhoneAdvert)
    #expect(scenario.commands().count == 1)
  }

  @Test("HP-26 Every advertisement's RSSI is reported in order, none averaged, however they come")
  func everyReading() {
    let scenario = Scenario()
    scenario.hear(Peer.android, Peer.androidAdvert, rssi: -40)
    scenario.readAndroid()
    _ = scenario.heard()
    var expected: [Int8] = []
    for number in 0..<1000 {
      let rssi = Int8(-30 - number % 70)
      expected.append(rssi)
      scenario.node.radio.happen(
        .advertisement(Peer.android, RSSI(rssi), .connectable, hex(Peer.androidAdvert)))
      if number % 7 == 0 { scenario.poll() }
    }
    scenario.poll()
    let measured = scenario.heard().compactMap { if case .measure(_, let rssi) = $0 { rssi } else { nil } }
    #expect(measured == expected)
    #expect(scenario.count(.readings) == 1001)
  }

  @Test("An advertisement whose RSSI the radio cannot tell is no reading")
  func noStrength() {
    let scenario = Scenario()
    scenario.hear(Peer.android, Peer.androidAdvert, rssi: 127)
    #expect(scenario.count(.readings) == 0)
    #expect(scenario.count(.advertsWithoutStrength) == 1)
    #expect(scenario.heard() == [.state(.on), .detect(Peer.androidIdentity)])
  }

  @Test("HP-27 An advertised transmit power is reported when it changes")
  func txPower() {
    let scenario = Scenario()
    let identity = TargetIdentity(Peer.iPhone)
    scenario.hear(Peer.iPhone, Peer.iPhoneAdvert)
    scenario.hear(Peer.iPhone, Peer.iPhoneAdvert)
    scenario.hear(Peer.iPhone, Peer.iPhoneAdvert.replacing("02 0A 0C", with: "02 0A F8"))
    let powers = scenario.heard().compactMap { if case .txPower(_, let power) = $0 { power } else { nil } }
    #expect(powers == [12, -8])
    #expect(scenario.node.core.table.find(identity) != nil)
  }

  @Test("HP-03 HP-57 A payload already known under a new address is reported as known")
  func newAddress() {
    let scenario = Scenario()
    let second = DeviceAddress(high: 0x4444, low: 7, kind: .random)
    scenario.hear(Peer.iPhone, Peer.iPhoneAdvert)
    scenario.readAndroid()
    scenario.hear(second, Peer.iPhoneAdvert)
    scenario.readAndroid()
    let reads = scenario.heard().compactMap { (event: Heard) -> Bool? in
      if case .read(_, _, let known) = event { known } else { nil }
    }
    #expect(reads == [false, true])
    #expect(scenario.count(.readsOfKnown) == 1)
  }

  @Test("HP-15 A pseudo device address is the identity, and the connection goes to the newest address")
  func pseudoAddress() {
    let scenario = Scenario(
      capabilities: {
        var capabilities = MockRadio.usualCapabilities
        capabilities.canConnect = false
        return capabilities
      }())
    scenario.hear(Peer.android, Peer.androidAdvert)
    let second = DeviceAddress(high: 0x4444, low: 7, kind: .random)
    scenario.hear(second, Peer.androidAdvert)
    #expect(scenario.count(.detections) == 1)
    let place = scenario.node.core.table.find(Peer.androidIdentity) ?? -1
    #expect(scenario.node.core.table[place].address == second)
    #expect(scenario.commands().isEmpty)
  }

  @Test("An address that changes during the connection does not disturb the exchange")
  func rotationDuringConnection() {
    let scenario = Scenario()
    scenario.hear(Peer.android, Peer.androidAdvert)
    _ = scenario.commands()
    scenario.happen(.opened(ConnectionID(index: 0), .central, peer: Peer.android))
    scenario.exchange("02 F7 00", "03 F7 00")
    scenario.hear(DeviceAddress(high: 0x4444, low: 7, kind: .random), Peer.androidAdvert)
    scenario.exchange("06 01 00 FF FF 00 28 F6 FC", "07 28 00 2C 00")
    scenario.exchange(
      "08 28 00 2C 00 03 28", "09 15 29 00 08 2A 00 \(Peer.signalUUID) 2B 00 02 2C 00 \(Peer.payloadUUID)")
    scenario.exchange("0A 2C 00", "0B \(Peer.payload)")
    #expect(scenario.count(.reads) == 1)
    #expect(scenario.count(.attempts) == 1)
  }

  @Test("A device that takes no connections is measured and not connected to")
  func notConnectable() {
    let scenario = Scenario()
    _ = scenario.commands()
    scenario.hear(Peer.android, Peer.androidAdvert, kind: .legacy)
    #expect(scenario.commands().isEmpty)
    #expect(scenario.count(.readings) == 1)
  }

  @Test("A device that is neither Herald nor Apple's is not tracked")
  func stranger() {
    let scenario = Scenario()
    scenario.hear(Peer.android, "02 01 06 03 03 0D 18")
    #expect(scenario.count(.adverts) == 1)
    #expect(scenario.count(.readings) == 0)
    #expect(scenario.node.core.table.count == 0)
  }

  @Test("HP-19 A silent peer that a message waits for is lost soon after the message is given up")
  func ageingAfterMessage() {
    let scenario = Scenario { $0.expiry = .seconds(40) }
    scenario.hear(Peer.android, Peer.androidAdvert)
    scenario.readAndroid()
    scenario.happen(.closed(ConnectionID(index: 0), .localHostTerminated))
    scenario.run(seconds: 21)
    #expect(scenario.send([1], to: Peer.androidIdentity) == nil)
    _ = scenario.heard()
    // The message is given up a minute later, when the peer has been silent for 81 s.
    scenario.run(seconds: 59)
    #expect(scenario.count(.messagesLost) == 0)
    #expect(scenario.heard().isEmpty)
    scenario.run(seconds: 2)
    #expect(scenario.count(.messagesLost) == 1)
    // An attempt to connect may still be under way.
    scenario.run(seconds: 12)
    #expect(scenario.heard() == [.lose(Peer.androidIdentity)])
  }

  @Test("HP-19 A peer that is silent for fifteen minutes is lost")
  func ageing() {
    let scenario = Scenario()
    scenario.hear(Peer.android, Peer.androidAdvert)
    scenario.readAndroid()
    _ = scenario.heard()
    scenario.run(seconds: 899)
    #expect(scenario.heard().isEmpty)
    scenario.run(seconds: 1)
    #expect(scenario.heard() == [.lose(Peer.androidIdentity)])
    #expect(scenario.node.core.table.count == 0)
  }
}
