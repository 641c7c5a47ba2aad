import HeraldBluetooth
import HeraldNeighbours
import HeraldSimulation
import Testing

@Suite("Service Changed (Core Specification, Vol 3, Part G, 7.1)")
struct ServiceChangedTests {
  /// Shows numbers of CovidWatch's.
  private func showing() -> NeighbourScenario {
    NeighbourScenario.withNeighbours { $0.covidWatch.isPeripheral = true }
  }

  private func sent(_ scenario: NeighbourScenario) -> [String] { scenario.requests().map(text) }

  /// A peer connects and subscribes.
  private func subscribe(_ scenario: NeighbourScenario, on index: Int = 0) {
    scenario.peerConnects(on: index)
    #expect(scenario.ask("12 09 00 02 00", on: index) == "13")
  }

  @Test(
    "Service Changed is in the GATT service, indicated and neither read nor written; later handles are three higher"
  )
  func table() {
    let scenario = showing()
    scenario.peerConnects()
    #expect(scenario.ask("06 01 00 FF FF 00 28 01 18") == "07 06 00 09 00")
    #expect(scenario.ask("08 06 00 09 00 03 28") == "09 07 07 00 20 08 00 05 2A")
    #expect(scenario.ask("04 08 00 09 00") == "05 01 08 00 05 2A 09 00 02 29")
    #expect(scenario.ask("0A 08 00") == "01 0A 08 00 02")
    #expect(scenario.ask("12 08 00 01 00 FF FF") == "01 12 08 00 03")
    #expect(scenario.ask("0A 09 00") == "0B 00 00")
    #expect(scenario.ask("12 09 00 01 00") == "01 12 09 00 FD")
    #expect(scenario.ask("12 09 00 02 00") == "13")
    #expect(scenario.ask("0A 09 00") == "0B 02 00")
    // Device Information, and both services of Herald's, with their characteristics.
    #expect(scenario.ask("06 01 00 FF FF 00 28 0A 18") == "07 0A 00 0E 00")
    #expect(scenario.ask("08 0A 00 0E 00 03 28") == "09 07 0B 00 02 0C 00 29 2A 0D 00 02 0E 00 24 2A")
    #expect(scenario.ask("06 01 00 FF FF 00 28 \(Peer.longService)") == "07 0F 00 13 00")
    #expect(scenario.ask("08 0F 00 13 00 03 28") == "09 15 10 00 08 11 00 \(Peer.signalUUID)")
    #expect(scenario.ask("08 12 00 13 00 03 28") == "09 15 12 00 02 13 00 \(Peer.payloadUUID)")
    #expect(scenario.ask("06 01 00 FF FF 00 28 F6 FC") == "07 14 00 18 00")
    #expect(scenario.ask("08 14 00 18 00 03 28") == "09 15 15 00 08 16 00 \(Peer.signalUUID)")
    #expect(scenario.ask("08 17 00 18 00 03 28") == "09 15 17 00 02 18 00 \(Peer.payloadUUID)")
    #expect(scenario.ask("06 01 00 FF FF 00 28 19 C0") == "07 19 00 1B 00")
    // The client configuration of another connection is another.
    scenario.peerConnects(Peer.android, on: 1)
    #expect(scenario.ask("0A 09 00", on: 1) == "0B 00 00")
  }

  @Test("A table that does not change has none")
  func constant() {
    let scenario = Scenario()
    scenario.happen(.opened(ConnectionID(index: 0), .peripheral, peer: Peer.iPhone))
    scenario.happen(.pdu(hex("06 01 00 FF FF 00 28 01 18"), on: ConnectionID(index: 0)))
    #expect(scenario.answers() == [hex("07 06 00 06 00")])
  }

  @Test("A peer that subscribed is told when a system is switched on or off; others are not")
  func switched() {
    let scenario = NeighbourScenario()
    subscribe(scenario, on: 0)
    scenario.peerConnects(Peer.android, on: 1)
    scenario.node.core.services.covidWatch.isPeripheral = true
    _ = sent(scenario)
    scenario.poll()
    let indications = scenario.node.radio.takeCommands().compactMap {
      if case .send(let bytes, let connection) = $0 { "\(connection.index): \(text(bytes))" } else { nil }
    }
    #expect(indications == ["0: 1D 08 00 19 00 FF FF"])
    #expect(scenario.ask("1E") == "")
    #expect(scenario.ask("06 01 00 FF FF 00 28 19 C0") == "07 19 00 1B 00")
    // Nothing changes, nothing is indicated.
    scenario.run(seconds: 5)
    #expect(sent(scenario) == [])
    scenario.node.core.services.covidWatch.isPeripheral = false
    scenario.poll()
    #expect(sent(scenario) == ["1D 08 00 19 00 FF FF"])
    #expect(scenario.ask("06 01 00 FF FF 00 28 19 C0") == "01 06 01 00 0A")
    #expect(scenario.violations.isEmpty)
  }

