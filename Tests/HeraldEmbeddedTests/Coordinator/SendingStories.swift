import HeraldBluetooth
import HeraldEmbedded
import HeraldSimulation
import Testing

extension Story {
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

@Suite("Coordinator: writing to peers")
struct SendingStories {
  static let mute = RadioCapabilities(
    canAdvertise: false, canAdvertiseWhileConnected: false, canScanWhileConnecting: true, canConnect: true,
    connections: 4, maximumPDU: 247, publicAddress: .zero)
  static let closed = [MockRadio.Command.disconnect(ConnectionID(index: 0))]

  @Test(
    "HP-06 A device that cannot advertise writes its payload and the strength it hears to an Android phone")
  func tapOnTheShoulder() {
    let story = Story(capabilities: Self.mute)
    #expect(story.node.radio.advertising == nil)
    story.hear(Peer.android, Peer.androidAdvert, rssi: -56)
    story.readAndroid()
    story.exchange("12 2A 00 01 0D 00 08 01 00 02 00 03 00 00 00 00 00 00 00", "13")
    story.exchange("12 2A 00 02 C8 FF", "13")
    #expect(story.commands() == Self.closed)
    #expect(story.count(.signalsSent) == 2)

    // The strength again after 15 s and no sooner; the payload again after five minutes.
    var connections = 0
    var strengths: [[UInt8]] = []
    for second in 1...320 {
      story.run(seconds: 1)
      story.hear(Peer.android, Peer.androidAdvert, rssi: -60)
      if story.commands().contains(where: { if case .connect = $0 { true } else { false } }) {
        connections += 1
        story.meetAndroid()
        let first = story.requests()
        story.happen(.pdu(hex("13"), on: ConnectionID(index: 0)))
        let further = story.requests()
        strengths.append(contentsOf: first + further)
        if !further.isEmpty { story.happen(.pdu(hex("13"), on: ConnectionID(index: 0))) }
        #expect(second >= 15)
      }
    }
    #expect(connections == 20)
    #expect(strengths.filter { $0 == hex("12 2A 00 02 C4 FF") }.count == 20)
    #expect(strengths.filter { $0.starts(with: hex("12 2A 00 01 0D 00")) }.count == 1)
    #expect(story.violations.isEmpty)
  }

  @Test("HP-06 The role without advertising can be chosen for a radio that could")
  func chosenRole() {
    let story = Story { $0.advertises = false }
    #expect(story.node.radio.advertising == nil)
    story.hear(Peer.android, Peer.androidAdvert)
    story.readAndroid()
    #expect(story.requests().first?.starts(with: hex("12 2A 00 01")) == true)
  }

  @Test("HP-06 To an Android phone at the least ATT_MTU a message goes in writes of 20 bytes")
  func chunks() {
    let story = Story(capabilities: Self.mute, payload: hex(Peer.payload))
    story.hear(Peer.android, Peer.androidAdvert, rssi: -56)
    story.meetAndroid(mtu: "17 00")
    story.exchange("0A 2C 00", "0B 01 02 03")
    story.exchange("12 2A 00 01 15 00 10 3A 03 00 00 A1 A2 A3 A4 A5 A6 A7 A8 A9 AA AB AC", "13")
    story.exchange("12 2A 00 AD AE AF B0", "13")
    story.exchange("12 2A 00 02 C8 FF", "13")
    #expect(story.commands() == Self.closed)
  }

  @Test("HP-06 To an iPhone at the least ATT_MTU it goes in prepared writes")
  func prepared() {
    let story = Story(payload: hex(Peer.payload))
    story.hear(Peer.iPhone, Peer.iPhoneAdvert, rssi: -56)
    story.readIPhone(mtu: "17 00", payload: "01 02 03")
    let first = "12 00 00 00 01 15 00 10 3A 03 00 00 A1 A2 A3 A4 A5 A6 A7 A8 A9 AA"
    let second = "12 00 12 00 AB AC AD AE AF B0"
    story.exchange("16 \(first)", "17 \(first)")
    story.exchange("16 \(second)", "17 \(second)")
    story.exchange("18 01", "19")
    #expect(story.commands() == Self.closed)
    #expect(story.count(.signalsSent) == 1)
  }

