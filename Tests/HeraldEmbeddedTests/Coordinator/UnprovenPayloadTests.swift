import HeraldBluetooth
import HeraldEmbedded
import HeraldSimulation
import Testing

private let iPhone = TargetIdentity(Peer.iPhone)
private let first = hex("10 3A 03 00 00 01 02 03 04 05 06 07 08 09 0A 0B 0C 0D 0E 0F 10")
private let second = hex("10 3A 03 00 00 21 22 23 24 25 26 27 28 29 2A 2B 2C 2D 2E 2F 30")

/// Payloads that somebody writes who may not be who it says.
@Suite("Coordinator: payloads that are not proven")
struct UnprovenPayloadTests {
  private func begin() -> Scenario {
    let scenario = Scenario(payload: hex("10 3A 03 00 00 F1 F2 F3 F4 F5 F6 F7 F8 F9 FA FB FC FD FE FF F0"))
    scenario.node.core.values.supplier.fixedLength = 21
    return scenario
  }

  @Test("HP-09 What is written under the address of a peer that was read does not replace what was read")
  func afterReading() {
    let scenario = begin()
    scenario.hear(Peer.iPhone, Peer.iPhoneAdvert)
    scenario.readIPhone(payload: "B1 B2")
    scenario.goes(0)
    _ = scenario.heard()
    let place = scenario.node.core.table.find(iPhone)
    let digest = place.map { scenario.node.core.table[$0].payloadDigest }
    scenario.comes(Peer.iPhone, on: 1)
    scenario.write(hex("01 15 00") + first, on: 1)
    // It is told as that of somebody else, once.
    guard case .read(let made, first, known: false)? = scenario.heard().first else {
      Issue.record("not told")
      return
    }
    #expect(made.kind == .shared)
    #expect(scenario.peersInLog().last == "0 read \(Scenario.name(made)) \(text(first))")
    scenario.write(hex("01 15 00") + first, on: 1)
    #expect(scenario.heard() == [.read(made, first, known: true)])
    #expect(scenario.peersInLog().filter { $0.contains(" read ") }.count == 2)
    // What is measured is measured of the peer that was read, and of nobody else.
    scenario.write(hex("02 C8 FF"), on: 1)
    #expect(scenario.heard() == [.measure(iPhone, -56), .measureWithPayload(iPhone, -56)])
    #expect(digest != nil && place.map { scenario.node.core.table[$0].payloadDigest } == digest)
    #expect(place.map { scenario.node.core.table[$0].state } == .read)
  }

  @Test("HP-09 A peer that takes connections is still read when somebody wrote a payload under its address")
  func beforeReading() {
    let scenario = begin()
    scenario.comes(Peer.iPhone, on: 1)
    scenario.write(hex("01 15 00") + first, on: 1)  // before it was heard
    scenario.hear(Peer.iPhone, Peer.iPhoneAdvert)
    scenario.write(hex("01 15 00") + second, on: 1)  // and after
    #expect(scenario.heard().filter { if case .read = $0 { true } else { false } }.count == 2)
    let place = scenario.node.core.table.find(iPhone)
    #expect(place.map { scenario.node.core.table[$0].state } == .confirmed)
    #expect(place.map { scenario.node.core.table[$0].owesWork } == true)
  }

  @Test(
    "HP-09 What a peer writes that shows itself under somebody else's pseudo device address is reported as its own"
  )
  func replayedPseudoAddress() {
    let scenario = begin()
    let liar = DeviceAddress(high: 0x7666, low: 1, kind: .random)
    scenario.hear(Peer.android, Peer.androidAdvert)
    scenario.hear(liar, Peer.androidAdvert)
    scenario.comes(liar, on: 1)
    scenario.write(hex("01 15 00") + first, on: 1)
    guard case .read(let made, first, known: false)? = scenario.heard().first else {
      Issue.record("not told")
      return
    }
    #expect(made.kind == .shared)
    let place = scenario.node.core.table.find(Peer.androidIdentity)
    #expect(place.map { scenario.node.core.table[$0].payloadDigest } == 0)
    scenario.hear(Peer.android, Peer.androidAdvert)
    #expect(!scenario.heard().contains { if case .measureWithPayload = $0 { true } else { false } })
    scenario.run(seconds: 4)
    scenario.hear(Peer.android, Peer.androidAdvert)
    scenario.readAndroid()
    #expect(scenario.heard().contains(.read(Peer.androidIdentity, hex(Peer.payload), known: false)))
  }

  @Test("HP-09 A written payload of somebody else is in the log, if there is a place for its writer or not")
  func fullOfPeers() {
    let scenario = begin()
    for number in 1...7 {
      scenario.hear(
        DeviceAddress(high: 0x4000, low: UInt32(number), kind: .random), "02 01 1A 03 03 F6 FC",
        kind: .scannable.union(.legacy))
    }
    scenario.hear(Peer.android, Peer.androidAdvert)
    scenario.comes(Peer.android, on: 1)
    scenario.write(hex("01 15 00") + first, on: 1)
    #expect(scenario.node.core.table.evictions == 0)
    #expect(scenario.peersInLog().filter { $0.hasSuffix(text(first)) }.count == 1)
  }
}