  @Test("A peer that subscribed is told when a new address takes the codes off its connection, and only then")
  func rotated() {
    let scenario = showing()
    scenario.run(seconds: 890)
    subscribe(scenario)
    scenario.run(seconds: 10)
    #expect(sent(scenario) == ["1D 08 00 19 00 FF FF"])
    #expect(scenario.ask("1E") == "")
    #expect(scenario.ask("06 01 00 FF FF 00 28 19 C0") == "01 06 01 00 0A")
    // Other changes do not concern this connection any more.
    scenario.node.core.services.covidWatch.isPeripheral = false
    scenario.poll()
    scenario.node.core.services.covidWatch.isPeripheral = true
    scenario.poll()
    #expect(sent(scenario) == [])
    // Without codes a new address changes nothing of the table.
    let other = NeighbourScenario()
    other.run(seconds: 890)
    subscribe(other)
    other.run(seconds: 10)
    #expect(sent(other) == [])
  }

  @Test("The next change is indicated when the one before is confirmed")
  func onePending() {
    let scenario = showing()
    subscribe(scenario)
    _ = sent(scenario)
    scenario.node.core.services.covidWatch.isPeripheral = false
    scenario.poll()
    scenario.node.core.services.covidWatch.isPeripheral = true
    scenario.poll()
    #expect(sent(scenario) == ["1D 08 00 19 00 FF FF"])
    // A confirmation has one byte.
    scenario.happen(.pdu(hex("1E 00"), on: ConnectionID(index: 0)))
    #expect(sent(scenario) == [])
    scenario.happen(.pdu(hex("1E"), on: ConnectionID(index: 0)))
    #expect(sent(scenario) == ["1D 08 00 19 00 FF FF"])
    scenario.happen(.pdu(hex("1E"), on: ConnectionID(index: 0)))
    #expect(sent(scenario) == [])
    // One that nobody waits for is ignored.
    scenario.happen(.pdu(hex("1E"), on: ConnectionID(index: 0)))
    #expect(sent(scenario) == [])
  }

  @Test("A connection that takes no PDU is told when it does; one whose peer no longer wants it is not")
  func backpressure() {
    let scenario = showing()
    subscribe(scenario, on: 0)
    subscribe(scenario, on: 1)
    scenario.node.radio.hasBackpressure = true
    scenario.node.core.services.covidWatch.isPeripheral = false
    scenario.poll()
    #expect(sent(scenario) == [])
    scenario.happen(.pdu(hex("12 09 00 00 00"), on: ConnectionID(index: 1)))
    scenario.node.radio.hasBackpressure = false
    _ = scenario.answers()
    scenario.happen(.readyToSend(ConnectionID(index: 0)))
    #expect(sent(scenario) == ["1D 08 00 19 00 FF FF"])
    scenario.happen(.readyToSend(ConnectionID(index: 1)))
    #expect(sent(scenario) == [])
  }

  @Test(
    "A connection on which 30 s pass without the confirmation is closed (Vol 3, Part F, 3.3.3); a confirmed one lives on"
  )
  func unconfirmed() {
    for isConfirmed in [false, true] {
      let scenario = showing()
      subscribe(scenario)
      scenario.run(seconds: 5)
      scenario.node.core.services.covidWatch.isPeripheral = false
      scenario.poll()
      #expect(sent(scenario) == ["1D 08 00 19 00 FF FF"])
      if isConfirmed { scenario.happen(.pdu(hex("1E"), on: ConnectionID(index: 0))) }
      // The peer keeps sending requests meanwhile.
      for _ in 0..<29 {
        scenario.run(seconds: 1)
        #expect(scenario.ask("0A 05 00") == "0B 00 00")
      }
      scenario.run(milliseconds: 999)
      #expect(scenario.commands().isEmpty)
      scenario.run(milliseconds: 1)
      #expect(scenario.commands() == (isConfirmed ? [] : [.disconnect(ConnectionID(index: 0))]))
      guard isConfirmed else { continue }
      // It asked last at 34 s.
      scenario.run(milliseconds: 13_999)
      #expect(scenario.commands().isEmpty)
      scenario.run(milliseconds: 1)
      #expect(scenario.commands() == [.disconnect(ConnectionID(index: 0))], "idle for 15 s, as any other")
    }
  }

  @Test("A new connection in the place of one that did not confirm is told of changes again")
  func reopened() {
    let scenario = showing()
    subscribe(scenario)
    scenario.node.core.services.covidWatch.isPeripheral = false
    scenario.poll()
    scenario.happen(.closed(ConnectionID(index: 0), .remoteUserTerminated))
    subscribe(scenario)
    _ = sent(scenario)
    scenario.node.core.services.covidWatch.isPeripheral = true
    scenario.poll()
    #expect(sent(scenario) == ["1D 08 00 19 00 FF FF"])
  }
}