  @Test(
    "HP-03 HP-06 When our payload changes with our address, a phone it was written to is told the new one")
  func toldAgain() {
    let story = Story { $0.sharesPayloads = false }
    story.hear(Peer.iPhone, Peer.iPhoneAdvert)
    story.readIPhone()
    story.exchange("12 12 00 01 0D 00 08 01 00 02 00 03 00 00 00 00 00 00 00", "13")
    story.node.core.values.supplier.bytes = [0x09, 0x01]
    for _ in 0..<910 {
      story.run(seconds: 1)
      story.hear(Peer.iPhone, Peer.iPhoneAdvert)
      if story.node.radio.connecting == Peer.iPhone { break }
    }
    #expect(story.count(.rotations) == 2)
    story.happen(.opened(ConnectionID(index: 0), .central, peer: Peer.iPhone))
    story.remeetIPhone()
    #expect(story.requests().last == hex("12 12 00 01 02 00 09 01"))
  }

  @Test("HP-21 A phone that refuses a message is not asked again at once, and keeps what it had")
  func refused() {
    let story = Story()
    story.hear(Peer.iPhone, Peer.iPhoneAdvert)
    story.readIPhone()
    story.exchange("12 12 00 01 0D 00 08 01 00 02 00 03 00 00 00 00 00 00 00", "01 12 12 00 0D")
    #expect(story.commands() == Self.closed)
    #expect(story.count(.signalsRefused) == 1)
    #expect(story.count(.reads) == 1)
    for _ in 0..<60 {
      story.run(seconds: 1)
      story.hear(Peer.iPhone, Peer.iPhoneAdvert)
    }
    #expect(!story.requests().contains { $0.starts(with: hex("12 12 00 01")) })
  }

  @Test("HP-30 HP-31 A message is written first: ahead of the payload a new peer still has to be asked for")
  func messageFirst() {
    let story = Story()
    story.hear(Peer.android, Peer.androidAdvert)
    #expect(story.send(hex("68 69"), to: Peer.androidIdentity) == nil)
    story.meetAndroid()
    story.exchange("12 2A 00 04 02 00 68 69", "13")
    story.exchange("0A 2C 00", "0B \(Peer.payload)")
    #expect(story.commands() == Self.closed)
    #expect(story.count(.messagesSent) == 1)
    #expect(story.count(.reads) == 1)
    story.run(seconds: 1)
    #expect(story.send(hex("6A"), to: Peer.androidIdentity) == nil)
    story.run(milliseconds: 1)
    story.meetAndroid()
    story.exchange("12 2A 00 04 01 00 6A", "13")
    #expect(story.commands() == Self.closed)
  }

  @Test("HP-30 An attempt to meet somebody else gives way to a message")
  func messageCutsAttempt() {
    let story = Story()
    story.hear(Peer.android, Peer.androidAdvert)
    story.readAndroid()
    story.happen(.closed(ConnectionID(index: 0), .localHostTerminated))
    story.hear(Peer.iPhone, Peer.iPhoneAdvert)
    #expect(story.node.radio.connecting == Peer.iPhone)
    #expect(story.send(hex("01"), to: Peer.androidIdentity) == nil)
    story.run(milliseconds: 10)
    #expect(story.node.radio.connecting == Peer.android)
    #expect(story.count(.attemptsCut) == 1)
    story.meetAndroid()
    story.exchange("12 2A 00 04 01 00 01", "13")
    // Nothing is held against the peer that had to wait.
    let place = story.node.core.table.find(TargetIdentity(Peer.iPhone)) ?? -1
    #expect(story.node.core.table[place].failures == 0)
    #expect(story.violations.isEmpty)
  }

