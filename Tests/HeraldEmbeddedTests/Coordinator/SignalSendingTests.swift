import HeraldBluetooth
import HeraldEmbedded
import HeraldSimulation
import Testing

extension Scenario {
  /// An iPhone with its application in the foreground takes the connection and answers up to the payload,
  /// which is read.
  func readIPhone(
    on connection: Int = 0, mtu: String = "B9 00", address: DeviceAddress = Peer.iPhone,
    payload: String = Peer.payload, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    _ = commands()
    happen(.opened(ConnectionID(index: connection), .central, peer: address))
    exchange("02 F7 00", "03 \(mtu)", on: connection, sourceLocation: sourceLocation)
    exchange("06 01 00 FF FF 00 28 F6 FC", "07 10 00 18 00", on: connection, sourceLocation: sourceLocation)
    exchange(
      "08 10 00 18 00 03 28", "09 15 11 00 18 12 00 \(Peer.otherSignalUUID)", on: connection,
      sourceLocation: sourceLocation)
    exchange(
      "08 13 00 18 00 03 28", "09 15 14 00 02 15 00 \(Peer.payloadUUID)", on: connection,
      sourceLocation: sourceLocation)
    exchange("08 16 00 18 00 03 28", "01 08 16 00 0A", on: connection, sourceLocation: sourceLocation)
    exchange("0A 15 00", "0B \(payload)", on: connection, sourceLocation: sourceLocation)
  }

  /// An Android phone takes another connection, of which only the characteristics are needed.
  func meetAndroid(
    on connection: Int = 0, mtu: String = "00 02", address: DeviceAddress = Peer.android,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    _ = commands()
    happen(.opened(ConnectionID(index: connection), .central, peer: address))
    exchange("02 F7 00", "03 \(mtu)", on: connection, sourceLocation: sourceLocation)
    exchange(
      "06 01 00 FF FF 00 28 F6 FC", "07 28 00 2C 00", on: connection, sourceLocation: sourceLocation)
    exchange(
      "08 28 00 2C 00 03 28", "09 15 29 00 08 2A 00 \(Peer.signalUUID)", on: connection,
      sourceLocation: sourceLocation)
    exchange(
      "08 2B 00 2C 00 03 28", "09 15 2B 00 02 2C 00 \(Peer.payloadUUID)", on: connection,
      sourceLocation: sourceLocation)
  }

  /// Sends a message; what the device said to that.
  func send(_ message: [UInt8], to target: TargetIdentity) -> ImmediateSendError? {
    do throws(ImmediateSendError) {
      try node.core.sendImmediately(message.span, to: target, at: now)
      return nil
    } catch {
      return error
    }
  }
}

@Suite("Coordinator: sending signal messages")
struct SignalSendingTests {
  static let mute = RadioCapabilities(
    canAdvertise: false, canAdvertiseWhileConnected: false, canScanWhileConnecting: true, canConnect: true,
    connections: 4, maximumPDU: 247, publicAddress: .zero)
  static let closed = [MockRadio.Command.disconnect(ConnectionID(index: 0))]

  @Test(
    "HP-06 A device that cannot advertise writes its payload and the RSSI it hears to an Android phone")
  func tapOnTheShoulder() {
    let scenario = Scenario(capabilities: Self.mute)
    #expect(scenario.node.radio.advertising == nil)
    scenario.hear(Peer.android, Peer.androidAdvert, rssi: -56)
    scenario.readAndroid()
    scenario.exchange("12 2A 00 01 0D 00 08 01 00 02 00 03 00 00 00 00 00 00 00", "13")
    scenario.exchange("12 2A 00 02 C8 FF", "13")
    #expect(scenario.commands() == Self.closed)
    #expect(scenario.count(.signalsSent) == 2)

    // The RSSI again after 15 s and no sooner; the payload again after five minutes.
    var connections = 0
    var strengths: [[UInt8]] = []
    for second in 1...320 {
      scenario.run(seconds: 1)
      scenario.hear(Peer.android, Peer.androidAdvert, rssi: -60)
      if scenario.commands().contains(where: { if case .connect = $0 { true } else { false } }) {
        connections += 1
        scenario.meetAndroid()
        let first = scenario.requests()
        scenario.happen(.pdu(hex("13"), on: ConnectionID(index: 0)))
        let further = scenario.requests()
        strengths.append(contentsOf: first + further)
        if !further.isEmpty { scenario.happen(.pdu(hex("13"), on: ConnectionID(index: 0))) }
        #expect(second >= 15)
      }
    }
    #expect(connections == 20)
    #expect(strengths.filter { $0 == hex("12 2A 00 02 C4 FF") }.count == 20)
    #expect(strengths.filter { $0.starts(with: hex("12 2A 00 01 0D 00")) }.count == 1)
    #expect(scenario.violations.isEmpty)
  }

