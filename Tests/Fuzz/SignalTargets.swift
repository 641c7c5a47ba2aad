import HeraldBluetooth
import HeraldEmbedded
import HeraldHAL
import HeraldSimulation

/// Checks the events.
private struct Listener: SensorDelegate, ~Copyable {
  var messages = 0

  mutating func didMeasure(_ target: TargetIdentity, _ rssi: RSSI, at now: Instant) {
    if !rssi.isAvailable || rssi.rawValue > 20 || rssi.rawValue < -127 { broken("a strength that is none") }
  }
  mutating func didRead(_ target: TargetIdentity, _ payload: Span<UInt8>, known: Bool, at now: Instant) {
    if payload.count < 1 || payload.count > 510 { broken("a payload of an impossible length") }
  }
  mutating func didShare(_ sharer: TargetIdentity, _ payloads: Span<UInt8>, at now: Instant) {
    if payloads.count < 1 || payloads.count > 510 { broken("shared payloads of an impossible length") }
  }
  mutating func didReceive(_ sender: TargetIdentity, _ message: Span<UInt8>, at now: Instant) {
    if message.count > 510 { broken("a message of an impossible length") }
    messages += 1
  }
}

private typealias Node = HeraldNode<
  MockRadio,
  PartList<MemoryFlash, FuzzRandom, FixedPayloadSupplier, Listener, HeraldBothSignalsGATTTable>,
  4, 2, 2
>

let signalSeeds: [[UInt8]] = [
  // Whole: an RSSI, a payload, shared payloads, a message; to either characteristic.
  records([
    [0, 0], [3, 0, 0x12, 0x0E, 0x00, 0x02, 0xC8, 0xFF],
    [3, 0, 0x12, 0x10, 0x00, 0x04, 0x02, 0x00, 0x68, 0x69],
    [3, 0, 0x12, 0x0E, 0x00, 0x01, 0x0D, 0x00, 0x08, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12],
    [
      3, 0, 0x12, 0x0E, 0x00, 0x03, 0xBA, 0xFF, 0x1A, 0x00, 0x08, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12,
      0x08, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 13,
    ],
    [1, 0],
  ]),
  // In parts, over two connections, one of which breaks off; an empty write; a pause.
  records([
    [0, 0], [0, 1], [3, 0, 0x12, 0x0E, 0x00, 0x01, 0x0D, 0x00, 0x08, 1, 2, 3],
    [3, 1, 0x12, 0x0E, 0x00, 0x04, 0x05, 0x00, 1], [3, 0, 0x12, 0x0E, 0x00], [1, 1], [2, 40],
    [3, 0, 0x12, 0x0E, 0x00, 4, 5, 6, 7, 8, 9, 10, 11, 12], [2, 255], [0, 1],
    [3, 1, 0x12, 0x0E, 0x00, 2, 3, 4, 5],
  ]),
  // Prepared, executed, cancelled; our payload read in between.
  records([
    [0, 0], [3, 0, 0x16, 0x0E, 0x00, 0x00, 0x00, 0x04, 0x04, 0x00, 1], [3, 0, 0x0A, 0x13, 0x00],
    [3, 0, 0x16, 0x0E, 0x00, 0x04, 0x00, 2, 3, 4], [3, 0, 0x18, 0x01],
    [3, 0, 0x16, 0x10, 0x00, 0x00, 0x00, 0x02, 0xC8, 0xFF], [3, 0, 0x18, 0x00],
    [3, 0, 0x16, 0x10, 0x00, 0x00, 0x00, 0x02, 0xC8, 0xFF],
    [3, 0, 0x16, 0x0E, 0x00, 0x00, 0x00, 0x02, 0xC8, 0xFF],
    [3, 0, 0x18, 0x01], [0, 0],
  ]),
]

/// Peers that connect, write and go: each record is an event (0 opened, 1 closed, 2 time passes, else a PDU),
/// the connection or the time in quarters of a second, and the bytes of a PDU. Whatever they did, a minute
/// later both connections serve our payload and take a message.
func fuzzSignals(_ bytes: Span<UInt8>) {
  var node = Node(
    radio: MockRadio(), flash: MemoryFlash(pageSize: 1024, pageCount: 4, wordSize: 4), random: FuzzRandom(),
    supplier: FixedPayloadSupplier(country: 826, state: 0, clientIdentifier: 1), delegate: Listener())
  node.radio.recordsCommands = false
  var now = Instant.start
  _ = node.poll(at: now)
  forEachRecord(bytes) { record in
    guard record.count > 1 else { return }
    let connection = ConnectionID(index: Int(record[1] % 3))
    switch record[0] {
    case 0:
      node.radio.happen(
        .opened(
          connection, .peripheral, peer: DeviceAddress(high: 0x4000, low: UInt32(record[1]), kind: .random)))
    case 1: node.radio.happen(.closed(connection, .remoteUserTerminated))
    case 2: now = now + .milliseconds(UInt32(record[1]) * 250)
    default:
      var pdu: [UInt8] = []
      for index in 2..<record.count { pdu.append(record[index]) }
      node.radio.happen(.pdu(pdu, on: connection))
    }
    for _ in 0..<3 { _ = node.poll(at: now) }
  }

  for index in 0..<3 { node.radio.happen(.closed(ConnectionID(index: index), .remoteUserTerminated)) }
  _ = node.poll(at: now)
  now = now + .minutes(1)
  node.radio.recordsCommands = true
  for index in 0..<2 {
    let connection = ConnectionID(index: index)
    let peer = DeviceAddress(high: 0x6000, low: UInt32(index), kind: .random)
    node.radio.happen(.opened(connection, .peripheral, peer: peer))
    node.radio.happen(.pdu([0x0A, 0x13, 0x00], on: connection))
    node.radio.happen(.pdu([0x12, 0x0E, 0x00, 0x04, 0x02, 0x00, 0x68, 0x69], on: connection))
    let before = node.core.delegate.messages
    _ = node.radio.takeCommands()
    _ = node.poll(at: now)
    let answers = node.radio.takeCommands().compactMap {
      if case .answer(let answer, _) = $0 { answer.first } else { nil }
    }
    if answers != [0x0B, 0x13] { broken("a peer is not served") }
    if node.core.delegate.messages != before + 1 { broken("a message did not arrive") }
  }
  if node.radio.scanning == nil { broken("it does not scan any more") }
  if !node.radio.violations.isEmpty { broken("a contract was broken") }
}
