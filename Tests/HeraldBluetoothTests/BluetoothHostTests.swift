import HeraldBluetooth
import HeraldHAL
import HeraldSimulation
import TestInputs
import Testing

private let attributes: [5 of AttributeRecord] = [
  .primaryService(at: 0, 2),
  .characteristic(at: 2, 5), .value(0x2A19, .read, tag: Application.level),
  .configuration(slot: 0, allowing: .notifications),
  .constant(0x2901, at: 0, 2),
]
private let bytes: [7 of UInt8] = [0x0F, 0x18, 0x12, 3, 0, 0x19, 0x2A]

/// Serves a battery level and records its events.
private struct Application: BluetoothApplication {
  enum Table: GATTTable {
    static var database: GATTDatabase {
      @_lifetime(immortal) get { GATTDatabase(attributes: attributes.span, bytes: bytes.span) }
    }
  }
  static var level: AttributeTag { AttributeTag(rawValue: 1) }
  static var isObserver: Bool { true }
  static var isGATTClient: Bool { true }
  var heard: [[UInt8]] = []
  var events: [GATTClientEvent] = []
  var notes: [String] = []

  mutating func received(_ report: AdvertisingReport, data: Span<UInt8>, at now: Instant) {
    heard.append(data.indices.map { data[$0] })
  }
  mutating func connected(_ opened: ConnectionOpened, at now: Instant) {
    notes.append("connected \(opened.connection.index)")
  }
  mutating func disconnected(_ connection: ConnectionID, _ reason: DisconnectReason, at now: Instant) {
    notes.append("disconnected \(connection.index)")
  }
  mutating func received(
    _ event: GATTClientEvent, pdu: Span<UInt8>, on connection: ConnectionID, at now: Instant
  ) { events.append(event) }
  mutating func read(
    _ tag: AttributeTag, offset: Int, into buffer: inout MutableSpan<UInt8>, on connection: ConnectionID
  ) -> AttributeRead {
    let value: [1 of UInt8] = [87]
    return .copying(value.span, from: offset, into: &buffer)
  }
}

@Suite("Bluetooth host")
struct BluetoothHostTests {
  private typealias Host = BluetoothHost<MockRadio, Application, 2>
  private let peer = DeviceAddress(high: 0xC000, low: 1, kind: .random)
  private let parameters = AdvertisingParameters(
    ownAddress: DeviceAddress(high: 0xC0FF, low: 7, kind: .random), interval: .milliseconds(100),
    connectable: true)

  /// A host whose radio is ready and which has a connection of number 0.
  private func connectedHost() -> Host {
    var host = Host(radio: MockRadio(), application: Application())
    host.radio.happen(.state(.ready))
    host.radio.happen(.opened(ConnectionID(index: 0), .peripheral, peer: peer))
    _ = host.poll(at: .start)
    return host
  }

  private func notify(_ host: inout Host, _ value: [UInt8]) -> Int {
    host.notify(value.span, handle: 3, slot: 0)
  }

  private func advertise(_ host: inout Host, _ data: [UInt8], scanResponse: [UInt8] = []) -> Bool {
    host.advertise(parameters, data: data.span, scanResponse: scanResponse.span)
  }

  private func begin(_ host: inout Host, _ procedure: GATTProcedure, _ index: Int) -> Bool {
    host.begin(procedure, on: ConnectionID(index: index))
  }

  private func poll(_ host: inout Host, _ now: Instant) -> Instant { host.poll(at: now) }

  private func commands(_ host: borrowing Host) -> [MockRadio.Command] { host.radio.commands.map(\.command) }