  @Test("HP-06 The role without advertising can be chosen for a radio that could")
  func chosenRole() {
    let scenario = Scenario { $0.advertises = false }
    #expect(scenario.node.radio.advertising == nil)
    scenario.hear(Peer.android, Peer.androidAdvert)
    scenario.readAndroid()
    #expect(scenario.requests().first?.starts(with: hex("12 2A 00 01")) == true)
  }

  @Test("HP-06 To an Android phone at the least ATT_MTU a message goes in writes of 20 bytes")
  func chunks() {
    let scenario = Scenario(capabilities: Self.mute, payload: hex(Peer.payload))
    scenario.hear(Peer.android, Peer.androidAdvert, rssi: -56)
    scenario.meetAndroid(mtu: "17 00")
    scenario.exchange("0A 2C 00", "0B 01 02 03")
    scenario.exchange("12 2A 00 01 15 00 10 3A 03 00 00 A1 A2 A3 A4 A5 A6 A7 A8 A9 AA AB AC", "13")
    scenario.exchange("12 2A 00 AD AE AF B0", "13")
    scenario.exchange("12 2A 00 02 C8 FF", "13")
    #expect(scenario.commands() == Self.closed)
  }

  @Test("HP-06 To an iPhone at the least ATT_MTU it goes in prepared writes")
  func prepared() {
    let scenario = Scenario(payload: hex(Peer.payload))
    scenario.hear(Peer.iPhone, Peer.iPhoneAdvert, rssi: -56)
    scenario.readIPhone(mtu: "17 00", payload: "01 02 03")
    let first = "12 00 00 00 01 15 00 10 3A 03 00 00 A1 A2 A3 A4 A5 A6 A7 A8 A9 AA"
    let second = "12 00 12 00 AB AC AD AE AF B0"
    scenario.exchange("16 \(first)", "17 \(first)")
    scenario.exchange("16 \(second)", "17 \(second)")
    scenario.exchange("18 01", "19")
    #expect(scenario.commands() == Self.closed)
    #expect(scenario.count(.signalsSent) == 1)
  }

  @Test(
    "HP-03 HP-06 When our payload changes with our address, a phone it was written to is told the new one")
  func toldAgain() {
    let scenario = Scenario { $0.sharesPayloads = false }
    scenario.hear(Peer.iPhone, Peer.iPhoneAdvert)
    scenario.readIPhone()
    scenario.exchange("12 12 00 01 0D 00 08 01 00 02 00 03 00 00 00 00 00 00 00", "13")
    scenario.node.core.values.supplier.bytes = [0x09, 0x01]
    for _ in 0..<910 {
      scenario.run(seconds: 1)
      scenario.hear(Peer.iPhone, Peer.iPhoneAdvert)
      if scenario.node.radio.connecting == Peer.iPhone { break }
    }
    #expect(scenario.count(.rotations) == 2)
    scenario.happen(.opened(ConnectionID(index: 0), .central, peer: Peer.iPhone))
    scenario.remeetIPhone()
    #expect(scenario.requests().last == hex("12 12 00 01 02 00 09 01"))
  }

