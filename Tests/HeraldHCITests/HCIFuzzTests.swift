import HeraldBluetooth
import HeraldEmbedded
import HeraldHAL
import Testing

@testable import HeraldHCI

/// A line that delivers what it was given and takes everything.
struct FuzzTransport: ControllerTransport, ~Copyable {
  var bytes: [1100 of UInt8] = .init(repeating: 0)
  var start = 0
  var end = 0

  mutating func load(_ input: Span<UInt8>) {
    start = 0
    end = min(input.count, 1100)
    for index in 0..<end { bytes[index] = input[index] }
  }
  mutating func read(into buffer: inout MutableSpan<UInt8>) -> Int {
    let count = min(end - start, buffer.count, 61)
    for index in 0..<count { buffer[index] = bytes[start + index] }
    start += count
    return count
  }
  mutating func write(_ packet: Span<UInt8>) -> Bool { packet.count & 7 != 3 }
}

/// A handler that touches all it is given and answers at length.
struct FuzzHandler: RadioEventHandler {
  var sum = 0
  var calls = 0
  mutating func touch(_ bytes: Span<UInt8>) {
    calls += 1
    if bytes.count > 0 { sum &+= Int(bytes[0]) &+ Int(bytes[bytes.count - 1]) }
  }
  mutating func radioChanged(_ state: RadioState, at now: Instant) {}
  mutating func received(_ report: AdvertisingReport, data: Span<UInt8>, at now: Instant) { touch(data) }
  mutating func connectionOpened(_ opened: ConnectionOpened, at now: Instant) { calls += 1 }
  mutating func connectionFailed(_ reason: DisconnectReason, at now: Instant) {}
  mutating func connectionClosed(_ connection: ConnectionID, _ reason: DisconnectReason, at now: Instant) {}
  mutating func pduReceived(
    _ buffer: inout MutableSpan<UInt8>, count: Int, on connection: ConnectionID, at now: Instant
  ) -> Int {
    touch(buffer.span.extracting(0..<count))
    buffer[246] = 1
    return [0, 5, count * 3 - 5, 300][calls & 3]  // also lengths that are none
  }
  mutating func readyToSend(on connection: ConnectionID, at now: Instant) {}
  mutating func measured(_ rssi: RSSI, on connection: ConnectionID, at now: Instant) {}
}

/// The stream of H4 packets. Returns how many were found.
func fuzzH4(_ input: Span<UInt8>) -> Int {
  var receiver = H4Receiver()
  var transport = FuzzTransport()
  var counters = HCICounters()
  transport.load(input)
  var packets = 0
  while receiver.fill(from: &transport) > 0 {
    scan: while true {
      switch receiver.next(&counters) {
      case .none: break scan
      case .event(let start, let count): if start + 2 + count > receiver.tail { return -1 }
      case .aclData(let start, let count): if start + 4 + count > receiver.tail || count > 251 { return -1 }
      case .lostSync: if !receiver.isHunting { return -1 }
      }
      packets += 1
    }
  }
  return packets
}

/// The parameters of an advertising report event, in both forms. Returns how many reports were found.
func fuzzReports(_ input: Span<UInt8>) -> Int {
  var found = 0
  var legacy = LegacyAdvertisingReports(input)
  while let report = legacy.next(input) {
    if report.start + report.count > input.count { return -1 }
    found += 1
  }
  var extended = ExtendedAdvertisingReports(input)
  while let report = extended.next(input) {
    if report.start + report.count > input.count { return -1 }
    found += 1
  }
  return found
}

/// A sequence of fragments on one link: a byte of flags and one of length before each. Returns how many bytes
/// went out.
func fuzzL2CAP(_ input: Span<UInt8>) -> Int {
  var link = L2CAPConnection()
  var buffers = L2CAPBuffers<1>()
  var counters = L2CAPCounters()
  var out = 0
  var reader = ByteReader(input)
  while let flags = reader.u8(), let length = reader.u8() {
    link.role = flags & 4 == 0 ? .central : .peripheral
    guard let fragment = reader.bytes(min(Int(length), reader.remaining)) else { return -1 }
    let slot = link.slot(for: fragment, isStart: flags & 1 == 0, hasSpare: flags & 32 == 0, &counters)
    if slot >= 0, buffers.append(fragment, to: &link, 0, slot, &counters) >= 0 {
      if link.slots[slot].length > 247 || link.slots[slot].length == 0 { return -1 }
      buffers.answered(Int(flags) - 2, by: &link, 0, slot)
    }
    let next = link.nextToSend
    if flags & 2 != 0, next >= 0 {
      let fragment = link.nextFragment(next, limit: 27)
      if fragment.start < 5 || fragment.start + fragment.count > 256 { return -1 }
      if flags & 8 == 0 { link.sent(fragment, next, &counters) }
      out += fragment.count
    }
    if flags & 16 != 0, link.sendsControlNext { link.sentControl(&counters) }
  }
  return out
}

/// Everything the line can say to a radio that is ready and has one connection (handle 1) and one attempt to
/// connect.
struct FuzzedRadio: ~Copyable {
  var radio = HCIRadio<FuzzTransport, 2>(transport: FuzzTransport())
  var handler = FuzzHandler()
  var now = Instant(milliseconds: 1)

  /// Whether the books still balance after it.
  mutating func fuzz(_ input: Span<UInt8>) -> Bool {
    if radio.session.state != .ready { revive() }
    radio.transport.load(input)
    for _ in 0..<8 { _ = radio.poll(at: now, into: &handler) }
    now = now + .milliseconds(1)
    guard radio.session.state == .ready else { return true }
    let held = Int(radio.acl[0].inFlight) + Int(radio.acl[1].inFlight)
    return Int(radio.credits) + held == 4
  }

