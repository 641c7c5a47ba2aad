import HeraldBluetooth
import HeraldEmbedded
import HeraldSimulation
import Testing

@Suite("Coordinator: kept connections")
struct KeptConnectionTests {
  /// Four connections, of which our own work may use three.
  private func keeper(_ policy: ConnectionPolicy = .oldest, peers: Int = 3) -> Scenario {
    let scenario = Scenario {
      $0.keepsConnections = true
      $0.connectionPolicy = policy
      $0.sharesPayloads = false
    }
    for peer in 0..<peers { meet(peer, scenario, rssi: -40 - 10 * Int8((peer + 1) % 3)) }
    return scenario
  }

  private func address(_ peer: Int) -> DeviceAddress {
    DeviceAddress(high: 0x5B01, low: UInt32(peer), kind: .random)
  }

  private func meet(_ peer: Int, _ scenario: Scenario, rssi: Int8) {
    scenario.hear(address(peer), Peer.iPhoneAdvert, rssi: rssi)
    scenario.readIPhone(on: peer, address: address(peer), payload: "0\(peer + 1)")
    scenario.exchange("12 12 00 01 0D 00 08 01 00 02 00 03 00 00 00 00 00 00 00", "13", on: peer)
    scenario.run(milliseconds: 100)
  }

  @Test("HP-23 A connection to an iPhone is kept when that is chosen, and its RSSI measured on it")
  func kept() {
    let scenario = keeper(peers: 1)
    #expect(scenario.commands() == [.readRSSI(ConnectionID(index: 0))])
    _ = scenario.heard()
    scenario.happen(.measured(RSSI(-71), on: ConnectionID(index: 0)))
    let identity = TargetIdentity(address(0))
    #expect(scenario.heard() == [.measure(identity, -71), .measureWithPayload(identity, -71)])
    scenario.run(seconds: 10)
    #expect(scenario.commands() == [.readRSSI(ConnectionID(index: 0))])
  }

  @Test("HP-23 An Android phone's connection is not kept")
  func notKept() {
    let scenario = Scenario { $0.keepsConnections = true }
    scenario.hear(Peer.android, Peer.androidAdvert)
    scenario.readAndroid()
    #expect(scenario.commands() == [.disconnect(ConnectionID(index: 0))])
  }

  @Test("HP-02 A kept connection on which nothing more is measured is given up, whatever the radio says")
  func silent() {
    let scenario = keeper(peers: 1)
    scenario.node.radio.confirmsDisconnect = false
    scenario.happen(.measured(RSSI(-71), on: ConnectionID(index: 0)))
    _ = scenario.commands()
    scenario.run(seconds: 29)
    #expect(!scenario.commands().contains(.disconnect(ConnectionID(index: 0))))
    scenario.run(seconds: 2)
    #expect(scenario.commands().contains(.disconnect(ConnectionID(index: 0))))
  }

  @Test(
    "HP-25 At the limit the oldest connection, or the one to the weakest peer, is dropped for a new peer",
    arguments: [(ConnectionPolicy.oldest, 0), (.weakest, 1)])
  func policy(policy: ConnectionPolicy, dropped: Int) {
    let scenario = keeper(policy)
    for peer in 0..<3 {
      scenario.happen(.measured(RSSI(-40 - 10 * Int8((peer + 1) % 3)), on: ConnectionID(index: peer)))
    }
    _ = scenario.commands()
    #expect(scenario.count(.connectionsGivenUp) == 0)
    scenario.hear(Peer.android, Peer.androidAdvert)
    let commands = scenario.commands()
    #expect(commands.first == .disconnect(ConnectionID(index: dropped)))
    #expect(scenario.node.radio.connecting == Peer.android)
    #expect(scenario.count(.connectionsGivenUp) == 1)
    #expect(scenario.node.radio.open.count == 2)
  }

  @Test("HP-31 A message goes over the connection that is open")
  func overOpen() {
    let scenario = keeper(peers: 1)
    _ = scenario.commands()
    #expect(scenario.send([0x55], to: TargetIdentity(address(0))) == nil)
    scenario.run(milliseconds: 1)
    scenario.exchange("12 12 00 04 01 00 55", "13")
    #expect(!scenario.commands().contains(.disconnect(ConnectionID(index: 0))))
    #expect(scenario.count(.messagesSent) == 1)
    #expect(scenario.node.radio.connecting == nil)
  }

  @Test("HP-30 With every connection in use for other work, one gives way to a message")
  func messageNeedsPlace() {
    let one = RadioCapabilities(
      canAdvertise: true, canAdvertiseWhileConnected: true, canScanWhileConnecting: true, canConnect: true,
      connections: 1, maximumPDU: 247, publicAddress: .zero)
    let scenario = Scenario(capabilities: one)
    scenario.hear(Peer.android, Peer.androidAdvert)
    scenario.readAndroid()
    scenario.happen(.closed(ConnectionID(index: 0), .localHostTerminated))
    scenario.hear(Peer.iPhone, Peer.iPhoneAdvert)
    scenario.happen(.opened(ConnectionID(index: 0), .central, peer: Peer.iPhone))
    #expect(scenario.send([0x55], to: Peer.androidIdentity) == nil)
    scenario.run(milliseconds: 10)
    #expect(scenario.node.radio.connecting == Peer.android)
    #expect(scenario.count(.connectionsGivenUp) == 1)
  }
}