  @Test("HP-21 A phone that refuses a message is not asked again at once, and keeps what it had")
  func refused() {
    let scenario = Scenario()
    scenario.hear(Peer.iPhone, Peer.iPhoneAdvert)
    scenario.readIPhone()
    scenario.exchange("12 12 00 01 0D 00 08 01 00 02 00 03 00 00 00 00 00 00 00", "01 12 12 00 0D")
    #expect(scenario.commands() == Self.closed)
    #expect(scenario.count(.signalsRefused) == 1)
    #expect(scenario.count(.reads) == 1)
    for _ in 0..<60 {
      scenario.run(seconds: 1)
      scenario.hear(Peer.iPhone, Peer.iPhoneAdvert)
    }
    #expect(!scenario.requests().contains { $0.starts(with: hex("12 12 00 01")) })
  }

  @Test("HP-30 HP-31 A message is written first: ahead of the payload a new peer still has to be asked for")
  func messageFirst() {
    let scenario = Scenario()
    scenario.hear(Peer.android, Peer.androidAdvert)
    #expect(scenario.send(hex("68 69"), to: Peer.androidIdentity) == nil)
    scenario.meetAndroid()
    scenario.exchange("12 2A 00 04 02 00 68 69", "13")
    scenario.exchange("0A 2C 00", "0B \(Peer.payload)")
    #expect(scenario.commands() == Self.closed)
    #expect(scenario.count(.messagesSent) == 1)
    #expect(scenario.count(.reads) == 1)
    scenario.run(seconds: 1)
    #expect(scenario.send(hex("6A"), to: Peer.androidIdentity) == nil)
    scenario.run(milliseconds: 1)
    scenario.meetAndroid()
    scenario.exchange("12 2A 00 04 01 00 6A", "13")
    #expect(scenario.commands() == Self.closed)
  }

  @Test("HP-30 An attempt to meet somebody else gives way to a message")
  func messageCutsAttempt() {
    let scenario = Scenario()
    scenario.hear(Peer.android, Peer.androidAdvert)
    scenario.readAndroid()
    scenario.happen(.closed(ConnectionID(index: 0), .localHostTerminated))
    scenario.hear(Peer.iPhone, Peer.iPhoneAdvert)
    #expect(scenario.node.radio.connecting == Peer.iPhone)
    #expect(scenario.send(hex("01"), to: Peer.androidIdentity) == nil)
    scenario.run(milliseconds: 10)
    #expect(scenario.node.radio.connecting == Peer.android)
    #expect(scenario.count(.attemptsCut) == 1)
    scenario.meetAndroid()
    scenario.exchange("12 2A 00 04 01 00 01", "13")
    // Nothing is held against the peer that had to wait.
    let place = scenario.node.core.table.find(TargetIdentity(Peer.iPhone)) ?? -1
    #expect(scenario.node.core.table[place].failures == 0)
    #expect(scenario.violations.isEmpty)
  }

  @Test("HP-32 A message to all goes to each Herald peer heard within a minute, and to nobody else")
  func toAll() throws {
    let scenario = Scenario()
    let late = DeviceAddress(high: 0x6B01, low: 7, kind: .random)
    scenario.hear(late, "02 01 1A 03 03 F6 FC")
    scenario.meetAndroid(address: late)
    scenario.exchange("0A 2C 00", "0B 77")
    scenario.happen(.closed(ConnectionID(index: 0), .localHostTerminated))
    scenario.run(seconds: 61)
    scenario.hear(Peer.android, Peer.androidAdvert)
    scenario.readAndroid()
    scenario.happen(.closed(ConnectionID(index: 0), .localHostTerminated))
    scenario.hear(Peer.iPhone, Peer.iPhoneAdvert)
    scenario.readIPhone()
    scenario.exchange("12 12 00 01 0D 00 08 01 00 02 00 03 00 00 00 00 00 00 00", "13")
    scenario.happen(.closed(ConnectionID(index: 0), .localHostTerminated))
    let message = hex("AB CD")
    #expect(try scenario.node.core.sendImmediatelyToAll(message.span, at: scenario.now) == 2)
    #expect(scenario.send([1], to: Peer.androidIdentity) == .busy)
    scenario.run(milliseconds: 10)
    var reached: Set<UInt32> = []
    for _ in 0..<2 {
      let connecting = scenario.node.radio.connecting
      let peer = try #require(connecting)
      reached.insert(peer.low &+ UInt32(peer.high))
      _ = scenario.commands()
      scenario.happen(.opened(ConnectionID(index: 0), .central, peer: peer))
      scenario.exchange("02 F7 00", "03 00 02")
      scenario.exchange("06 01 00 FF FF 00 28 F6 FC", "07 28 00 2C 00")
      scenario.exchange(
        "08 28 00 2C 00 03 28",
        "09 15 29 00 08 2A 00 \(Peer.signalUUID) 2B 00 02 2C 00 \(Peer.payloadUUID)")
      scenario.exchange("12 2A 00 04 02 00 AB CD", "13")
      scenario.happen(.closed(ConnectionID(index: 0), .localHostTerminated))
      scenario.run(milliseconds: 10)
    }
    #expect(reached.count == 2)
    #expect(scenario.node.radio.connecting == nil)
    #expect(scenario.count(.messagesSent) == 2)
    // The next one can be sent.
    #expect(scenario.send([1], to: Peer.androidIdentity) == nil)
  }