  mutating func revive() {
    radio.restart()
    radio.receiver = H4Receiver()
    radio.session.state = .ready
    radio.session.support.acl = ACLBufferSize(length: 27, count: 4)
    radio.session.connect = .initiating
    radio.credits = 4
    radio.acl = ACLConnections()
    radio.acl[0].life = .open
    radio.acl[0].handle = ConnectionHandle(rawValue: 1)
    radio.acl[0].l2cap.role = .central
  }
}

/// Numbers that look random and are the same every time.
struct Seeded {
  var state: UInt64
  mutating func next() -> UInt64 {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return state >> 33
  }
  mutating func below(_ limit: Int) -> Int { Int(next()) % limit }

  /// One of the seeds, bent here and there, or noise, in the first bytes of `buffer`. Returns how many.
  mutating func make(from seeds: [[UInt8]], into buffer: inout [UInt8]) -> Int {
    if below(4) == 0 {
      let count = below(40)
      for index in 0..<count { buffer[index] = UInt8(truncatingIfNeeded: next()) }
      return count
    }
    var count = 0
    for _ in 0...below(3) {
      let seed = seeds[below(seeds.count)]
      for byte in seed {
        buffer[count] = byte
        count += 1
      }
    }
    for _ in 0..<below(4) {
      switch below(3) {
      case 0: buffer[below(count)] = UInt8(truncatingIfNeeded: next())
      case 1: buffer[below(count)] = [0, 1, 0x7F, 0x80, 0xFF, 2, 4, 27][below(8)]
      default: count = max(1, count - below(6))
      }
    }
    return count
  }
}

@Suite("Bad input")
struct HCIFuzzTests {
  static let packets = [
    "040e0401030c00", "043e0f02010001665544332211030201060c4", "0201200700030004000a0300",
    "02012010000c000500120508001800280000009001",
    "0201200b0007000600010300011000 01", "04050400010013", "0413050101000100",
    "043e13010001000001060504030" + "2c1180000009001" + "0000",
    "043e13010002000101060504030" + "2c2180000009001" + "0000", "040f0400010d20", "0201100400aabbccdd",
    "0201201b00f7000400" + String(repeating: "5a", count: 23),
    "043e1c0d01200001665544332211010100" + "7fce0000000000000000000" + "0020109", "040e0701051400010" + "0d8",
    "040f0402010604",
    "02022007000300040010ffff", "03010003aabbcc", "0501000400aabbccdd", "040e03010000", "041a0101",
    "04100142", "040f040c011320", "040f040c010604",
    "043e1c0d01200001665544332211010100" + "7fce0000000000000000000" + "0020109",
  ].map(bytes)
  static let reports = [
    "02010001665544332211030201" + "06c4",
    "0203000403010001665544332211aaaaaaaaaaaabbbbbbbbbbbb0300020201060109c4ba14",
    "0203000166554433221103020106c40400aaaaaaaaaaaa00ba0301bbbbbbbbbbbb02010914",
    "0d0203000166554433221101" + "00ff7fce00000000000000000003020106", "02ff", "0d19",
  ].map(bytes)
  static let fragments = [
    "020700030004000a0300" + "02", "06100c000500120508001800280000009001",
    "031bf7000400" + String(repeating: "11", count: 23),
    "13040203040506", "120b00070006000103000110" + "0001", "0204000004" + "00",
  ].map(bytes)

  func run(_ cases: Int, _ seeds: [[UInt8]], seed: UInt64, _ body: (Span<UInt8>) -> Bool) {
    var random = Seeded(state: seed)
    var buffer = [UInt8](repeating: 0, count: 1024)
    for number in 0..<cases {
      let count = random.make(from: seeds, into: &buffer)
      if !body(buffer.span.extracting(0..<count)) {
        Issue.record("case \(number): \(hex(Array(buffer[0..<count])))")
        return
      }
    }
  }

  @Test("100,000 streams of H4")
  func h4() { run(100_000, Self.packets, seed: 1) { fuzzH4($0) >= 0 } }

  @Test("100,000 advertising report events")
  func reports() { run(100_000, Self.reports, seed: 2) { fuzzReports($0) >= 0 } }

  @Test("100,000 sequences of fragments")
  func l2cap() { run(100_000, Self.fragments, seed: 3) { fuzzL2CAP($0) >= 0 } }

  @Test("100,000 things a line can say to a radio")
  func radio() {
    var fuzzed = FuzzedRadio()
    var random = Seeded(state: 4)
    var buffer = [UInt8](repeating: 0, count: 1024)
    for number in 0..<100_000 {
      let count = random.make(from: Self.packets, into: &buffer)
      if !fuzzed.fuzz(buffer.span.extracting(0..<count)) {
        Issue.record("case \(number): \(hex(Array(buffer[0..<count])))")
        return
      }
    }
    #expect(fuzzed.handler.calls > 10_000)
    for counter in 0..<UInt8(HCICounter.count) where counter != HCICounter.commandTimeouts.rawValue {
      // Every kind of trouble was met on the way.
      if let counter = HCICounter(rawValue: counter) {
        #expect(fuzzed.radio.counters[counter] > 0, "\(counter)")
      }
    }
    for counter in 0..<UInt8(L2CAPCounter.count) {
      if let counter = L2CAPCounter(rawValue: counter) {
        #expect(fuzzed.radio.transfers[counter] > 0, "\(counter)")
      }
    }
  }
}
