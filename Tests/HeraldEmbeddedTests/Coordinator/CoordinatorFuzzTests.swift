import HeraldBluetooth
import HeraldSimulation
import TestInputs
import Testing

/// Recorded responses of peers, which are mutated.
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
  let scenario = Scenario(capabilities: capabilities)
  scenario.node.radio.confirmsCancel = seed % 3 != 0
  scenario.node.radio.confirmsDisconnect = seed % 5 != 0

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
      scenario.hearBytes(
        address, Array(mutated(adverts[pick(adverts.count)]).prefix(31)),
        rssi: Int8(truncatingIfNeeded: random.next()), kind: .init(rawValue: UInt8(pick(32))))
    case 7, 8:
      if let peer = scenario.node.radio.connecting, !scenario.node.radio.open.contains(connection) {
        scenario.happen(.opened(connection, .central, peer: peer))
      }
    case 9: scenario.happen(.failed(.failedToBeEstablished))
    case 10:
      if !scenario.node.radio.open.contains(connection) {
        scenario.happen(.opened(connection, .peripheral, peer: Peer.iPhone))
      }
    case 11: scenario.happen(.closed(connection, .connectionTimeout))
    case 12..<18: scenario.happen(.pdu(mutated(corpus[pick(corpus.count)]), on: connection))
    case 18: scenario.run(milliseconds: random.next() % 4000)
    default:
      switch pick(12) {
      case 0:
        scenario.happen(.state(.failed))
        scenario.happen(.state(.ready))
      case 1: scenario.run(seconds: 60)
      case 2: scenario.node.radio.hasBackpressure.toggle()
      case 3: scenario.node.core.holdsRotation.toggle()
      default: scenario.happen(.readyToSend(connection))
      }
    }
    if pick(50) == 0 { _ = scenario.node.radio.takeCommands() }
  }

  // Whatever happened: when all is quiet nothing is held, nothing is open, nobody is remembered.
  scenario.node.radio.hasBackpressure = false
  scenario.node.radio.confirmsCancel = true
  scenario.node.radio.confirmsDisconnect = true
  scenario.run(seconds: 1000)
  #expect(scenario.violations.isEmpty, "seed \(seed)")
  #expect(scenario.node.radio.open.isEmpty, "seed \(seed)")
  #expect(scenario.node.radio.connecting == nil, "seed \(seed)")
  #expect(scenario.node.core.table.count == 0, "seed \(seed)")
  #expect(scenario.node.radio.scanning != nil, "seed \(seed)")
}

extension Scenario {
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
