import HeraldBluetooth
import HeraldHAL
import HeraldHCI
import HeraldLinkLayer
import HeraldSimulation
import TestInputs
import Testing

/// The H4 line from a host in this process to a controller.
private struct ControllerLine: ControllerTransport, ~Copyable {
  let device: ControllerDevice
  private var rest: [UInt8] = []

  init(_ device: ControllerDevice) { self.device = device }

  mutating func read(into buffer: inout MutableSpan<UInt8>) -> Int {
    if rest.isEmpty { rest = device.take() ?? [] }
    let count = min(rest.count, buffer.count)
    for index in 0..<count { buffer[index] = rest[index] }
    rest.removeFirst(count)
    return count
  }

  mutating func write(_ packet: Span<UInt8>) -> Bool {
    // The controller accepts a whole packet, or nothing while a command has not been executed.
    device.controller.receive(packet) == packet.count
  }

  var longestPacket: Int { 64 }
}

/// What a host was told.
private struct Listener: RadioEventHandler {
  var reports: [[UInt8]] = []
  var opened: [DeviceAddress] = []
  var closed: [UInt8] = []
  var received: [[UInt8]] = []
  var rssi: Int8?

  mutating func radioChanged(_ state: RadioState, at now: Instant) {}
  mutating func received(_ report: AdvertisingReport, data: Span<UInt8>, at now: Instant) {
    reports.append(data.indices.map { data[$0] })
  }
  mutating func connectionOpened(_ opened: ConnectionOpened, at now: Instant) {
    self.opened.append(opened.peer)
  }
  mutating func connectionFailed(_ reason: DisconnectReason, at now: Instant) {}
  mutating func connectionClosed(
    _ connection: ConnectionID, _ reason: DisconnectReason, at now: Instant
  ) { closed.append(reason.rawValue) }
  mutating func pduReceived(
    _ buffer: inout MutableSpan<UInt8>, count: Int, on connection: ConnectionID, at now: Instant
  ) -> Int {
    received.append((0..<count).map { buffer[$0] })
    return 0
  }
  mutating func readyToSend(on connection: ConnectionID, at now: Instant) {}
  mutating func measured(_ rssi: RSSI, on connection: ConnectionID, at now: Instant) {
    self.rssi = rssi.rawValue
  }
}

/// A host with its radio.
private final class HostDevice {
  let device: ControllerDevice
  var radio: HCIRadio<ControllerLine, 2>
  var heard = Listener()

  init(_ medium: RadioMedium, _ number: Int) {
    device = ControllerDevice(medium, number)
    device.isStalled = true
    radio = HCIRadio(transport: ControllerLine(device))
  }

  func poll(_ now: Instant) { for _ in 0..<40 { _ = radio.poll(at: now, into: &heard) } }
}

/// Herald's own host on an HCI controller.
@Suite("HCIRadio on an HCI controller")
struct HCIRadioTests {
  private let medium = RadioMedium(seed: 12)

  private func run(_ hosts: [HostDevice], milliseconds count: Int) {
    for _ in 0..<count {
      let now = Instant(milliseconds: UInt64(medium.time / 1_000_000) + 1)
      for host in hosts { host.poll(now) }
      medium.run(until: medium.time + milliseconds(1))
    }
  }

  @Test("Two hosts begin, advertise, scan, connect, exchange PDUs and disconnect")
  func meeting() throws {
    let hosts = [HostDevice(medium, 0), HostDevice(medium, 1)]
    run(hosts, milliseconds: 100)
    #expect(hosts.allSatisfy { $0.radio.state == .ready })
    #expect(hosts[0].radio.capabilities.publicAddress == ControllerDevice.address(0))
    #expect(hosts[0].radio.capabilities.canScanWhileConnecting)
    #expect(hosts[0].radio.capabilities.canAdvertiseWhileConnected)
    let own = [0, 1].map { DeviceAddress(high: 0xC000, low: $0, kind: .random) }
    let data: [UInt8] = [2, 1, 6]
    try hosts[0].radio.startAdvertising(
      AdvertisingParameters(ownAddress: own[0], interval: Interval(milliseconds: 50), connectable: true),
      data: data.span,
      scanResponse: data.span)
    try hosts[1].radio.startScanning(
      ScanParameters(
        ownAddress: own[1], interval: Interval(milliseconds: 60), window: Interval(milliseconds: 30),
        active: false))
    run(hosts, milliseconds: 1000)
    #expect(hosts[1].heard.reports.count > 5 && hosts[1].heard.reports.allSatisfy { $0 == data })
    try hosts[1].radio.connect(to: own[0], ConnectionParameters(ownAddress: own[1]))
    run(hosts, milliseconds: 1000)
    #expect(hosts[0].heard.opened == [own[1]] && hosts[1].heard.opened == [own[0]])
    let connection = ConnectionID(index: 0)
    let pdus = [0, 1].map { number in [UInt8](repeating: UInt8(number) + 1, count: 100) }
    for (host, pdu) in zip(hosts, pdus) { try host.radio.send(pdu.span, on: connection) }
    hosts[0].radio.readRSSI(connection)
    run(hosts, milliseconds: 1000)
    #expect(hosts[0].heard.received == [pdus[1]] && hosts[1].heard.received == [pdus[0]])
    #expect(hosts[0].heard.rssi == -60)
    hosts[0].radio.disconnect(connection)
    run(hosts, milliseconds: 1000)
    #expect(hosts[0].heard.closed == [0x16] && hosts[1].heard.closed == [0x13])
  }
}