  @Test("HP-30 A message nobody takes is given up after a minute, and counted")
  func messageLost() {
    let scenario = Scenario()
    scenario.hear(Peer.android, Peer.androidAdvert)
    scenario.readAndroid()
    scenario.happen(.closed(ConnectionID(index: 0), .localHostTerminated))
    #expect(scenario.send([1, 2, 3], to: Peer.androidIdentity) == nil)
    scenario.run(seconds: 59)
    #expect(scenario.send([4], to: Peer.androidIdentity) == .busy)
    #expect(scenario.count(.messagesLost) == 0)
    scenario.run(seconds: 25)
    #expect(scenario.count(.messagesLost) == 1)
    #expect(scenario.count(.messagesSent) == 0)
    scenario.hear(Peer.android, Peer.androidAdvert)
    #expect(scenario.send([4], to: Peer.androidIdentity) == nil)
  }

  @Test("HP-30 What cannot be sent is refused, each cause by its name")
  func refusals() {
    let scenario = Scenario()
    #expect(scenario.send([1], to: Peer.androidIdentity) == .unreachable)
    scenario.hear(Peer.android, Peer.androidAdvert)
    #expect(scenario.send([UInt8](repeating: 1, count: 510), to: Peer.androidIdentity) == .tooLong)
    #expect(scenario.send([UInt8](repeating: 1, count: 509), to: Peer.androidIdentity) == nil)
    scenario.run(seconds: 90)
    #expect(scenario.send([1], to: Peer.androidIdentity) == .unreachable)
  }

  @Test("HP-28 The model is read once when that is chosen, and logged", arguments: [true, false])
  func model(isThere: Bool) {
    let scenario = Scenario { $0.readsModel = true }
    scenario.hear(Peer.android, Peer.androidAdvert)
    scenario.readAndroid()
    if isThere {
      scenario.exchange("06 01 00 FF FF 00 28 0A 18", "07 30 00 34 00")
      scenario.exchange("08 30 00 34 00 03 28", "09 07 31 00 02 32 00 29 2A 33 00 02 34 00 24 2A")
      scenario.exchange("0A 34 00", "0B 41 33 30")
    } else {
      scenario.exchange("06 01 00 FF FF 00 28 0A 18", "01 06 01 00 0A")
    }
    #expect(scenario.commands() == Self.closed)
    #expect(scenario.log().contains { $0.hasSuffix("model android 41 33 30") } == isThere)
    scenario.happen(.closed(ConnectionID(index: 0), .localHostTerminated))
    scenario.run(seconds: 20)
    scenario.hear(Peer.android, Peer.androidAdvert)
    #expect(scenario.commands().isEmpty)
  }
}
@Suite("Coordinator: payload sharing")
struct PayloadSharingTests {
  static let second = DeviceAddress(high: 0x5C01, low: 0x0203_0405, kind: .random)

