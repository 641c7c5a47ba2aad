import HeraldBluetooth
import HeraldSimulation
import TestInputs
import Testing

/// What peers have said in the stories, to be mutated.
private let corpus: [[UInt8]] = [
  hex("03 00 02"), hex("03 17 00"), hex("07 28 00 2C 00"), hex("01 06 01 00 0A"),
  hex("09 15 29 00 08 2A 00 \(Peer.signalUUID) 2B 00 02 2C 00 \(Peer.payloadUUID)"),
  hex("0B \(Peer.payload)"), hex("0D \(Peer.payload)"), hex("1D 10 00 01"), hex("1B 10 00 01"),
  hex("02 F7 00"), hex("0A 10 00"), hex("0C 10 00 05 00"), hex("12 0E 00 03 02 00 C8 FF"),
  hex("06 01 00 FF FF 00 28 F6 FC"), hex("08 01 00 FF FF 03 28"), hex("16 0E 00 00 00 01 02 03"),
  hex("18 01"), hex("10 01 00 FF FF 00 28"),
]

private let adverts: [[UInt8]] = [
  hex(Peer.androidAdvert), hex(Peer.iPhoneAdvert), hex(Peer.iPhoneBackground), hex("02 01 06 03 03 0D 18"),
]

/// One run of a device through whatever a radio can report, in any order, with any bytes.
private func fuzzCoordinator(seed: UInt64, events: Int, capabilities: RadioCapabilities) {
  var random = SplitMix64(seed: seed)
  let story = Story(capabilities: capabilities)
  story.node.radio.confirmsCancel = seed % 3 != 0
  story.node.radio.confirmsDisconnect = seed % 5 != 0

  func pick(_ count: Int) -> Int { Int(random.next() % UInt64(count)) }
  func mutated(_ bytes: [UInt8]) -> [UInt8] {
    var bytes = bytes
    switch pick(6) {
    case 0: bytes = (0..<pick(40)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
    case 1: if !bytes.isEmpty { bytes[pick(bytes.count)] = UInt8(truncatingIfNeeded: random.next()) }
    case 2: bytes.removeLast(pick(bytes.count + 1))
    case 3: bytes.append(contentsOf: (0..<pick(247)).map { _ in UInt8(truncatingIfNeeded: random.next()) })
    default: break
    }
    return Array(bytes.prefix(247))
  }

  for _ in 0..<events {
    let connection = ConnectionID(index: pick(6))
    switch pick(20) {
    case 0..<7:
      let address = DeviceAddress(high: 0x4000, low: UInt32(pick(24)), kind: .random)
      story.hearBytes(
        address, Array(mutated(adverts[pick(adverts.count)]).prefix(31)),
        rssi: Int8(truncatingIfNeeded: random.next()), kind: .init(rawValue: UInt8(pick(32))))
    case 7, 8:
      if let peer = story.node.radio.connecting, !story.node.radio.open.contains(connection) {
        story.happen(.opened(connection, .central, peer: peer))
      }
    case 9: story.happen(.failed(.failedToBeEstablished))
    case 10:
      if !story.node.radio.open.contains(connection) {
        story.happen(.opened(connection, .peripheral, peer: Peer.iPhone))
      }
    case 11: story.happen(.closed(connection, .connectionTimeout))
    case 12..<18: story.happen(.pdu(mutated(corpus[pick(corpus.count)]), on: connection))
    case 18: story.run(milliseconds: random.next() % 4000)
    default:
      switch pick(12) {
      case 0:
        story.happen(.state(.failed))
        story.happen(.state(.ready))
      case 1: story.run(seconds: 60)
      case 2: story.node.radio.isClogged.toggle()
      case 3: story.node.core.holdsRotation.toggle()
      default: story.happen(.readyToSend(connection))
      }
    }
    if pick(50) == 0 { _ = story.node.radio.takeCommands() }
  }

  // Whatever happened: when all is quiet nothing is held, nothing is open, nobody is remembered.
  story.node.radio.isClogged = false
  story.node.radio.confirmsCancel = true
  story.node.radio.confirmsDisconnect = true
  story.run(seconds: 1000)
  #expect(story.violations.isEmpty, "seed \(seed)")
  #expect(story.node.radio.open.isEmpty, "seed \(seed)")
  #expect(story.node.radio.connecting == nil, "seed \(seed)")
  #expect(story.node.core.table.count == 0, "seed \(seed)")
  #expect(story.node.radio.scanning != nil, "seed \(seed)")
}

extension Story {
  fileprivate func hearBytes(
    _ address: DeviceAddress, _ bytes: [UInt8], rssi: Int8, kind: AdvertisingReport.Kind
  ) { happen(.advertisement(address, RSSI(rssi), kind, bytes)) }
}

@Suite("Coordinator: whatever comes")
struct CoordinatorFuzzTests {
  @Test(
    "A hundred thousand events in any order with any bytes: no trap, no broken contract, nothing left over",
    arguments: 0..<50)
  func anything(seed: UInt64) {
    var capabilities = MockRadio.usualCapabilities
    capabilities.canScanWhileConnecting = seed % 2 == 0
    capabilities.canAdvertiseWhileConnected = seed % 4 < 2
    fuzzCoordinator(seed: seed, events: 2000, capabilities: capabilities)
  }
}