  @Test("HP-32 A message to all goes to each Herald peer heard within a minute, and to nobody else")
  func toAll() throws {
    let story = Story()
    let late = DeviceAddress(high: 0x6B01, low: 7, kind: .random)
    story.hear(late, "02 01 1A 03 03 F6 FC")
    story.meetAndroid(address: late)
    story.exchange("0A 2C 00", "0B 77")
    story.happen(.closed(ConnectionID(index: 0), .localHostTerminated))
    story.run(seconds: 61)
    story.hear(Peer.android, Peer.androidAdvert)
    story.readAndroid()
    story.happen(.closed(ConnectionID(index: 0), .localHostTerminated))
    story.hear(Peer.iPhone, Peer.iPhoneAdvert)
    story.readIPhone()
    story.exchange("12 12 00 01 0D 00 08 01 00 02 00 03 00 00 00 00 00 00 00", "13")
    story.happen(.closed(ConnectionID(index: 0), .localHostTerminated))
    let message = hex("AB CD")
    #expect(try story.node.core.sendImmediatelyToAll(message.span, at: story.now) == 2)
    #expect(story.send([1], to: Peer.androidIdentity) == .busy)
    story.run(milliseconds: 10)
    var reached: Set<UInt32> = []
    for _ in 0..<2 {
      let connecting = story.node.radio.connecting
      let peer = try #require(connecting)
      reached.insert(peer.low &+ UInt32(peer.high))
      _ = story.commands()
      story.happen(.opened(ConnectionID(index: 0), .central, peer: peer))
      story.exchange("02 F7 00", "03 00 02")
      story.exchange("06 01 00 FF FF 00 28 F6 FC", "07 28 00 2C 00")
      story.exchange(
        "08 28 00 2C 00 03 28",
        "09 15 29 00 08 2A 00 \(Peer.signalUUID) 2B 00 02 2C 00 \(Peer.payloadUUID)")
      story.exchange("12 2A 00 04 02 00 AB CD", "13")
      story.happen(.closed(ConnectionID(index: 0), .localHostTerminated))
      story.run(milliseconds: 10)
    }
    #expect(reached.count == 2)
    #expect(story.node.radio.connecting == nil)
    #expect(story.count(.messagesSent) == 2)
    // The next one can be sent.
    #expect(story.send([1], to: Peer.androidIdentity) == nil)
  }

  @Test("HP-30 A message nobody takes is given up after a minute, and counted")
  func messageLost() {
    let story = Story()
    story.hear(Peer.android, Peer.androidAdvert)
    story.readAndroid()
    story.happen(.closed(ConnectionID(index: 0), .localHostTerminated))
    #expect(story.send([1, 2, 3], to: Peer.androidIdentity) == nil)
    story.run(seconds: 59)
    #expect(story.send([4], to: Peer.androidIdentity) == .busy)
    #expect(story.count(.messagesLost) == 0)
    story.run(seconds: 25)
    #expect(story.count(.messagesLost) == 1)
    #expect(story.count(.messagesSent) == 0)
    story.hear(Peer.android, Peer.androidAdvert)
    #expect(story.send([4], to: Peer.androidIdentity) == nil)
  }

  @Test("HP-30 What cannot be sent is refused, each cause by its name")
  func refusals() {
    let story = Story()
    #expect(story.send([1], to: Peer.androidIdentity) == .unreachable)
    story.hear(Peer.android, Peer.androidAdvert)
    #expect(story.send([UInt8](repeating: 1, count: 510), to: Peer.androidIdentity) == .tooLong)
    #expect(story.send([UInt8](repeating: 1, count: 509), to: Peer.androidIdentity) == nil)
    story.run(seconds: 90)
    #expect(story.send([1], to: Peer.androidIdentity) == .unreachable)
  }

  @Test("HP-28 The model is read once when that is chosen, and logged", arguments: [true, false])
  func model(isThere: Bool) {
    let story = Story { $0.readsModel = true }
    story.hear(Peer.android, Peer.androidAdvert)
    story.readAndroid()
    if isThere {
      story.exchange("06 01 00 FF FF 00 28 0A 18", "07 30 00 34 00")
      story.exchange("08 30 00 34 00 03 28", "09 07 31 00 02 32 00 29 2A 33 00 02 34 00 24 2A")
      story.exchange("0A 34 00", "0B 41 33 30")
    } else {
      story.exchange("06 01 00 FF FF 00 28 0A 18", "01 06 01 00 0A")
    }
    #expect(story.commands() == Self.closed)
    #expect(story.log().contains { $0.hasSuffix("model android 41 33 30") } == isThere)
    story.happen(.closed(ConnectionID(index: 0), .localHostTerminated))
    story.run(seconds: 20)
    story.hear(Peer.android, Peer.androidAdvert)
    #expect(story.commands().isEmpty)
  }
}
@Suite("Coordinator: passing payloads on")
struct SharingStories {
  static let second = DeviceAddress(high: 0x5C01, low: 0x0203_0405, kind: .random)

