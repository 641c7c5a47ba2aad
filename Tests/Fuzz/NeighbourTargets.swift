import HeraldBluetooth
import HeraldEmbedded
import HeraldHAL
import HeraldNeighbours
import HeraldSimulation

/// Checks the events.
private struct Listener: SensorDelegate, ~Copyable {
  var written = 0

  mutating func didMeasure(_ target: TargetIdentity, _ rssi: RSSI, at now: Instant) {
    if !rssi.isAvailable || rssi.rawValue > 20 || rssi.rawValue < -127 { broken("a strength that is none") }
  }
  mutating func didObserve(
    _ target: TargetIdentity, _ service: ServiceNumber, _ code: Span<UInt8>, at now: Instant
  ) {
    if code.count != (service == .covidWatch ? 16 : 8) { broken("a code of an impossible length") }
    if target == TargetIdentity(lastWriter) { written += 1 }
  }
}

private enum NeighbourParts: DeviceParts {
  typealias FlashType = MemoryFlash
  typealias RandomType = FuzzRandom
  typealias SupplierType = FixedPayloadSupplier
  typealias DelegateType = Listener
  typealias ServicesType = CovidWatchAndC19X
}

private typealias Node = HeraldNode<MockRadio, NeighbourParts, 4, 2, 2>

/// Who writes a code of each system at the end.
private let lastWriter = DeviceAddress(high: 0x6000, low: 1, kind: .random)

private let number: [UInt8] = [1, 2, 3, 4, 5, 6, 0x47, 8, 0x89, 10, 11, 12, 13, 14, 15, 16]
private let numberUUID: [UInt8] = [
  0x62, 0x7F, 0x61, 0xEA, 0xD2, 0xC9, 0x46, 0x9E, 0x04, 0x4B, 0x6B, 0x3D, 0x27, 0x4F, 0x1F, 0xD6,
]
private let marker: [UInt8] = [0x13, 0x1F, 0xFE, 0x83, 0x81, 0xD4, 0x22, 0x00]

let neighbourSeeds: [[UInt8]] = [
  // Advertised: a number, another, one with TCN's four bytes, a service without data, C19X's service, an
  // iPhone in the background.
  records([
    [3, 1, 0x02, 0x01, 0x1A, 0x03, 0x03, 0x19, 0xC0, 0x13, 0x16, 0x19, 0xC0] + number, [2, 80],
    [3, 1, 0x13, 0x16, 0x19, 0xC0] + number.reversed(),
    [3, 2, 0x17, 0x16, 0x19, 0xC0] + number + [1, 2, 3, 4],
    [3, 3, 0x02, 0x01, 0x1A, 0x03, 0x03, 0x19, 0xC0], [2, 40],
    [3, 4, 0x11, 0x07, 0, 0, 0, 0, 0, 0, 0, 0] + marker,
    [3, 5, 0x14, 0xFF, 0x4C, 0x00, 0x01, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x20, 0, 0, 0, 0, 0, 0],
  ]),
  // Asked by us: the MTU, CovidWatch's service and characteristic, a number.
  records([
    [3, 3, 0x02, 0x01, 0x1A, 0x03, 0x03, 0x19, 0xC0], [4, 0], [5, 0, 0x03, 0xF7, 0x00],
    [5, 0, 0x07, 0x30, 0x00, 0x32, 0x00], [5, 0, 0x09, 0x15, 0x31, 0x00, 0x0A, 0x32, 0x00] + numberUUID,
    [5, 0, 0x0B] + number, [5, 0, 0x01, 0x06, 0x01, 0x00, 0x0A], [1, 0],
  ]),
  // Asked by us: C19X's service, and its characteristic, which is the code.
  records([
    [3, 4, 0x11, 0x07, 0, 0, 0, 0, 0, 0, 0, 0] + marker, [4, 0], [5, 0, 0x03, 0xF7, 0x00],
    [5, 0, 0x01, 0x06, 0x01, 0x00, 0x0A], [5, 0, 0x07, 0x28, 0x00, 0x2A, 0x00],
    [5, 0, 0x09, 0x15, 0x29, 0x00, 0x08, 0x2A, 0x00, 1, 2, 3, 4, 5, 6, 7, 8] + marker, [1, 0],
  ]),
  // Asked of us: discovery; a number read whole and in pieces, and written; a code written, an empty write.
  records([
    [0, 0], [5, 0, 0x10, 0x19, 0x00, 0xFF, 0xFF, 0x00, 0x28],
    [5, 0, 0x08, 0x19, 0x00, 0xFF, 0xFF, 0x03, 0x28],
    [5, 0, 0x0A, 0x1B, 0x00], [5, 0, 0x0C, 0x1B, 0x00, 0x08, 0x00], [5, 0, 0x12, 0x1B, 0x00] + number,
    [5, 0, 0x12, 0x1E, 0x00, 1, 2, 3, 4, 5, 6, 7, 8, 0xC8, 0xFF, 0xFF, 0xFF], [5, 0, 0x12, 0x1E, 0x00],
    [5, 0, 0x16, 0x1B, 0x00, 0x00, 0x00] + number, [5, 0, 0x18, 0x01], [0, 1], [5, 1, 0x0A, 0x1B, 0x00],
    [1, 0],
  ]),
  // Asked of us: to be told when the table changes, just before a new address; the indication is confirmed,
  // and discovery finds less.
  records([
    [2, 255], [2, 255], [2, 255], [2, 255], [2, 255], [2, 255], [2, 255], [2, 255], [2, 255], [2, 255],
    [2, 255],
    [2, 255], [2, 255], [2, 255], [0, 0], [5, 0, 0x12, 0x09, 0x00, 0x02, 0x00], [2, 40], [5, 0, 0x1E],
    [5, 0, 0x10, 0x19, 0x00, 0xFF, 0xFF, 0x00, 0x28], [2, 40], [1, 0],
  ]),
]

