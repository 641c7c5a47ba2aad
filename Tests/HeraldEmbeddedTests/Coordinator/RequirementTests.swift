import HeraldBluetooth
import HeraldCrypto
import HeraldEmbedded
import HeraldSimulation
import Testing

/// Requirements that only the whole node can keep.
@Suite("Coordinator: requirements")
struct RequirementTests {
  private func open(_ scenario: Scenario, _ index: Int = 0) {
    scenario.happen(.opened(ConnectionID(index: index), .peripheral, peer: Peer.iPhone))
    _ = scenario.node.radio.takeCommands()
  }

  private func ask(_ scenario: Scenario, _ request: String, on index: Int = 0) -> [UInt8] {
    scenario.happen(.pdu(hex(request), on: ConnectionID(index: index)))
    return scenario.answers().first ?? []
  }

  /// A radio whose PDUs have 23 bytes, and that does one thing at a time.
  private static var oldRadio: RadioCapabilities {
    RadioCapabilities(
      canAdvertise: true, canAdvertiseWhileConnected: false, canScanWhileConnecting: false, canConnect: true,
      connections: 1, maximumPDU: 23, publicAddress: .zero)
  }

  @Test(
    "HP-01 With PDUs of 23 bytes and one connection a peer is found, read and let go, without asking for more"
  )
  func oldRadioReads() {
    let scenario = Scenario(capabilities: Self.oldRadio)
    scenario.run(seconds: 5)
    scenario.hear(Peer.android, Peer.androidAdvert)
    #expect(scenario.node.radio.connecting == Peer.android)
    _ = scenario.commands()
    scenario.happen(.opened(ConnectionID(index: 0), .central, peer: Peer.android))
    scenario.exchange("06 01 00 FF FF 00 28 F6 FC", "07 28 00 2C 00")
    scenario.exchange("08 28 00 2C 00 03 28", "09 15 29 00 08 2A 00 \(Peer.signalUUID)")
    scenario.exchange("08 2B 00 2C 00 03 28", "09 15 2B 00 02 2C 00 \(Peer.payloadUUID)")
    scenario.exchange("0A 2C 00", "0B 10 3A 03 00 00 A1 A2 A3 A4 A5 A6 A7 A8 A9 AA AB AC AD AE AF B0 B1")
    scenario.exchange("0C 2C 00 16 00", "0D B2 B3")
    #expect(scenario.count(.reads) == 1)
    #expect(scenario.commands() == [.disconnect(ConnectionID(index: 0))])
    #expect(scenario.violations.isEmpty)
  }

  @Test(
    "HP-01 With PDUs of 23 bytes everything a peer asks is answered in them: discovery, payload, signals in pieces"
  )
  func oldRadioServes() {
    let payload = (0..<60).map { UInt8($0) }
    let scenario = Scenario(capabilities: Self.oldRadio, payload: payload)
    open(scenario)
    var answers = [
      ask(scenario, "02 05 02"), ask(scenario, "10 01 00 FF FF 00 28"), ask(scenario, "08 0C 00 10 00 03 28"),
    ]
    #expect(answers[0] == hex("03 17 00"))
    var read: [UInt8] = []
    while read.count < 60 {
      let request =
        read.isEmpty ? "0A 10 00" : "0C 10 00 \(String(read.count + 0x100, radix: 16).dropFirst()) 00"
      let answer = ask(scenario, request)
      guard answer.count > 1 else { break }
      answers.append(answer)
      read += answer.dropFirst()
    }
    #expect(read == payload)
    answers.append(ask(scenario, "12 0E 00 02 C8 FF"))
    #expect(answers.last == hex("13"))
    #expect(answers.allSatisfy { !$0.isEmpty && $0.count <= 23 && $0[0] != 0x01 })
  }

