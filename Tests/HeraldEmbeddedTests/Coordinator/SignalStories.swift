import HeraldBluetooth
import HeraldEmbedded
import HeraldSimulation
import Testing

private let iPhone = TargetIdentity(Peer.iPhone)
private let first = hex("10 3A 03 00 00 01 02 03 04 05 06 07 08 09 0A 0B 0C 0D 0E 0F 10")
private let second = hex("10 3A 03 00 00 21 22 23 24 25 26 27 28 29 2A 2B 2C 2D 2E 2F 30")
private let own = hex("10 3A 03 00 00 F1 F2 F3 F4 F5 F6 F7 F8 F9 FA FB FC FD FE FF F0")

/// A story whose payloads are simple ones of 21 bytes.
private func begin<Table: GATTTable>(serving: Table.Type = HeraldGATTTable.self)
  -> StoryWith<NoNeighbours, Table>
{
  let story = StoryWith<NoNeighbours, Table>(payload: own)
  story.node.core.values.supplier.fixedLength = 21
  return story
}

@Suite("Coordinator: being written to")
struct SignalStories {
  /// The values of the two signal characteristics.
  static let handles: [UInt8] = [0x0E, 0x10]

  @Test(
    "HP-09 HP-35 HP-36 A payload is taken in each way of writing, on either characteristic",
    arguments: WayOfWriting.allCases, handles)
  func payload(way: WayOfWriting, handle: UInt8) {
    let story = begin(serving: HeraldBothSignalsGATTTable.self)
    story.comes()
    story.write(hex("01 15 00") + first, way, to: handle)
    #expect(story.heard() == [.detect(iPhone), .read(iPhone, first, known: false)])
    #expect(
      story.peersInLog() == [
        "0 detect iPhone", "0 detectHerald iPhone",
        "0 read iPhone 10 3A 03 00 00 01 02 03 04 05 06 07 08 09 0A 0B 0C 0D 0E 0F 10",
      ])
    #expect(story.count(.signalPayloads) == 1)
    #expect(story.count(.signalsMalformed) == 0)
  }

  @Test(
    "HP-06 HP-36 A strength is taken in each way of writing, on either characteristic",
    arguments: WayOfWriting.allCases, handles)
  func strength(way: WayOfWriting, handle: UInt8) {
    let story = begin(serving: HeraldBothSignalsGATTTable.self)
    story.comes()
    story.write(hex("02 C8 FF"), way, to: handle)
    #expect(story.heard() == [.detect(iPhone), .measure(iPhone, -56)])
    #expect(story.peersInLog() == ["0 detect iPhone", "0 measure iPhone -56"])
    #expect(story.count(.signalStrengths) == 1)
    #expect(story.count(.signalsMalformed) == 0)
  }

  @Test(
    "HP-36 HP-42 HP-43 Shared payloads are taken in each way of writing, on either characteristic",
    arguments: WayOfWriting.allCases, handles)
  func sharing(way: WayOfWriting, handle: UInt8) {
    let story = begin(serving: HeraldBothSignalsGATTTable.self)
    story.comes()
    story.write(hex("03 BA FF 2A 00") + first + second, way, to: handle)
    let heard = story.heard()
    let made = heard.compactMap { if case .read(let identity, _, _) = $0 { identity } else { nil } }
    guard made.count == 2 else {
      Issue.record("\(heard)")
      return
    }
    #expect(made[0] != made[1] && made[0].kind == .shared && made[1].kind == .shared)
    #expect(
      heard == [
        .detect(iPhone), .measure(iPhone, -70), .share(iPhone, first + second),
        .read(made[0], first, known: false), .measure(made[0], -70), .measureWithPayload(made[0], -70),
        .read(made[1], second, known: false), .measure(made[1], -70), .measureWithPayload(made[1], -70),
      ])
    let one = Story.name(made[0])
    let other = Story.name(made[1])
    #expect(
      story.peersInLog() == [
        "0 detect iPhone", "0 measure iPhone -70",
        "0 share iPhone 10 3A 03 00 00 01 02 03 04 05 06 07 08 09 0A 0B 0C 0D 0E 0F 10 "
          + "10 3A 03 00 00 21 22 23 24 25 26 27 28 29 2A 2B 2C 2D 2E 2F 30",
        "0 read \(one) 10 3A 03 00 00 01 02 03 04 05 06 07 08 09 0A 0B 0C 0D 0E 0F 10",
        "0 measure \(one) -70",
        "0 read \(other) 10 3A 03 00 00 21 22 23 24 25 26 27 28 29 2A 2B 2C 2D 2E 2F 30",
        "0 measure \(other) -70",
      ])
    #expect(story.count(.signalShares) == 1)
  }

  @Test(
    "HP-30 HP-31 HP-36 An immediate message reaches the application in each way of writing, on either characteristic",
    arguments: WayOfWriting.allCases, handles)
  func immediate(way: WayOfWriting, handle: UInt8) {
    let story = begin(serving: HeraldBothSignalsGATTTable.self)
    story.comes()
    let text = Array("more than twenty bytes".utf8)
    story.write(hex("04 16 00") + text, way, to: handle)
    story.write(hex("04 02 00 68 69"), way, to: handle)
    story.write(hex("04 00 00"), way, to: handle)
    #expect(
      story.heard() == [
        .detect(iPhone), .receive(iPhone, text), .receive(iPhone, hex("68 69")), .receive(iPhone, []),
      ])
    #expect(story.peersInLog().last == "0 received iPhone ")
    #expect(story.peersInLog().dropLast().last == "0 received iPhone 68 69")
    #expect(story.count(.signalMessages) == 3)
  }

  @Test("HP-09 Neither characteristic is declared for, nor takes, writing without response")
  func withoutResponse() {
    let story = begin(serving: HeraldBothSignalsGATTTable.self)
    story.comes()
    // Read By Type of characteristic declarations: properties 08 is write, 18 write and notify; 04 would be
    // without response.
    #expect(
      story.ask(hex("08 0C 00 13 00 03 28"))
        == hex("09 15 0D 00 08 0E 00 \(Peer.signalUUID) 0F 00 18 10 00 \(Peer.otherSignalUUID)")
        + hex("12 00 02 13 00 \(Peer.payloadUUID)"))
    for handle in ["0E", "10"] {
      #expect(story.ask(hex("52 \(handle) 00 02 C8 FF")) == [])
      #expect(story.ask(hex("52 \(handle) 00 01 02 00 A1 A2")) == [])
    }
    #expect(story.heard() == [])
    #expect(story.count(.signals) == 0)
    #expect(story.ask(hex("12 0E 00 01 02 00 A1 A2")) == hex("13"))
    #expect(story.heard() == [.detect(iPhone), .read(iPhone, hex("A1 A2"), known: false)])
  }

  @Test("HP-40 A payload of a format nobody knows is carried like any other")
  func unknownFormat() {
    let story = begin()
    story.comes()
    story.write(hex("01 03 00 FF FE FD"))
    #expect(story.heard() == [.detect(iPhone), .read(iPhone, hex("FF FE FD"), known: false)])
  }

  @Test("HP-06 A peer that cannot advertise is measured by what it writes, and nobody connects to it")
  func receiveOnly() {
    let story = begin()
    story.comes()
    story.write(hex("01 15 00") + first)
    story.write(hex("02 C8 FF"))
    story.goes()
    story.run(seconds: 15)
    story.comes()
    story.write(hex("02 C4 FF"))
    #expect(story.heard() == [.measure(iPhone, -60), .measureWithPayload(iPhone, -60)])
    story.goes()
    story.run(seconds: 60)
    #expect(story.count(.attempts) == 0)
    let place = story.node.core.table.find(iPhone)
    #expect(place.map { story.node.core.table[$0].isReceiveOnly } == true)
    // Heard to advertise after all, it is an ordinary peer.
    story.hear(Peer.iPhone, Peer.iPhoneAdvert)
    #expect(place.map { story.node.core.table[$0].isReceiveOnly } == false)
  }

  @Test("HP-06 A peer that only writes ages out when it has not written for fifteen minutes")
  func silence() {
    let story = begin()
    story.comes()
    story.write(hex("02 C8 FF"))
    story.goes()
    story.run(seconds: 899)
    _ = story.heard()
    story.run(seconds: 1)
    #expect(story.heard() == [.lose(iPhone)])
  }

  @Test("HP-03 A payload written again is no news; under another address it is known; a new one is read")
  func again() {
    let story = begin()
    story.comes()
    story.write(hex("01 15 00") + first)
    _ = story.heard()
    story.write(hex("01 15 00") + first)
    #expect(story.heard() == [])
    story.write(hex("01 15 00") + second)
    #expect(story.heard() == [.read(iPhone, second, known: false)])
    let other = DeviceAddress(high: 0x7777, low: 1, kind: .random)
    story.comes(other, on: 1)
    story.write(hex("01 15 00") + second, on: 1)
    #expect(
      story.heard() == [.detect(TargetIdentity(other)), .read(TargetIdentity(other), second, known: true)])
  }

  @Test("HP-15 What a peer writes is told under the identity under which it is heard")
  func identity() {
    let story = begin()
    story.hear(Peer.android, Peer.androidAdvert)
    story.comes(Peer.android, on: 1)
    story.write(hex("02 C8 FF"), on: 1)
    #expect(story.heard() == [.measure(Peer.androidIdentity, -56)])
    let place = story.node.core.table.find(Peer.androidIdentity)
    #expect(place.map { story.node.core.table[$0].isReceiveOnly } == false)  // it advertises
  }

  @Test("HP-15 A peer that wrote before it was heard is told under its pseudo device address from then on")
  func identityLater() {
    let story = begin()
    story.comes(Peer.android, on: 1)
    story.write(hex("02 C8 FF"), on: 1)
    #expect(story.heard().last == .measure(TargetIdentity(Peer.android), -56))
    story.hear(Peer.android, Peer.androidAdvert)
    _ = story.heard()
    story.write(hex("02 C4 FF"), on: 1)
    story.write(hex("02 C4 FF"), on: 1)
    #expect(story.heard() == [.measure(Peer.androidIdentity, -60), .measure(Peer.androidIdentity, -60)])
  }

  @Test("A message over the connection that we opened is told under the identity of its peer")
  func onOurConnection() {
    let story = begin()
    story.hear(Peer.android, Peer.androidAdvert)
    story.happen(.opened(ConnectionID(index: 0), .central, peer: Peer.android))
    _ = story.heard()
    _ = story.answers()
    story.write(hex("04 02 00 68 69"))
    #expect(story.heard() == [.receive(Peer.androidIdentity, hex("68 69"))])
  }

  @Test(
    "HP-43 A shared payload of a peer that is known is told under an identity made for it, never under that peer's"
  )
  func sharedOfKnown() {
    let story = begin()
    let other = DeviceAddress(high: 0x7777, low: 1, kind: .random)
    story.comes(other, on: 1)
    story.write(hex("01 15 00") + first, on: 1)
    story.comes()
    story.write(hex("03 BA FF 15 00") + first)
    let known = TargetIdentity(other)
    let heard = story.heard()
    guard heard.count == 6, case .read(let made, _, known: true) = heard[3] else {
      Issue.record("\(heard)")
      return
    }
    #expect(made.kind == .shared)
    #expect(
      heard == [
        .detect(iPhone), .measure(iPhone, -70), .share(iPhone, first), .read(made, first, known: true),
        .measure(made, -70), .measureWithPayload(made, -70),
      ])
    story.write(hex("03 C4 FF 15 00") + first)
    #expect(story.heard().suffix(2) == [.measure(made, -60), .measureWithPayload(made, -60)])
    #expect(story.peersInLog().filter { $0.contains(" read ") }.count == 2)
    let place = story.node.core.table.find(known)
    // Hearsay is no measurement of ours, nor a sign of life.
    #expect(place.map { story.node.core.table[$0].lastRSSI } == .notAvailable)
    story.goes()
    story.run(seconds: 600)
    story.comes()
    story.write(hex("03 BA FF 15 00") + first)
    _ = story.heard()
    story.run(seconds: 301)
    #expect(story.heard().contains(.lose(known)))
  }

  @Test("HP-43 The identity made for a shared payload stays, also when another peer shares it, and ages out")
  func generated() {
    let story = begin()
    story.comes()
    story.write(hex("03 BA FF 15 00") + first)
    guard case .read(let made, _, known: false) = story.heard()[3] else {
      Issue.record("not read")
      return
    }
    story.goes()
    story.run(seconds: 600)
    story.comes(DeviceAddress(high: 0x7777, low: 1, kind: .random))
    story.write(hex("03 C4 FF 15 00") + first)
    #expect(
      story.heard().suffix(3) == [
        .read(made, first, known: true), .measure(made, -60), .measureWithPayload(made, -60),
      ])
    story.goes()
    story.run(seconds: 899)
    #expect(!story.heard().contains(.lose(made)))
    story.run(seconds: 1)
    #expect(story.heard().contains(.lose(made)))
    #expect(story.count(.attempts) == 0)
  }

  @Test(
    "HP-42 Shared payloads of any length are split by the supplier; what is no whole payload is left alone")
  func splitting() {
    let story = begin()
    story.node.core.values.supplier.fixedLength = 2
    story.comes()
    story.write(hex("03 BA FF 05 00 A1 A2 B1 B2 C1"))
    let reads = story.heard().compactMap { if case .read(_, let bytes, _) = $0 { bytes } else { nil } }
    #expect(reads == [hex("A1 A2"), hex("B1 B2")])
    story.node.core.values.supplier.fixedLength = 0
    story.write(hex("03 BA FF 05 00 A1 A2 B1 B2 C1"))
    let whole = story.heard().compactMap { if case .read(_, let bytes, _) = $0 { bytes } else { nil } }
    #expect(whole == [hex("A1 A2 B1 B2 C1")])
  }

  @Test(
    "Shared payloads without a strength are read and not measured; a strength without payloads counts alone")
  func incomplete() {
    let story = begin()
    story.comes()
    story.write(hex("03 7F 00 15 00") + first)
    let heard = story.heard()
    #expect(heard.count == 3 && heard[0] == .detect(iPhone) && heard[1] == .share(iPhone, first))
    story.write(hex("03 BA FF 00 00"))
    #expect(story.heard() == [.measure(iPhone, -70)])
  }

  @Test("HP-42 The payload of a peer that cannot advertise is passed on")
  func passedOn() {
    let story = begin()
    story.comes(Peer.android, on: 1)
    story.write(hex("01 02 00 A1 A2"), on: 1)
    story.goes(1)
    story.hear(Peer.iPhone, Peer.iPhoneAdvert, rssi: -70)
    story.readIPhone(payload: "B1 B2")
    #expect(story.requests() == [hex("12 12 00 01 15 00") + own])
    story.happen(.pdu(hex("13"), on: ConnectionID(index: 0)))
    #expect(story.requests() == [hex("12 12 00 03 BA FF 02 00 A1 A2")])
  }

  @Test("An empty write wakes and says nothing, not even in the middle of a message")
  func wake() {
    let story = begin()
    story.comes()
    story.write([])
    story.write(hex("04 04 00 68"))
    story.write([])
    story.write(hex("65 79 21"))
    #expect(story.heard() == [.detect(iPhone), .receive(iPhone, hex("68 65 79 21"))])
    #expect(story.count(.signalWakes) == 2)
  }

  @Test("A payload of 510 bytes comes in parts, one of 509 also prepared, and its buffer is free again")
  func longest() {
    let story = begin()
    story.comes()
    let long = (0..<510).map { UInt8(truncatingIfNeeded: $0) }
    story.write(hex("01 FE 01") + long, .parts)
    #expect(story.heard() == [.detect(iPhone), .read(iPhone, long, known: false)])
    story.write(hex("01 FD 01") + long.dropLast(), .prepared)
    #expect(story.heard() == [.read(iPhone, Array(long.dropLast()), known: false)])
    story.write(hex("03 BA FF FE 01") + long, .parts)
    #expect(story.heard().contains(.share(iPhone, long)))
    for index in 1..<4 { story.comes(Peer.android, on: index) }
    for index in 0..<4 { #expect(story.ask(hex("0A 10 00"), on: index).first == 0x0B) }
  }

  @Test("A peer that has read our payload in pieces has a buffer for its message; reading on goes on")
  func buffers() {
    let story = begin()
    for index in 0..<4 {
      story.comes(DeviceAddress(high: 0x7000, low: UInt32(index), kind: .random), on: index)
      #expect(story.ask(hex("0A 10 00"), on: index).count == 22)
    }
    _ = story.heard()
    story.write(hex("04 02 00 68 69"), on: 2)
    #expect(
      story.heard().last
        == .receive(TargetIdentity(DeviceAddress(high: 0x7000, low: 2, kind: .random)), hex("68 69")))
    #expect(story.ask(hex("0C 10 00 05 00"), on: 2) == [0x0D] + own[5...])
    #expect(story.count(.signalsWithoutBuffer) == 0)
  }
}
