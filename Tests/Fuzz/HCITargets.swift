import HeraldBluetooth
import HeraldHAL
import HeraldHCI
import HeraldSimulation

private typealias Host = HCIRadio<SimulatedController, 2>

/// Touches all it is given and answers PDUs at every length.
private struct Listener: RadioEventHandler {
  var pdus = 0
  var lastOpcode: UInt8 = 0
  private var sum: UInt8 = 0

  private mutating func touch(_ bytes: Span<UInt8>) {
    for index in 0..<bytes.count { sum &+= bytes[index] }
  }
  mutating func radioChanged(_ state: RadioState, at now: Instant) {}
  mutating func received(_ report: AdvertisingReport, data: Span<UInt8>, at now: Instant) { touch(data) }
  mutating func connectionOpened(_ opened: ConnectionOpened, at now: Instant) {}
  mutating func connectionFailed(_ reason: DisconnectReason, at now: Instant) {}
  mutating func connectionClosed(_ connection: ConnectionID, _ reason: DisconnectReason, at now: Instant) {}
  mutating func pduReceived(
    _ buffer: inout MutableSpan<UInt8>, count: Int, on connection: ConnectionID, at now: Instant
  ) -> Int {
    if count < 1 || count > buffer.count { broken("a PDU longer than its buffer, or empty") }
    touch(buffer.span.extracting(0..<count))
    lastOpcode = buffer[0]
    buffer[0] = 0x01  // Error Response: the one the simulated peer never answers
    pdus += 1
    return pdus * 7 % 250  // also none, and lengths that are none
  }
  mutating func readyToSend(on connection: ConnectionID, at now: Instant) {}
  mutating func measured(_ rssi: RSSI, on connection: ConnectionID, at now: Instant) {}
}

/// The records of `hciSeeds` as the stream they are, behind the byte that says how it is cut.
let h4Seeds: [[UInt8]] = hciSeeds.map { seed in
  var stream: [UInt8] = [7]
  forEachRecord(seed.span) { record in
    for index in 0..<record.count { stream.append(record[index]) }
  }
  return stream
}

/// A controller's byte stream in pieces of 1 to 64 bytes, whose lengths the first byte decides.
func fuzzH4(_ bytes: Span<UInt8>) {
  guard bytes.count > 0 else { return }
  var radio = Host(transport: SimulatedController())
  var listener = Listener()
  var now = Instant.start
  for _ in 0..<40 { _ = radio.poll(at: now, into: &listener) }
  if radio.state != .ready { broken("a radio that does not start") }
  var dice = UInt32(bytes[0]) | 0x100
  var start = 1
  while start < bytes.count {
    dice ^= dice << 13
    dice ^= dice >> 17
    dice ^= dice << 5
    let end = min(bytes.count, start + 1 + Int(dice & 63))
    radio.transport.inject(bytes.extracting(start..<end))
    start = end
    now = now + .milliseconds(10)
    if radio.poll(at: now, into: &listener) < now { broken("a deadline in the past") }
  }
  var seconds = 0
  while seconds < 120, seconds < 5 || radio.state != .ready {
    seconds += 1
    now = now + .seconds(1)
    repeat { _ = radio.poll(at: now, into: &listener) } while !radio.transport.isIdle
  }
  if radio.state != .ready { broken("a radio that does not come back") }
}

/// Each record is a Packet_Boundary_Flag and a fragment. A whole request; one in three; a long PDU; both
/// control channels.
let l2capSeeds: [[UInt8]] = [
  records([
    [0], [2, 3, 0, 4, 0, 0x0A, 3, 0], [2, 3, 0], [1, 4, 0, 0x0A], [1, 3, 0],
    [2, 60, 0, 4, 0] + [UInt8](repeating: 0x52, count: 22), [1] + [UInt8](repeating: 7, count: 27),
    [1] + [UInt8](repeating: 8, count: 11), [3, 3, 0, 4, 0, 0x0A, 3, 0],
  ]),
  records([
    [1], [2, 0x0C, 0, 5, 0, 0x12, 5, 8, 0, 0x18, 0, 0x28, 0, 0, 0, 0x90, 1],
    [2, 7, 0, 6, 0, 1, 3, 0, 1, 0x10, 0, 1], [2, 2, 0, 6, 0, 0x0B, 1], [2, 0xFF, 0xFF, 4, 0, 1],
  ]),
]

/// Fragments to one open connection, ours or the peer's as the first record says. Whatever they are, the
/// controller is not reset for it and the next request is heard.
func fuzzL2CAP(_ bytes: Span<UInt8>) {
  var radio = Host(transport: SimulatedController())
  var listener = Listener()
  let now = Instant.start
  for _ in 0..<40 { _ = radio.poll(at: now, into: &listener) }
  let peer = DeviceAddress(high: 0xC605, low: 0x0403_0201, kind: .random)
  var isFirst = true
  forEachRecord(bytes) { record in
    if isFirst {
      isFirst = false
      if record.count > 0, record[0] & 1 == 1 {
        try? radio.connect(to: peer, ConnectionParameters(ownAddress: .zero))
      } else {
        radio.transport.open(from: peer)
      }
    } else if record.count > 0 {
      // The first handle of the simulated controller.
      var packet: [UInt8] = [
        0x02, 0x40, record[0] << 4 & 0x30, UInt8(truncatingIfNeeded: record.count - 1), 0,
      ]
      for index in 1..<record.count { packet.append(record[index]) }
      radio.transport.inject(packet.span)
    }
    for _ in 0..<4 { _ = radio.poll(at: now, into: &listener) }
    if radio.state != .ready { broken("a controller that is reset for what a peer sent") }
  }
  guard !isFirst else { return }
  for _ in 0..<20 { _ = radio.poll(at: now, into: &listener) }
  let before = listener.pdus
  let request: [UInt8] = [0x0A, 3, 0]
  radio.transport.send(request.span)
  for _ in 0..<4 { _ = radio.poll(at: now, into: &listener) }
  if listener.pdus != before + 1 || listener.lastOpcode != 0x0A { broken("a request that is not heard") }
}
