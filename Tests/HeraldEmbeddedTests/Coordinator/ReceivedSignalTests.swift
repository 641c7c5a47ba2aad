import HeraldBluetooth
import HeraldEmbedded
import HeraldSimulation
import Testing

private let iPhone = TargetIdentity(Peer.iPhone)
private let first = hex("10 3A 03 00 00 01 02 03 04 05 06 07 08 09 0A 0B 0C 0D 0E 0F 10")
private let second = hex("10 3A 03 00 00 21 22 23 24 25 26 27 28 29 2A 2B 2C 2D 2E 2F 30")
private let own = hex("10 3A 03 00 00 F1 F2 F3 F4 F5 F6 F7 F8 F9 FA FB FC FD FE FF F0")

/// A scenario whose payloads are simple ones of 21 bytes.
private func begin<Table: GATTTable>(serving: Table.Type = HeraldGATTTable.self)
  -> TableScenario<Table>
{
  let scenario = TableScenario<Table>(payload: own)
  scenario.node.core.values.supplier.fixedLength = 21
  return scenario
}

@Suite("Coordinator: received signal messages")
struct ReceivedSignalTests {
  /// The values of the two signal characteristics.
  static let handles: [UInt8] = [0x0E, 0x10]

  @Test(
    "HP-09 HP-35 HP-36 A payload is taken in each way of writing, on either characteristic",
    arguments: WayOfWriting.allCases, handles)
  func payload(way: WayOfWriting, handle: UInt8) {
    let scenario = begin(serving: HeraldBothSignalsGATTTable.self)
    scenario.comes()
    scenario.write(hex("01 15 00") + first, way, to: handle)
    #expect(scenario.heard() == [.detect(iPhone), .read(iPhone, first, known: false)])
    #expect(
      scenario.peersInLog() == [
        "0 detect iPhone", "0 detectHerald iPhone",
        "0 read iPhone 10 3A 03 00 00 01 02 03 04 05 06 07 08 09 0A 0B 0C 0D 0E 0F 10",
      ])
    #expect(scenario.count(.signalPayloads) == 1)
    #expect(scenario.count(.signalsMalformed) == 0)
  }

  @Test(
    "HP-06 HP-36 An RSSI is taken in each way of writing, on either characteristic",
    arguments: WayOfWriting.allCases, handles)
  func strength(way: WayOfWriting, handle: UInt8) {
    let scenario = begin(serving: HeraldBothSignalsGATTTable.self)
    scenario.comes()
    scenario.write(hex("02 C8 FF"), way, to: handle)
    #expect(scenario.heard() == [.detect(iPhone), .measure(iPhone, -56)])
    #expect(scenario.peersInLog() == ["0 detect iPhone", "0 measure iPhone -56"])
    #expect(scenario.count(.signalStrengths) == 1)
    #expect(scenario.count(.signalsMalformed) == 0)
  }

  @Test(
    "HP-36 HP-42 HP-43 Shared payloads are taken in each way of writing, on either characteristic",
    arguments: WayOfWriting.allCases, handles)
  func sharing(way: WayOfWriting, handle: UInt8) {
    let scenario = begin(serving: HeraldBothSignalsGATTTable.self)
    scenario.comes()
    scenario.write(hex("03 BA FF 2A 00") + first + second, way, to: handle)
    let heard = scenario.heard()
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
    let one = Scenario.name(made[0])
    let other = Scenario.name(made[1])
    #expect(
      scenario.peersInLog() == [
        "0 detect iPhone", "0 measure iPhone -70",
        "0 share iPhone 10 3A 03 00 00 01 02 03 04 05 06 07 08 09 0A 0B 0C 0D 0E 0F 10 "
          + "10 3A 03 00 00 21 22 23 24 25 26 27 28 29 2A 2B 2C 2D 2E 2F 30",
        "0 read \(one) 10 3A 03 00 00 01 02 03 04 05 06 07 08 09 0A 0B 0C 0D 0E 0F 10",
        "0 measure \(one) -70",
        "0 read \(other) 10 3A 03 00 00 21 22 23 24 25 26 27 28 29 2A 2B 2C 2D 2E 2F 30",
        "0 measure \(other) -70",
      ])
    #expect(scenario.count(.signalShares) == 1)
  }

  @Test(
    "HP-30 HP-31 HP-36 An immediate message reaches the application in each way of writing, on either characteristic",
    arguments: WayOfWriting.allCases, handles)
  func immediate(way: WayOfWriting, handle: UInt8) {
    let scenario = begin(serving: HeraldBothSignalsGATTTable.self)
    scenario.comes()
    let text = Array("more than twenty bytes".utf8)
    scenario.write(hex("04 16 00") + text, way, to: handle)
    scenario.write(hex("04 02 00 68 69"), way, to: handle)
    scenario.write(hex("04 00 00"), way, to: handle)
    #expect(
      scenario.heard() == [
        .detect(iPhone), .receive(iPhone, text), .receive(iPhone, hex("68 69")), .receive(iPhone, []),
      ])
    #expect(scenario.peersInLog().last == "0 received iPhone ")
    #expect(scenario.peersInLog().dropLast().last == "0 received iPhone 68 69")
    #expect(scenario.count(.signalMessages) == 3)
  }

  @Test("HP-09 Neither characteristic is declared for, nor takes, writing without response")
  func withoutResponse() {
    let scenario = begin(serving: HeraldBothSignalsGATTTable.self)
    scenario.comes()
    // Read By Type of characteristic declarations: properties 08 is write, 18 write and notify; 04 would be
    // without response.
    #expect(
      scenario.ask(hex("08 0C 00 13 00 03 28"))
        == hex("09 15 0D 00 08 0E 00 \(Peer.signalUUID) 0F 00 18 10 00 \(Peer.otherSignalUUID)")
        + hex("12 00 02 13 00 \(Peer.payloadUUID)"))
    for handle in ["0E", "10"] {
      #expect(scenario.ask(hex("52 \(handle) 00 02 C8 FF")) == [])
      #expect(scenario.ask(hex("52 \(handle) 00 01 02 00 A1 A2")) == [])
    }
    #expect(scenario.heard() == [])
    #expect(scenario.count(.signals) == 0)
    #expect(scenario.ask(hex("12 0E 00 01 02 00 A1 A2")) == hex("13"))
    #expect(scenario.heard() == [.detect(iPhone), .read(iPhone, hex("A1 A2"), known: false)])
  }

  @Test("HP-40 A payload of a format nobody knows is carried like any other")
  func unknownFormat() {
    let scenario = begin()
    scenario.comes()
    scenario.write(hex("01 03 00 FF FE FD"))
    #expect(scenario.heard() == [.detect(iPhone), .read(iPhone, hex("FF FE FD"), known: false)])
  }

  @Test("HP-06 A peer that cannot advertise is measured by what it writes, and nobody connects to it")
  func receiveOnly() {
    let scenario = begin()
    scenario.comes()
    scenario.write(hex("01 15 00") + first)
    scenario.write(hex("02 C8 FF"))
    scenario.goes()
    scenario.run(seconds: 15)
    scenario.comes()
    scenario.write(hex("02 C4 FF"))
    #expect(scenario.heard() == [.measure(iPhone, -60), .measureWithPayload(iPhone, -60)])
    scenario.goes()
    scenario.run(seconds: 60)
    #expect(scenario.count(.attempts) == 0)
    let place = scenario.node.core.table.find(iPhone)
    #expect(place.map { scenario.node.core.table[$0].isReceiveOnly } == true)
    // Heard to advertise after all, it is an ordinary peer.
    scenario.hear(Peer.iPhone, Peer.iPhoneAdvert)
    #expect(place.map { scenario.node.core.table[$0].isReceiveOnly } == false)
  }

  @Test("HP-06 A peer that only writes ages out when it has not written for fifteen minutes")
  func silence() {
    let scenario = begin()
    scenario.comes()
    scenario.write(hex("02 C8 FF"))
    scenario.goes()
    scenario.run(seconds: 899)
    _ = scenario.heard()
    scenario.run(seconds: 1)
    #expect(scenario.heard() == [.lose(iPhone)])
  }

  @Test("HP-03 A payload written again is no news; under another address it is known; a new one is read")
  func again() {
    let scenario = begin()
    scenario.comes()
    scenario.write(hex("01 15 00") + first)
    _ = scenario.heard()
    scenario.write(hex("01 15 00") + first)
    #expect(scenario.heard() == [])
    scenario.write(hex("01 15 00") + second)
    #expect(scenario.heard() == [.read(iPhone, second, known: false)])
    let other = DeviceAddress(high: 0x7777, low: 1, kind: .random)
    scenario.comes(other, on: 1)
    scenario.write(hex("01 15 00") + second, on: 1)
    #expect(
      scenario.heard() == [.detect(TargetIdentity(other)), .read(TargetIdentity(other), second, known: true)])
  }

  @Test("HP-15 What a peer writes is reported under the identity under which it is heard")
  func identity() {
    let scenario = begin()
    scenario.hear(Peer.android, Peer.androidAdvert)
    scenario.comes(Peer.android, on: 1)
    scenario.write(hex("02 C8 FF"), on: 1)
    #expect(scenario.heard() == [.measure(Peer.androidIdentity, -56)])
    let place = scenario.node.core.table.find(Peer.androidIdentity)
    #expect(place.map { scenario.node.core.table[$0].isReceiveOnly } == false)  // it advertises
  }

  @Test(
    "HP-15 A peer that wrote before it was heard is reported under its pseudo device address from then on")
  func identityLater() {
    let scenario = begin()
    scenario.comes(Peer.android, on: 1)
    scenario.write(hex("02 C8 FF"), on: 1)
    #expect(scenario.heard().last == .measure(TargetIdentity(Peer.android), -56))
    scenario.hear(Peer.android, Peer.androidAdvert)
    _ = scenario.heard()
    scenario.write(hex("02 C4 FF"), on: 1)
    scenario.write(hex("02 C4 FF"), on: 1)
    #expect(scenario.heard() == [.measure(Peer.androidIdentity, -60), .measure(Peer.androidIdentity, -60)])
  }

  @Test("A message over the connection that we opened is reported under the identity of its peer")
  func onOurConnection() {
    let scenario = begin()
    scenario.hear(Peer.android, Peer.androidAdvert)
    scenario.happen(.opened(ConnectionID(index: 0), .central, peer: Peer.android))
    _ = scenario.heard()
    _ = scenario.answers()
    scenario.write(hex("04 02 00 68 69"))
    #expect(scenario.heard() == [.receive(Peer.androidIdentity, hex("68 69"))])
  }

  @Test(
    "HP-43 A shared payload of a peer that is known is reported under an identity made for it, never under that peer's"
  )
  func sharedOfKnown() {
    let scenario = begin()
    let other = DeviceAddress(high: 0x7777, low: 1, kind: .random)
    scenario.comes(other, on: 1)
    scenario.write(hex("01 15 00") + first, on: 1)
    scenario.comes()
    scenario.write(hex("03 BA FF 15 00") + first)
    let known = TargetIdentity(other)
    let heard = scenario.heard()
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
    scenario.write(hex("03 C4 FF 15 00") + first)
    #expect(scenario.heard().suffix(2) == [.measure(made, -60), .measureWithPayload(made, -60)])
    #expect(scenario.peersInLog().filter { $0.contains(" read ") }.count == 2)
    let place = scenario.node.core.table.find(known)
    // Hearsay is no measurement of ours, nor a sign of life.
    #expect(place.map { scenario.node.core.table[$0].lastRSSI } == .notAvailable)
    scenario.goes()
    scenario.run(seconds: 600)
    scenario.comes()
    scenario.write(hex("03 BA FF 15 00") + first)
    _ = scenario.heard()
    scenario.run(seconds: 301)
    #expect(scenario.heard().contains(.lose(known)))
  }

  @Test("HP-43 The identity made for a shared payload stays, also when another peer shares it, and ages out")
  func generated() {
    let scenario = begin()
    scenario.comes()
    scenario.write(hex("03 BA FF 15 00") + first)
    guard case .read(let made, _, known: false) = scenario.heard()[3] else {
      Issue.record("not read")
      return
    }
    scenario.goes()
    scenario.run(seconds: 600)
    scenario.comes(DeviceAddress(high: 0x7777, low: 1, kind: .random))
    scenario.write(hex("03 C4 FF 15 00") + first)
    #expect(
      scenario.heard().suffix(3) == [
        .read(made, first, known: true), .measure(made, -60), .measureWithPayload(made, -60),
      ])
    scenario.goes()
    scenario.run(seconds: 899)
    #expect(!scenario.heard().contains(.lose(made)))
    scenario.run(seconds: 1)
    #expect(scenario.heard().contains(.lose(made)))
    #expect(scenario.count(.attempts) == 0)
  }

  @Test(
    "HP-42 Shared payloads of any length are split by the supplier; what is no whole payload is left alone")
  func splitting() {
    let scenario = begin()
    scenario.node.core.values.supplier.fixedLength = 2
    scenario.comes()
    scenario.write(hex("03 BA FF 05 00 A1 A2 B1 B2 C1"))
    let reads = scenario.heard().compactMap { if case .read(_, let bytes, _) = $0 { bytes } else { nil } }
    #expect(reads == [hex("A1 A2"), hex("B1 B2")])
    scenario.node.core.values.supplier.fixedLength = 0
    scenario.write(hex("03 BA FF 05 00 A1 A2 B1 B2 C1"))
    let whole = scenario.heard().compactMap { if case .read(_, let bytes, _) = $0 { bytes } else { nil } }
    #expect(whole == [hex("A1 A2 B1 B2 C1")])
  }

  @Test(
    "Shared payloads without an RSSI are read and not measured; an RSSI without payloads counts alone")
  func incomplete() {
    let scenario = begin()
    scenario.comes()
    scenario.write(hex("03 7F 00 15 00") + first)
    let heard = scenario.heard()
    #expect(heard.count == 3 && heard[0] == .detect(iPhone) && heard[1] == .share(iPhone, first))
    scenario.write(hex("03 BA FF 00 00"))
    #expect(scenario.heard() == [.measure(iPhone, -70)])
  }

  @Test("HP-42 The payload of a peer that cannot advertise is passed on")
  func passedOn() {
    let scenario = begin()
    scenario.comes(Peer.android, on: 1)
    scenario.write(hex("01 02 00 A1 A2"), on: 1)
    scenario.goes(1)
    scenario.hear(Peer.iPhone, Peer.iPhoneAdvert, rssi: -70)
    scenario.readIPhone(payload: "B1 B2")
    #expect(scenario.requests() == [hex("12 12 00 01 15 00") + own])
    scenario.happen(.pdu(hex("13"), on: ConnectionID(index: 0)))
    #expect(scenario.requests() == [hex("12 12 00 03 BA FF 02 00 A1 A2")])
  }

  @Test("An empty write wakes and says nothing, not even in the middle of a message")
  func wake() {
    let scenario = begin()
    scenario.comes()
    scenario.write([])
    scenario.write(hex("04 04 00 68"))
    scenario.write([])
    scenario.write(hex("65 79 21"))
    #expect(scenario.heard() == [.detect(iPhone), .receive(iPhone, hex("68 65 79 21"))])
    #expect(scenario.count(.signalWakes) == 2)
  }

  @Test("A payload of 510 bytes comes in parts, one of 509 also prepared, and its buffer is free again")
  func longest() {
    let scenario = begin()
    scenario.comes()
    let long = (0..<510).map { UInt8(truncatingIfNeeded: $0) }
    scenario.write(hex("01 FE 01") + long, .parts)
    #expect(scenario.heard() == [.detect(iPhone), .read(iPhone, long, known: false)])
    scenario.write(hex("01 FD 01") + long.dropLast(), .prepared)
    #expect(scenario.heard() == [.read(iPhone, Array(long.dropLast()), known: false)])
    scenario.write(hex("03 BA FF FE 01") + long, .parts)
    #expect(scenario.heard().contains(.share(iPhone, long)))
    for index in 1..<4 { scenario.comes(Peer.android, on: index) }
    for index in 0..<4 { #expect(scenario.ask(hex("0A 10 00"), on: index).first == 0x0B) }
  }

  @Test("A peer that has read our payload in pieces has a buffer for its message; the read continues")
  func buffers() {
    let scenario = begin()
    for index in 0..<4 {
      scenario.comes(DeviceAddress(high: 0x7000, low: UInt32(index), kind: .random), on: index)
      #expect(scenario.ask(hex("0A 10 00"), on: index).count == 22)
    }
    _ = scenario.heard()
    scenario.write(hex("04 02 00 68 69"), on: 2)
    #expect(
      scenario.heard().last
        == .receive(TargetIdentity(DeviceAddress(high: 0x7000, low: 2, kind: .random)), hex("68 69")))
    #expect(scenario.ask(hex("0C 10 00 05 00"), on: 2) == [0x0D] + own[5...])
    #expect(scenario.count(.signalsWithoutBuffer) == 0)
  }
}
