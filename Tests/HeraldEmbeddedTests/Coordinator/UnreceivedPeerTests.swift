import HeraldBluetooth
import HeraldEmbedded
import HeraldHAL
import HeraldSimulation
import Testing

@Suite("Coordinator: peers that connect before they are received")
struct UnreceivedPeerTests {
  private let peer = DeviceAddress(high: 0x5A01, low: 0x0203_0405, kind: .random)
  private let connection = ConnectionID(index: 0)
  /// Find By Type Value Request: Primary Service, Herald's short service.
  private let search = "06 01 00 FF FF 00 28 F6 FC"

  /// A device that has scanned for more than a minute, and a peer that has opened a connection to it.
  private func called(latency: Interval) -> Scenario {
    let scenario = Scenario { $0.scanTiming.latency = latency }
    scenario.run(seconds: 65)
    scenario.happen(.opened(connection, .peripheral, peer: peer))
    _ = scenario.commands()
    return scenario
  }

  @Test("HP-21 while scanning is in rounds, a peer that searches for Herald is read over its own connection")
  func read() {
    let scenario = called(latency: .seconds(30))
    scenario.happen(.pdu(hex("02 F7 00"), on: connection))
    #expect(scenario.requests().isEmpty)
    scenario.happen(.pdu(hex(search), on: connection))
    scenario.exchange("02 F7 00", "03 00 02")
    scenario.exchange(search, "07 28 00 2C 00")
    scenario.exchange(
      "08 28 00 2C 00 03 28",
      "09 15 29 00 08 2A 00 \(Peer.signalUUID) 2B 00 02 2C 00 \(Peer.payloadUUID)")
    scenario.exchange("0A 2C 00", "0B \(Peer.payload)")
    let identity = TargetIdentity(peer)
    #expect(scenario.heard().contains(.read(identity, hex(Peer.payload), known: false)))
    #expect(scenario.count(.attempts) == 0 && scenario.count(.reads) == 1)
    // Once is enough, and no connection is attempted under an address that does not advertise.
    scenario.happen(.pdu(hex(search), on: connection))
    scenario.run(seconds: 5)
    #expect(scenario.requests().isEmpty)
    #expect(scenario.count(.attempts) == 0)
    #expect(scenario.violations.isEmpty)
  }

  @Test("Not while scanning is steady: the peer's advertisement is received soon")
  func steady() {
    let scenario = called(latency: .zero)
    scenario.happen(.pdu(hex(search), on: connection))
    #expect(scenario.requests().isEmpty)
    #expect(scenario.count(.detections) == 0)
  }

  @Test(
    "Any other request reveals no Herald peer: phones and computers discover all services",
    arguments: [
      "10 01 00 FF FF 00 28", "06 01 00 FF FF 00 28 0F 18", "06 01 00 FF FF 00 28 F6",
      "06 01 00 FF FF 00 28 F6 FC 00", "06", "0A 2C 00",
    ])
  func other(request: String) {
    let scenario = called(latency: .seconds(30))
    scenario.happen(.pdu(hex(request), on: connection))
    #expect(scenario.requests().isEmpty)
    #expect(scenario.count(.detections) == 0)
  }

  @Test(
    "A peer without Herald's service is left alone; one that disconnects during the exchange is not counted as a failure"
  )
  func without() {
    let scenario = called(latency: .seconds(30))
    scenario.happen(.pdu(hex(search), on: connection))
    scenario.exchange("02 F7 00", "03 00 02")
    scenario.exchange(search, "01 06 01 00 0A")
    scenario.happen(.closed(connection, .remoteUserTerminated))
    scenario.run(seconds: 20)
    #expect(scenario.count(.reads) == 0 && scenario.count(.attempts) == 0)
    #expect(scenario.violations.isEmpty)
  }
}