  @Test(
    "HP-05 HP-33 A peer that connects discovers both services, and in each the signal and the payload characteristic"
  )
  func discovery() {
    let scenario = Scenario()
    open(scenario)
    #expect(ask(scenario, "02 F7 00") == hex("03 F7 00"))
    #expect(ask(scenario, "06 01 00 FF FF 00 28 \(Peer.longService)") == hex("07 0C 00 10 00"))
    #expect(ask(scenario, "06 01 00 FF FF 00 28 F6 FC") == hex("07 11 00 15 00"))
    for (first, range) in [(0x0C, "0C 00 10 00"), (0x11, "11 00 15 00")] {
      let handle = { (offset: Int) in String(first + offset + 0x100, radix: 16).dropFirst() }
      #expect(
        ask(scenario, "08 \(range) 03 28")
          == hex(
            "09 15 \(handle(1)) 00 08 \(handle(2)) 00 \(Peer.signalUUID) "
              + "\(handle(3)) 00 02 \(handle(4)) 00 \(Peer.payloadUUID)"))
    }
  }

  @Test("HP-11 HP-14 An address that changes every 30 s takes the pseudo device address with it, in one step")
  func shortLivedIdentity() {
    let scenario = Scenario { $0.addressPeriod = .seconds(30) }
    scenario.run(seconds: 300)
    var shown: [(at: UInt64, address: DeviceAddress, pseudo: [UInt8])] = []
    for record in scenario.node.radio.commands {
      guard case .startAdvertising(let parameters, let data, _) = record.command else { continue }
      #expect(Array(data[21..<25]) == hex("09 FF FA FF"))
      if let last = shown.last {
        #expect((parameters.ownAddress == last.address) == (Array(data[25...]) == last.pseudo))
      }
      shown.append((record.time.milliseconds, parameters.ownAddress, Array(data[25...])))
    }
    #expect(Set(shown.map(\.address)).count == 11 && Set(shown.map(\.pseudo)).count == 11)
    #expect(Set(shown.map(\.at)) == Set((0...10).map { $0 * 30_000 }))
  }

  @Test("HP-16 How long a device is left alone starts over once it has shown the service on a connection")
  func ignoreReset() {
    let scenario = Scenario()
    func meet(hasService: Bool) -> UInt64 {
      while scenario.node.radio.connecting == nil {
        scenario.hear(Peer.iPhone, Peer.iPhoneBackground)
        if scenario.node.radio.connecting == nil { scenario.run(seconds: 1) }
      }
      _ = scenario.commands()
      scenario.happen(.opened(ConnectionID(index: 0), .central, peer: Peer.iPhone))
      scenario.exchange("02 F7 00", "03 F7 00")
      if hasService {
        scenario.exchange("06 01 00 FF FF 00 28 F6 FC", "07 28 00 2C 00")
        scenario.exchange(
          "08 28 00 2C 00 03 28",
          "09 15 29 00 18 2A 00 \(Peer.otherSignalUUID) 2B 00 02 2C 00 \(Peer.payloadUUID)")
        scenario.exchange("0A 2C 00", "01 0A 2C 00 0E")
      } else {
        scenario.exchange("06 01 00 FF FF 00 28 F6 FC", "01 06 01 00 0A")
        scenario.exchange("06 01 00 FF FF 00 28 \(Peer.longService)", "01 06 01 00 0A")
      }
      scenario.run(milliseconds: 0)
      return scenario.now.milliseconds / 1000
    }
    let first = meet(hasService: false)
    let second = meet(hasService: false)
    let third = meet(hasService: true)
    #expect([second - first, third - second] == [60, 72])
    let fourth = meet(hasService: false)
    let fifth = meet(hasService: false)
    #expect(fifth - fourth == 60)
  }

  @Test(
    "HP-17 A target's record says how far the acquaintance got, what the peer supports and when it was last heard"
  )
  func record() {
    let scenario = Scenario()
    func target() -> Target {
      scenario.node.core.table[scenario.node.core.table.find(TargetIdentity(Peer.iPhone)) ?? 0]
    }
    scenario.hear(Peer.iPhone, Peer.iPhoneBackground, rssi: -70)
    #expect(target().state == .candidate && !target().showedService && target().system == .unknown)
    #expect(target().lastRSSI == RSSI(-70) && target().txPower == 12)
    scenario.hear(Peer.iPhone, Peer.iPhoneAdvert, rssi: -71)
    #expect(target().state == .advertised && target().showedService && target().owesWork)
    _ = scenario.commands()
    scenario.happen(.opened(ConnectionID(index: 0), .central, peer: Peer.iPhone))
    #expect(target().isHeld)
    scenario.exchange("02 F7 00", "03 F7 00")
    scenario.exchange("06 01 00 FF FF 00 28 F6 FC", "07 28 00 2C 00")
    scenario.exchange(
      "08 28 00 2C 00 03 28",
      "09 15 29 00 18 2A 00 \(Peer.otherSignalUUID) 2B 00 02 2C 00 \(Peer.payloadUUID)")
    #expect(target().state == .confirmed && target().system == .iOS && target().payloadDigest == 0)
    scenario.exchange("0A 2C 00", "0B \(Peer.payload)")
    #expect(target().state == .read && target().failures == 0)
    // The first eight bytes of the SHA-256 of the payload, least significant first.
    let digest = SHA256.digest(of: hex(Peer.payload).span)
    #expect(
      (0..<8).allSatisfy {
        UInt8(truncatingIfNeeded: target().payloadDigest >> (8 * UInt64($0))) == digest[$0]
      })
    scenario.run(seconds: 5)
    scenario.hear(Peer.iPhone, Peer.iPhoneAdvert, rssi: -60)
    #expect(
      target().lastSeen(at: scenario.now) == scenario.now && target().lastRSSI == RSSI(-60)
        && target().readings == 3)
  }

  @Test("HP-17 A peer that fails is on record with how often, and until when it is left alone")
  func failures() {
    let scenario = Scenario()
    scenario.hear(Peer.android, Peer.androidAdvert)
    scenario.run(seconds: 8)
    let place = scenario.node.core.table.find(Peer.androidIdentity) ?? 0
    #expect(scenario.node.core.table[place].failures == 1)
    let retryAt = scenario.node.core.table[place].retryAt.milliseconds
    #expect((12_000...13_100).contains(retryAt))
    #expect(scenario.node.core.table[place].state == .advertised)
  }

  @Test("HP-21 A payload is read once, however long the phone stays and whatever it shows")
  func readOnce() {
    let scenario = Scenario { $0.sharesPayloads = false }
    scenario.node.radio.responder = nil
    var reads = 0
    for second in 0..<7200 {
      scenario.hear(Peer.android, Peer.androidAdvert)
      if scenario.node.radio.connecting != nil {
        scenario.readAndroid()
        reads += 1
      }
      if second % 600 == 0 { _ = scenario.node.radio.takeCommands() }
      scenario.run(seconds: 1)
    }
    #expect(reads == 1)
    #expect(scenario.count(.reads) == 1 && scenario.count(.attempts) == 1)
    #expect(scenario.count(.readings) == 7200)
  }

  @Test(
    "HP-22 Nothing but what is needed is asked, and the connection is closed in the moment the payload is there"
  )
  func shortConnection() {
    let scenario = Scenario()
    scenario.hear(Peer.android, Peer.androidAdvert)
    _ = scenario.commands()
    scenario.happen(.opened(ConnectionID(index: 0), .central, peer: Peer.android))
    scenario.exchange("02 F7 00", "03 F7 00")
    scenario.exchange("06 01 00 FF FF 00 28 F6 FC", "07 28 00 2C 00")
    scenario.exchange(
      "08 28 00 2C 00 03 28",
      "09 15 29 00 08 2A 00 \(Peer.signalUUID) 2B 00 02 2C 00 \(Peer.payloadUUID)")
    scenario.exchange("0A 2C 00", "0B \(Peer.payload)")
    #expect(scenario.commands() == [.disconnect(ConnectionID(index: 0))])
    #expect(scenario.now == .start)
    #expect(scenario.node.radio.open.isEmpty)
  }

  @Test("HP-26 Every RSSI is in the log, in order, with its time, also those of one millisecond")
  func everyStrengthLogged() {
    let scenario = Scenario()
    var expected: [String] = []
    for number in 0..<500 {
      let rssi = Int8(-30 - number % 60)
      scenario.hear(Peer.android, Peer.androidAdvert, rssi: rssi)
      expected.append("\(scenario.now.milliseconds) measure android \(rssi)")
      if number % 3 != 0 { scenario.run(milliseconds: UInt64(number % 5) * 10) }
    }
    #expect(scenario.log().filter { $0.contains(" measure ") } == expected)
  }

  @Test("HP-27 Each change of the advertised TxPower is in the log with its time, and no repetition is")
  func txPowerLogged() {
    let scenario = Scenario()
    for power in ["0C", "0C", "F8", "F8", "0C"] {
      scenario.hear(Peer.iPhone, Peer.iPhoneAdvert.replacing("02 0A 0C", with: "02 0A " + power))
      scenario.hear(Peer.iPhone, "02 01 1A 03 03 F6 FC")  // without one: no change
      scenario.run(seconds: 1)
    }
    #expect(
      scenario.log().filter { $0.contains("txPower") } == [
        "0 txPower iPhone 12", "2000 txPower iPhone -8", "4000 txPower iPhone 12",
      ])
  }
}
