import HeraldBluetooth
import HeraldSimulation
import Testing

@Suite("Coordinator: roles")
struct RoleTests {
  /// What the radio was told, in one word each.
  private func words(_ scenario: Scenario) -> Set<String> {
    Set(
      scenario.node.radio.takeCommands().map {
        switch $0 {
        case .startAdvertising: "advertise"
        case .stopAdvertising: "stop advertising"
        case .startScanning: "scan"
        case .stopScanning: "stop scanning"
        case .connect: "connect"
        case .cancelConnect: "cancel"
        case .disconnect: "disconnect"
        case .send: "send"
        case .answer: "answer"
        case .readRSSI: "read RSSI"
        }
      })
  }

  @Test("HP-51 A beacon advertises and is read, and never scans or connects, whoever is heard")
  func beacon() {
    let venue = hex("30 3A 03 04 00 F3 E0 01 00")
    let scenario = Scenario(payload: venue) { $0.scans = false }
    // A radio that shares its scanner with somebody else may still report what it hears.
    scenario.hear(Peer.android, Peer.androidAdvert)
    scenario.hear(Peer.android, Peer.androidAdvert)
    scenario.run(seconds: 3600)
    #expect(words(scenario) == ["advertise"])
    #expect(scenario.node.radio.scanning == nil && scenario.node.radio.connecting == nil)
    #expect(scenario.node.radio.advertising?.connectable == true)
    scenario.happen(.opened(ConnectionID(index: 0), .peripheral, peer: Peer.iPhone))
    _ = scenario.answers()
    scenario.happen(.pdu(hex("0A 10 00"), on: ConnectionID(index: 0)))
    #expect(scenario.answers() == [[0x0B] + venue])
    #expect(scenario.violations.isEmpty)
  }

  @Test("HP-06 A device that is not to advertise never does, and still scans and connects")
  func silent() {
    let scenario = Scenario { $0.advertises = false }
    scenario.run(seconds: 2)
    scenario.hear(Peer.android, Peer.androidAdvert)
    #expect(scenario.node.radio.connecting == Peer.android)
    scenario.readAndroid()
    #expect(scenario.count(.reads) == 1)
    scenario.run(seconds: 3600)
    let told = words(scenario)
    #expect(!told.contains("advertise"))
    #expect(scenario.node.radio.scanning != nil)
    #expect(scenario.node.radio.advertising == nil)
    #expect(scenario.violations.isEmpty)
  }

  /// An address this key made: its hash, the lower half, is that of its upper half.
  private func isOf(_ key: IdentityResolvingKey, _ address: DeviceAddress) -> Bool {
    ResolvablePrivateAddress.resolves(address, with: key)
  }

  @Test("A stored key is used for the addresses; without one a key is generated at the start")
  func keptKey() {
    let kept = IdentityResolvingKey([
      0xEC, 0x02, 0x34, 0xA3, 0x57, 0xC8, 0xAD, 0x05, 0x34, 0x10, 0x10, 0xA6, 0x0A, 0x39, 0x7D, 0x9B,
    ])
    let scenario = Scenario(key: kept)
    let first = scenario.node.core.ownAddress
    #expect(isOf(kept, first))
    scenario.run(seconds: 900)
    let second = scenario.node.core.ownAddress
    #expect(second != first && isOf(kept, second))
    let fresh = Scenario()
    let made = fresh.node.core.key
    #expect(!made.isNone)
    #expect(isOf(made, fresh.node.core.ownAddress) && !isOf(kept, fresh.node.core.ownAddress))
  }

  @Test("A key that is wiped is none")
  func wipedKey() {
    var key = IdentityResolvingKey(.init(repeating: 7))
    #expect(!key.isNone)
    key.wipe()
    #expect(key.isNone)
    #expect((0..<16).allSatisfy { key.bytes[$0] == 0 })
  }
}
