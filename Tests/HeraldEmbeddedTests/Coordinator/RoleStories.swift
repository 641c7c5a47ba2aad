import HeraldBluetooth
import HeraldSimulation
import Testing

@Suite("Coordinator: devices that do not do everything")
struct RoleStories {
  /// What the radio was told, in one word each.
  private func words(_ story: Story) -> Set<String> {
    Set(
      story.node.radio.takeCommands().map {
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
    let story = Story(payload: venue) { $0.scans = false }
    // A radio that shares its scanner with somebody else may still report what it hears.
    story.hear(Peer.android, Peer.androidAdvert)
    story.hear(Peer.android, Peer.androidAdvert)
    story.run(seconds: 3600)
    #expect(words(story) == ["advertise"])
    #expect(story.node.radio.scanning == nil && story.node.radio.connecting == nil)
    #expect(story.node.radio.advertising?.connectable == true)
    story.happen(.opened(ConnectionID(index: 0), .peripheral, peer: Peer.iPhone))
    _ = story.answers()
    story.happen(.pdu(hex("0A 10 00"), on: ConnectionID(index: 0)))
    #expect(story.answers() == [[0x0B] + venue])
    #expect(story.violations.isEmpty)
  }

  @Test("HP-06 A device that is not to advertise never does, and still scans and connects")
  func silent() {
    let story = Story { $0.advertises = false }
    story.run(seconds: 2)
    story.hear(Peer.android, Peer.androidAdvert)
    #expect(story.node.radio.connecting == Peer.android)
    story.readAndroid()
    #expect(story.count(.reads) == 1)
    story.run(seconds: 3600)
    let told = words(story)
    #expect(!told.contains("advertise"))
    #expect(story.node.radio.scanning != nil)
    #expect(story.node.radio.advertising == nil)
    #expect(story.violations.isEmpty)
  }

  /// An address this key made: its hash, the lower half, is that of its upper half.
  private func isOf(_ key: IdentityResolvingKey, _ address: DeviceAddress) -> Bool {
    ResolvablePrivateAddress.resolves(address, with: key)
  }

  @Test("A key that was kept goes on making the addresses; without one a key is made at the start")
  func keptKey() {
    let kept = IdentityResolvingKey([
      0xEC, 0x02, 0x34, 0xA3, 0x57, 0xC8, 0xAD, 0x05, 0x34, 0x10, 0x10, 0xA6, 0x0A, 0x39, 0x7D, 0x9B,
    ])
    let story = Story(key: kept)
    let first = story.node.core.ownAddress
    #expect(isOf(kept, first))
    story.run(seconds: 900)
    let second = story.node.core.ownAddress
    #expect(second != first && isOf(kept, second))
    let fresh = Story()
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