/// Neighbours that show, serve and write codes: each record is an event (0 opened by a peer, 1 closed, 2 time
/// passes, 3 an advertisement, 4 the connection we try for opens, else a PDU), then the connection, the time
/// in quarters of a second or the advertiser, and the bytes. Whatever they did, later our codes are shown,
/// read and taken.
func fuzzNeighbours(_ bytes: Span<UInt8>) {
  var node = Node(
    radio: MockRadio(), flash: MemoryFlash(pageSize: 1024, pageCount: 4, wordSize: 4), random: FuzzRandom(),
    supplier: FixedPayloadSupplier(country: 826, state: 0, clientIdentifier: 1), delegate: Listener())
  node.radio.recordsCommands = false
  node.core.services.covidWatch.isObserver = true
  node.core.services.covidWatch.isPeripheral = true
  node.core.services.c19x.isObserver = true
  node.core.services.c19x.isPeripheral = true
  let dayCodes = [UInt8](repeating: 0x5A, count: 720)
  do throws(KeyScheduleError) {
    try node.core.services.c19x.provide(firstDay: 0, dayCodes: dayCodes.span)
  } catch {
    broken("day codes that are not taken")
  }
  var now = Instant.start
  // 2020-01-02.
  _ = node.core.setClock(unixMilliseconds: 1_577_923_200_000, at: now, source: .host)
  _ = node.poll(at: now)
  func advertiser(_ byte: UInt8) -> DeviceAddress {
    DeviceAddress(high: 0x4000, low: UInt32(byte % 8), kind: .random)
  }
  forEachRecord(bytes) { record in
    guard record.count > 1 else { return }
    let connection = ConnectionID(index: Int(record[1] % 3))
    var rest: [UInt8] = []
    for index in 2..<record.count { rest.append(record[index]) }
    switch record[0] {
    case 0: node.radio.happen(.opened(connection, .peripheral, peer: advertiser(record[1])))
    case 1: node.radio.happen(.closed(connection, .remoteUserTerminated))
    case 2: now = now + .milliseconds(UInt32(record[1]) * 250)
    case 3:
      node.radio.happen(
        .advertisement(advertiser(record[1]), RSSI(-60), .connectable.union(.scannable).union(.legacy), rest))
    case 4:
      if let peer = node.radio.connecting { node.radio.happen(.opened(connection, .central, peer: peer)) }
    default: node.radio.happen(.pdu(rest, on: connection))
    }
    for _ in 0..<3 { _ = node.poll(at: now) }
  }

  for index in 0..<3 { node.radio.happen(.closed(ConnectionID(index: index), .remoteUserTerminated)) }
  _ = node.poll(at: now)
  now = now + .minutes(2)
  for _ in 0..<3 { _ = node.poll(at: now) }
  node.radio.recordsCommands = true
  _ = node.radio.takeCommands()
  let connection = ConnectionID(index: 0)
  node.radio.happen(.opened(connection, .peripheral, peer: lastWriter))
  node.radio.happen(.pdu([0x0A, 0x1B, 0x00], on: connection))
  node.radio.happen(.pdu([0x12, 0x1B, 0x00] + number, on: connection))
  node.radio.happen(.pdu([0x12, 0x1E, 0x00, 1, 2, 3, 4, 5, 6, 7, 8, 0xC8, 0xFF, 0xFF, 0xFF], on: connection))
  for _ in 0..<3 { _ = node.poll(at: now) }
  let answers = node.radio.takeCommands().compactMap {
    if case .answer(let answer, _) = $0 { answer.first } else { nil }
  }
  if answers != [0x0B, 0x13, 0x13] { broken("a neighbour is not served") }
  if node.core.delegate.written != 2 { broken("a neighbour's codes did not arrive") }
  if node.radio.scanning == nil { broken("it does not scan any more") }
  if !node.radio.violations.isEmpty { broken("a contract was broken") }
}