  private func pair() -> Scenario {
    let scenario = Scenario()
    for (peer, payload, rssi) in [(Peer.iPhone, "B1 B2", Int8(-56)), (Self.second, "C1 C2 C3", -70)] {
      scenario.hear(peer, Peer.iPhoneAdvert, rssi: rssi)
      scenario.readIPhone(address: peer, payload: payload)
      scenario.exchange("12 12 00 01 0D 00 08 01 00 02 00 03 00 00 00 00 00 00 00", "13")
    }
    return scenario
  }

  @Test(
    "HP-42 Each of two iPhones is told of the other's payload and of how strong it is heard, every 15 s at most"
  )
  func tellsBoth() throws {
    let scenario = pair()
    // The one read last could be told at once, on the same connection: there is somebody to tell of.
    scenario.exchange("12 12 00 03 BA FF 02 00 B1 B2", "13")
    #expect(scenario.commands() == SignalSendingTests.closed)
    var told: [[UInt8]] = []
    var times: [UInt64] = []
    for _ in 0..<62 {
      scenario.run(seconds: 1)
      scenario.hear(Peer.iPhone, Peer.iPhoneAdvert, rssi: -57)
      scenario.hear(Self.second, Peer.iPhoneAdvert, rssi: -71)
      while let peer = scenario.node.radio.connecting {
        scenario.happen(.opened(ConnectionID(index: 0), .central, peer: peer))
        scenario.remeetIPhone()
        let message = try #require(scenario.requests().last)
        told.append(Array(message.dropFirst(3)))
        if peer == Peer.iPhone { times.append(scenario.now.milliseconds) }
        scenario.happen(.pdu(hex("13"), on: ConnectionID(index: 0)))
        scenario.run(milliseconds: 1)
      }
    }
    #expect(Set(told) == [hex("03 C7 FF 03 00 C1 C2 C3"), hex("03 B9 FF 02 00 B1 B2")])
    #expect(told.count >= 6)
    for (earlier, later) in zip(times, times.dropFirst()) { #expect(later - earlier >= 15_000) }
    #expect(scenario.violations.isEmpty)
  }

  @Test("HP-42 An Android phone is told nothing and its payload is not passed on; it advertises itself")
  func notAndroid() {
    let scenario = Scenario()
    scenario.hear(Peer.android, Peer.androidAdvert)
    scenario.readAndroid()
    scenario.happen(.closed(ConnectionID(index: 0), .localHostTerminated))
    scenario.hear(Peer.iPhone, Peer.iPhoneAdvert)
    scenario.readIPhone(payload: "B1 B2")
    scenario.exchange("12 12 00 01 0D 00 08 01 00 02 00 03 00 00 00 00 00 00 00", "13")
    #expect(scenario.commands() == SignalSendingTests.closed)
    for _ in 0..<60 {
      scenario.run(seconds: 1)
      scenario.hear(Peer.android, Peer.androidAdvert)
      scenario.hear(Peer.iPhone, Peer.iPhoneAdvert)
    }
    #expect(scenario.commands().isEmpty)
  }

  @Test("HP-42 Nothing is passed on when that is switched off")
  func switchedOff() {
    let scenario = Scenario { $0.sharesPayloads = false }
    for (peer, payload) in [(Peer.iPhone, "B1 B2"), (Self.second, "C1 C2 C3")] {
      scenario.hear(peer, Peer.iPhoneAdvert)
      scenario.readIPhone(address: peer, payload: payload)
      scenario.exchange("12 12 00 01 0D 00 08 01 00 02 00 03 00 00 00 00 00 00 00", "13")
      #expect(scenario.commands() == SignalSendingTests.closed)
    }
  }
}

extension Scenario {
  /// An iPhone that is known answers up to its characteristics.
  func remeetIPhone() {
    _ = node.radio.takeCommands()
    for answer in [
      "03 B9 00", "07 10 00 18 00",
      "09 15 11 00 18 12 00 \(Peer.otherSignalUUID) 14 00 02 15 00 \(Peer.payloadUUID)",
      "01 08 16 00 0A",
    ] { happen(.pdu(hex(answer), on: ConnectionID(index: 0))) }
  }
}