  private func pair() -> Story {
    let story = Story()
    for (peer, payload, rssi) in [(Peer.iPhone, "B1 B2", Int8(-56)), (Self.second, "C1 C2 C3", -70)] {
      story.hear(peer, Peer.iPhoneAdvert, rssi: rssi)
      story.readIPhone(address: peer, payload: payload)
      story.exchange("12 12 00 01 0D 00 08 01 00 02 00 03 00 00 00 00 00 00 00", "13")
    }
    return story
  }

  @Test(
    "HP-42 Each of two iPhones is told of the other's payload and of how strong it is heard, every 15 s at most"
  )
  func tellsBoth() throws {
    let story = pair()
    // The one read last could be told at once, on the same connection: there is somebody to tell of.
    story.exchange("12 12 00 03 BA FF 02 00 B1 B2", "13")
    #expect(story.commands() == SendingStories.closed)
    var told: [[UInt8]] = []
    var times: [UInt64] = []
    for _ in 0..<62 {
      story.run(seconds: 1)
      story.hear(Peer.iPhone, Peer.iPhoneAdvert, rssi: -57)
      story.hear(Self.second, Peer.iPhoneAdvert, rssi: -71)
      while let peer = story.node.radio.connecting {
        story.happen(.opened(ConnectionID(index: 0), .central, peer: peer))
        story.remeetIPhone()
        let message = try #require(story.requests().last)
        told.append(Array(message.dropFirst(3)))
        if peer == Peer.iPhone { times.append(story.now.milliseconds) }
        story.happen(.pdu(hex("13"), on: ConnectionID(index: 0)))
        story.run(milliseconds: 1)
      }
    }
    #expect(Set(told) == [hex("03 C7 FF 03 00 C1 C2 C3"), hex("03 B9 FF 02 00 B1 B2")])
    #expect(told.count >= 6)
    for (earlier, later) in zip(times, times.dropFirst()) { #expect(later - earlier >= 15_000) }
    #expect(story.violations.isEmpty)
  }

  @Test("HP-42 An Android phone is told nothing and its payload is not passed on; it advertises itself")
  func notAndroid() {
    let story = Story()
    story.hear(Peer.android, Peer.androidAdvert)
    story.readAndroid()
    story.happen(.closed(ConnectionID(index: 0), .localHostTerminated))
    story.hear(Peer.iPhone, Peer.iPhoneAdvert)
    story.readIPhone(payload: "B1 B2")
    story.exchange("12 12 00 01 0D 00 08 01 00 02 00 03 00 00 00 00 00 00 00", "13")
    #expect(story.commands() == SendingStories.closed)
    for _ in 0..<60 {
      story.run(seconds: 1)
      story.hear(Peer.android, Peer.androidAdvert)
      story.hear(Peer.iPhone, Peer.iPhoneAdvert)
    }
    #expect(story.commands().isEmpty)
  }

  @Test("HP-42 Nothing is passed on when that is switched off")
  func switchedOff() {
    let story = Story { $0.sharesPayloads = false }
    for (peer, payload) in [(Peer.iPhone, "B1 B2"), (Self.second, "C1 C2 C3")] {
      story.hear(peer, Peer.iPhoneAdvert)
      story.readIPhone(address: peer, payload: payload)
      story.exchange("12 12 00 01 0D 00 08 01 00 02 00 03 00 00 00 00 00 00 00", "13")
      #expect(story.commands() == SendingStories.closed)
    }
  }
}

extension Story {
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