  @Test("What is advertised and scanned for is stated once; it is applied again to a radio that restarted")
  func restart() {
    var host = Host(radio: MockRadio(), application: Application())
    let data: [UInt8] = [2, 1, 6]
    host.advertise(parameters, data: data.span)
    let scan = ScanParameters(
      ownAddress: .zero, interval: .milliseconds(100), window: .milliseconds(50), active: false)
    host.scan(scan)
    _ = host.poll(at: .start)
    host.radio.happen(.state(.failed))
    _ = host.poll(at: .start + .seconds(1))
    #expect(host.radio.violations == [])
    host.radio.happen(.state(.ready))
    host.radio.commands = []
    _ = host.poll(at: .start + .seconds(2))
    #expect(
      commands(host) == [
        .startScanning(scan), .startAdvertising(parameters, data: data, scanResponse: []),
      ])
    _ = host.poll(at: .start + .seconds(3))
    #expect(host.radio.commands.count == 2)
    host.stopAdvertising()
    host.scan(nil)
    #expect(commands(host).suffix(2) == [.stopAdvertising, .stopScanning])
    host.radio.commands = []
    host.radio.happen(.state(.failed))
    _ = host.poll(at: .start + .seconds(4))
    host.radio.happen(.state(.ready))
    _ = host.poll(at: .start + .seconds(5))
    #expect(commands(host) == [])
    // Data and scan response of before are gone.
    for response in [[3, 9, 0x41, 0x42], []] as [[UInt8]] {
      _ = advertise(&host, data, scanResponse: response)
      _ = host.poll(at: .start + .seconds(6))
      #expect(commands(host).last == .startAdvertising(parameters, data: data, scanResponse: response))
    }
  }

  @Test("31 bytes can be advertised, 32 are refused and change nothing")
  func longestData() {
    var host = Host(radio: MockRadio(), application: Application())
    let bytes = [UInt8](repeating: 1, count: 32)
    let result1 = advertise(&host, Array(bytes.prefix(31)))
    #expect(result1)
    let result2 = advertise(&host, bytes)
    #expect(!result2)
    let result3 = advertise(&host, [], scanResponse: bytes)
    #expect(!result3)
    host.radio.happen(.state(.ready))
    _ = host.poll(at: .start)
    _ = host.poll(at: .start)
    #expect(
      commands(host) == [
        .startAdvertising(parameters, data: [UInt8](repeating: 1, count: 31), scanResponse: [])
      ])
  }

  @Test("A request is answered from the application's table")
  func request() {
    var host = connectedHost()
    host.radio.happen(.pdu([0x0A, 0x03, 0x00], on: ConnectionID(index: 0)))
    _ = host.poll(at: .start)
    #expect(commands(host).last == .answer([0x0B, 87], on: ConnectionID(index: 0)))
    // A connection beyond the host's places is not served.
    host.radio.happen(.pdu([0x0A, 0x03, 0x00], on: ConnectionID(index: 2)))
    let before = host.radio.commands.count
    _ = host.poll(at: .start)
    #expect(host.radio.commands.count == before)
  }

  @Test("A value is notified to whoever asked for it, and to nobody after a disconnection")
  func notification() {
    var host = connectedHost()
    let value: [UInt8] = [86]
    let result4 = notify(&host, value)
    #expect(result4 == 0)
    host.radio.happen(.pdu([0x12, 0x04, 0x00, 0x01, 0x00], on: ConnectionID(index: 0)))
    _ = host.poll(at: .start)
    #expect(host.configuration(slot: 0, on: ConnectionID(index: 0)) == .notifications)
    let result5 = notify(&host, value)
    #expect(result5 == 1)
    #expect(commands(host).last == .send([0x1B, 0x03, 0x00, 86], on: ConnectionID(index: 0)))
    let long = [UInt8](repeating: 9, count: 30)
    let result6 = notify(&host, long)
    #expect(result6 == 1)
    #expect(
      commands(host).last
        == .send([0x1B, 0x03, 0x00] + [UInt8](repeating: 9, count: 20), on: ConnectionID(index: 0)))
    host.radio.hasBackpressure = true
    let result7 = notify(&host, value)
    #expect(result7 == 0)
    host.radio.hasBackpressure = false
    host.radio.happen(.closed(ConnectionID(index: 0), .remoteUserTerminated))
    _ = host.poll(at: .start)
    let result8 = notify(&host, value)
    #expect(result8 == 0)
    #expect(host.application.notes == ["connected 0", "disconnected 0"])
  }

  @Test("A procedure asks, hands over what comes, confirms indications and ends with its deadline")
  func client() {
    var host = connectedHost()
    let connection = ConnectionID(index: 0)
    let result9 = begin(&host, .readLong(3), 2)
    #expect(!result9)
    let result10 = begin(&host, .readLong(3), 0)
    #expect(result10)
    _ = host.poll(at: .start)
    #expect(commands(host).last == .send([0x0A, 0x03, 0x00], on: connection))
    host.radio.happen(.pdu([0x0B, 1, 2], on: connection))
    _ = host.poll(at: .start)
    #expect(host.application.events.last == .lastValue(offset: 0, from: 1))
    host.radio.happen(.pdu([0x1D, 0x05, 0x00, 7], on: connection))
    _ = host.poll(at: .start)
    #expect(host.application.events.last == .indication(handle: 5, from: 3))
    #expect(commands(host).last == .answer([0x1E], on: connection))
    let result11 = begin(&host, .readLong(3), 0)
    #expect(result11)
    let result12 = poll(&host, .start)
    #expect(result12 == .start)
    let result13 = poll(&host, .start)
    #expect(result13 == .start + .seconds(30))
    _ = host.poll(at: .start + .seconds(30))
    #expect(host.application.events.last == .failed(.timeout))
  }

  @Test("An observer hears advertisements; a radio that fails ends the connections")
  func observer() {
    var host = connectedHost()
    host.radio.happen(.advertisement(peer, RSSI(-60), .connectable, [2, 1, 6]))
    host.radio.happen(.state(.failed))
    _ = host.poll(at: .start)
    #expect(host.application.heard == [[2, 1, 6]])
    #expect(host.application.notes == ["connected 0", "disconnected 0"])
  }

  /// One step of a history on a connection, and what it brings about.
  private func step(_ host: inout Host, _ random: inout SplitMix64, on index: Int, at now: Instant) -> String
  {
    let connection = ConnectionID(index: index)
    var isDone = false
    let pdus: [[UInt8]] = [
      [0x0A, 3, 0], [0x12, 4, 0, 1, 0], [0x02, 50, 0], [0x16, 3, 0, 0, 0, 1], [0x03, 60, 0], [0x0B, 1, 2],
      [0x07, 1, 0, 5, 0], [0x01, 0x06, 1, 0, 0x0A], [0x01, 0x0A, 3, 0, 0x05], [0x1B, 3, 0, 7],
    ]
    let pdu = random.next() % 4 == 0 ? random.mutated(pdus) : pdus[Int(random.next() % 10)]
    let value = [UInt8](repeating: 6, count: Int(random.next() % 30))
    switch random.next() % 9 {
    case 0: isDone = begin(&host, .discoverService16(UUID16(0x180F)), index)
    case 1: isDone = begin(&host, .readLong(3), index)
    case 2: isDone = begin(&host, .exchangeMTU(60), index)
    case 3: isDone = notify(&host, value) > 0
    case 4: host.radio.hasBackpressure.toggle()
    case 5...7: host.radio.happen(.pdu(pdu, on: connection))
    default: break
    }
    var next = poll(&host, now)
    for _ in 0..<5 where next <= now { next = poll(&host, now) }
    let (done, events) = (host.radio.takeCommands(), host.application.events)
    host.application.events = []
    return "\(isDone) \(next) \(done) \(events) \(host.configuration(slot: 0, on: connection))"
  }

  @Test("A connection is as the first one in its place, whatever was under way on those before it")
  func life() {
    for seed in 0..<200 as Range<UInt64> {
      var random = SplitMix64(seed: seed)
      var used = connectedHost()
      var now = Instant.start
      for _ in 0..<(random.next() % 30) {
        now = now + .milliseconds(UInt32(random.next() % 9000))
        _ = step(&used, &random, on: 0, at: now)
      }
      used.radio.hasBackpressure = false
      if random.next() % 2 == 0 {
        used.radio.happen(.closed(ConnectionID(index: 0), .remoteUserTerminated))
      } else {
        used.radio.happen(.state(.failed))
        _ = poll(&used, now)
        used.radio.happen(.state(.ready))
      }
      for _ in 0..<3 { _ = poll(&used, now) }
      let next = poll(&used, now)
      let isBegun = begin(&used, .readLong(3), 0)
      #expect(next == .never && !isBegun, "seed \(seed)")
      used.radio.happen(.opened(ConnectionID(index: 0), .peripheral, peer: peer))
      _ = poll(&used, now)
      _ = used.radio.takeCommands()
      used.application.events = []
      var fresh = connectedHost()
      _ = fresh.radio.takeCommands()
      for number in 0..<30 {
        now = now + .milliseconds(UInt32(random.next() % 9000))
        var copy = random
        let seen = step(&used, &random, on: 0, at: now)
        let expected = step(&fresh, &copy, on: 0, at: now)
        guard seen == expected else {
          Issue.record("seed \(seed), step \(number): \(seen) instead of \(expected)")
          return
        }
      }
    }
  }
}
