import HeraldBluetooth
import HeraldEmbedded
import HeraldSimulation
import Testing

@Suite("Coordinator: connections that are kept, and given up")
struct KeepingStories {
  /// Four connections, of which our own work may use three.
  private func keeper(_ policy: ConnectionPolicy = .oldest, peers: Int = 3) -> Story {
    let story = Story {
      $0.keepsConnections = true
      $0.connectionPolicy = policy
      $0.sharesPayloads = false
    }
    for peer in 0..<peers { meet(peer, story, rssi: -40 - 10 * Int8((peer + 1) % 3)) }
    return story
  }

  private func address(_ peer: Int) -> DeviceAddress {
    DeviceAddress(high: 0x5B01, low: UInt32(peer), kind: .random)
  }

  private func meet(_ peer: Int, _ story: Story, rssi: Int8) {
    story.hear(address(peer), Peer.iPhoneAdvert, rssi: rssi)
    story.readIPhone(on: peer, address: address(peer), payload: "0\(peer + 1)")
    story.exchange("12 12 00 01 0D 00 08 01 00 02 00 03 00 00 00 00 00 00 00", "13", on: peer)
    story.run(milliseconds: 100)
  }

  @Test("HP-23 A connection to an iPhone is kept when that is chosen, and its strength measured on it")
  func kept() {
    let story = keeper(peers: 1)
    #expect(story.commands() == [.readRSSI(ConnectionID(index: 0))])
    _ = story.heard()
    story.happen(.measured(RSSI(-71), on: ConnectionID(index: 0)))
    let identity = TargetIdentity(address(0))
    #expect(story.heard() == [.measure(identity, -71), .measureWithPayload(identity, -71)])
    story.run(seconds: 10)
    #expect(story.commands() == [.readRSSI(ConnectionID(index: 0))])
  }

  @Test("HP-23 An Android phone's connection is not kept")
  func notKept() {
    let story = Story { $0.keepsConnections = true }
    story.hear(Peer.android, Peer.androidAdvert)
    story.readAndroid()
    #expect(story.commands() == [.disconnect(ConnectionID(index: 0))])
  }

  @Test("HP-02 A kept connection on which nothing is measured any more is given up, whatever the radio says")
  func silent() {
    let story = keeper(peers: 1)
    story.node.radio.confirmsDisconnect = false
    story.happen(.measured(RSSI(-71), on: ConnectionID(index: 0)))
    _ = story.commands()
    story.run(seconds: 29)
    #expect(!story.commands().contains(.disconnect(ConnectionID(index: 0))))
    story.run(seconds: 2)
    #expect(story.commands().contains(.disconnect(ConnectionID(index: 0))))
  }

  @Test(
    "HP-25 At the limit the oldest connection, or the one to the weakest peer, is dropped for a new peer",
    arguments: [(ConnectionPolicy.oldest, 0), (.weakest, 1)])
  func policy(policy: ConnectionPolicy, dropped: Int) {
    let story = keeper(policy)
    for peer in 0..<3 {
      story.happen(.measured(RSSI(-40 - 10 * Int8((peer + 1) % 3)), on: ConnectionID(index: peer)))
    }
    _ = story.commands()
    #expect(story.count(.connectionsGivenUp) == 0)
    story.hear(Peer.android, Peer.androidAdvert)
    let commands = story.commands()
    #expect(commands.first == .disconnect(ConnectionID(index: dropped)))
    #expect(story.node.radio.connecting == Peer.android)
    #expect(story.count(.connectionsGivenUp) == 1)
    #expect(story.node.radio.open.count == 2)
  }

  @Test("HP-31 A message goes over the connection that is open")
  func overOpen() {
    let story = keeper(peers: 1)
    _ = story.commands()
    #expect(story.send([0x55], to: TargetIdentity(address(0))) == nil)
    story.run(milliseconds: 1)
    story.exchange("12 12 00 04 01 00 55", "13")
    #expect(!story.commands().contains(.disconnect(ConnectionID(index: 0))))
    #expect(story.count(.messagesSent) == 1)
    #expect(story.node.radio.connecting == nil)
  }

  @Test("HP-30 With every connection in use for other work, one gives way to a message")
  func messageNeedsPlace() {
    let one = RadioCapabilities(
      canAdvertise: true, canAdvertiseWhileConnected: true, canScanWhileConnecting: true, canConnect: true,
      connections: 1, maximumPDU: 247, publicAddress: .zero)
    let story = Story(capabilities: one)
    story.hear(Peer.android, Peer.androidAdvert)
    story.readAndroid()
    story.happen(.closed(ConnectionID(index: 0), .localHostTerminated))
    story.hear(Peer.iPhone, Peer.iPhoneAdvert)
    story.happen(.opened(ConnectionID(index: 0), .central, peer: Peer.iPhone))
    #expect(story.send([0x55], to: Peer.androidIdentity) == nil)
    story.run(milliseconds: 10)
    #expect(story.node.radio.connecting == Peer.android)
    #expect(story.count(.connectionsGivenUp) == 1)
  }
}
