import HeraldBluetooth
import HeraldSimulation
import Testing

/// A payload of `count` bytes, 0x80, 0x81 and so on.
private func numbered(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: 0x80 + $0) } }

@Suite("Coordinator: being read")
struct ServingTests {
  private let peer = Peer.iPhone

  private func open(_ scenario: Scenario, _ index: Int = 0) {
    scenario.happen(.opened(ConnectionID(index: index), .peripheral, peer: peer))
    _ = scenario.answers()
  }

  private func ask(_ scenario: Scenario, _ request: String, on index: Int = 0) -> [UInt8] {
    scenario.happen(.pdu(hex(request), on: ConnectionID(index: index)))
    let answers = scenario.answers()
    #expect(answers.count == 1)
    return answers.first ?? []
  }

  @Test("HP-07 HP-34 Our payload is read with an ATT_MTU of 23 in blobs; empty at its end, an error beyond")
  func blobs() {
    let scenario = Scenario(payload: numbered(50))
    open(scenario)
    #expect(ask(scenario, "0A 10 00") == [0x0B] + numbered(50)[0..<22])
    #expect(ask(scenario, "0C 10 00 16 00") == [0x0D] + numbered(50)[22..<44])
    #expect(ask(scenario, "0C 10 00 2C 00") == [0x0D] + numbered(50)[44..<50])
    #expect(ask(scenario, "0C 10 00 32 00") == [0x0D])
    #expect(ask(scenario, "0C 10 00 33 00") == hex("01 0C 10 00 07"))
    #expect(scenario.count(.payloadsServed) == 1)
  }

  @Test("The payload is the same in both services, and 244 bytes of it fit an ATT_MTU of 247")
  func bothServices() {
    let scenario = Scenario(payload: numbered(246))
    open(scenario)
    #expect(ask(scenario, "02 F7 00") == hex("03 F7 00"))
    #expect(ask(scenario, "0A 10 00") == [0x0B] + numbered(246))
    #expect(ask(scenario, "0A 15 00") == [0x0B] + numbered(246))
  }

  @Test(
    "HP-41 A payload that changes between two pieces is still read as one; the next exchange gets the new one"
  )
  func consistency() {
    let scenario = Scenario(payload: numbered(30))
    open(scenario)
    #expect(ask(scenario, "0A 10 00") == [0x0B] + numbered(30)[0..<22])
    scenario.node.core.values.supplier.bytes = [UInt8](repeating: 7, count: 40)
    #expect(ask(scenario, "0C 10 00 16 00") == [0x0D] + numbered(30)[22..<30])
    #expect(ask(scenario, "0A 10 00") == [0x0B] + [UInt8](repeating: 7, count: 22))
    open(scenario, 1)
    #expect(ask(scenario, "0A 10 00", on: 1) == [0x0B] + [UInt8](repeating: 7, count: 22))
  }

  @Test("While every buffer is in use a further reader is told so, and served when one is free")
  func noBuffer() {
    let scenario = Scenario(payload: numbered(30))
    for index in 0..<4 {
      open(scenario, index)
      #expect(ask(scenario, "0A 10 00", on: index).first == 0x0B)
    }
    scenario.hear(Peer.android, Peer.androidAdvert)
    #expect(scenario.count(.attempts) == 0)  // no connection is left for us either
    scenario.happen(.closed(ConnectionID(index: 3), .remoteUserTerminated))
    open(scenario, 3)
    #expect(ask(scenario, "0A 10 00", on: 3).first == 0x0B)
  }

  @Test("A device without a payload advertises nothing, and offers it as soon as there is one")
  func withoutPayload() {
    let scenario = Scenario(payload: [])
    #expect(scenario.node.radio.advertising == nil)
    scenario.node.core.values.supplier.bytes = numbered(13)
    scenario.run(seconds: 10)
    #expect(scenario.node.radio.advertising != nil)
  }

  @Test("HP-35 Signals are taken with response")
  func signal() {
    let scenario = Scenario()
    open(scenario)
    #expect(ask(scenario, "12 0E 00 03 02 00 C8 FF") == hex("13"))
    #expect(scenario.count(.signals) == 1)
    scenario.happen(.pdu(hex("52 0E 00 03 02 00 C8 FF"), on: ConnectionID(index: 0)))
    #expect(scenario.answers().isEmpty)
    #expect(scenario.count(.signals) == 1)
  }

  @Test("A peer is served while another is being read, on connections of their own")
  func both() {
    let scenario = Scenario(payload: numbered(13))
    scenario.hear(Peer.android, Peer.androidAdvert)
    _ = scenario.commands()
    scenario.happen(.opened(ConnectionID(index: 0), .central, peer: Peer.android))
    scenario.exchange("02 F7 00", "03 F7 00")
    open(scenario, 1)
    #expect(ask(scenario, "0A 10 00", on: 1) == [0x0B] + numbered(13))
    scenario.happen(.pdu(hex("07 28 00 2C 00"), on: ConnectionID(index: 0)))
    scenario.exchange(
      "08 28 00 2C 00 03 28", "09 15 29 00 08 2A 00 \(Peer.signalUUID) 2B 00 02 2C 00 \(Peer.payloadUUID)")
    #expect(ask(scenario, "0C 10 00 0D 00", on: 1) == [0x0D])
    scenario.happen(.pdu(hex("0B \(Peer.payload)"), on: ConnectionID(index: 0)))
    #expect(scenario.count(.reads) == 1)
  }

  @Test(
    "HP-02 A peer that connects and asks nothing is let go after 15 s, one that keeps asking after a minute")
  func idle() {
    let scenario = Scenario()
    open(scenario)
    scenario.run(milliseconds: 14_999)
    #expect(scenario.commands().isEmpty)
    scenario.run(milliseconds: 1)
    #expect(scenario.commands() == [.disconnect(ConnectionID(index: 0))])
    open(scenario, 1)
    for _ in 0..<59 {
      _ = ask(scenario, "0A 10 00", on: 1)
      scenario.run(seconds: 1)
    }
    #expect(scenario.commands().isEmpty)
    scenario.run(seconds: 1)
    #expect(scenario.commands() == [.disconnect(ConnectionID(index: 1))])
  }

  @Test("With every connection taken it goes on advertising, not connectably")
  func full() {
    let scenario = Scenario()
    for index in 0..<4 { open(scenario, index) }
    #expect(scenario.node.radio.advertising?.connectable == false)
    scenario.happen(.closed(ConnectionID(index: 2), .connectionTimeout))
    #expect(scenario.node.radio.advertising?.connectable == true)
  }

  @Test("A radio that cannot advertise connectably while connected advertises not connectably then")
  func limitedRadio() {
    var capabilities = MockRadio.usualCapabilities
    capabilities.canAdvertiseWhileConnected = false
    let scenario = Scenario(capabilities: capabilities)
    #expect(scenario.node.radio.advertising?.connectable == true)
    open(scenario)
    #expect(scenario.node.radio.advertising?.connectable == false)
  }
}
