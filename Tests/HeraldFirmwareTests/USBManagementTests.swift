import HeraldDeviceLink
import HeraldEmbedded
import HeraldFirmware
import HeraldHAL
import HeraldHCI
import HeraldSimulation
import LinkDoubles
import Testing

/// A host's side of a USB controller: what it asks, and what came back.
private final class Host {
  var events: [USBEvent] = []
  var toDevice: [[UInt8]] = []
  var control: [UInt8] = []
  var bulk: [UInt8] = []
}

private struct TestController: PacketUSBController {
  let host: Host
  mutating func nextEvent() -> USBEvent? { host.events.isEmpty ? nil : host.events.removeFirst() }
  mutating func write(_ endpoint: USBEndpoint, _ packet: Span<UInt8>) -> Bool {
    for index in 0..<packet.count {
      if endpoint == .control { host.control.append(packet[index]) } else { host.bulk.append(packet[index]) }
    }
    return true
  }
  mutating func read(_ endpoint: USBEndpoint, into packet: inout MutableSpan<UInt8>) -> Int? {
    guard !host.toDevice.isEmpty else { return nil }
    let bytes = host.toDevice.removeFirst()
    for index in bytes.indices { packet[index] = bytes[index] }
    return bytes.count
  }
}

private struct Silence: ControllerTransport {
  mutating func read(into buffer: inout MutableSpan<UInt8>) -> Int { 0 }
  mutating func write(_ packet: Span<UInt8>) -> Bool { true }
}

private struct Zeros: RandomSource {
  mutating func next() -> UInt32 { 0 }
}

private struct TestBoard: ManagedBoard, ~Copyable {
  var settings = SettingsStore(flash: NoFlash())
  mutating func information(_ field: InformationField, into text: inout MutableSpan<UInt8>) -> Int { 0 }
  mutating func restart(at now: Instant) {}
}

@Suite("The management link on USB")
struct USBManagementTests {
  @Test("a host finds the device by its serial number, selects it, and is answered")
  func echo() {
    let host = Host()
    var links = USBManagement<TestController, 1024, 2>(
      TestController(host: host), serialNumber: InlineBytes([0x61, 0x62].span) ?? InlineBytes())
    var device = ManagedNode<
      HCIRadio<Silence, 2>,
      ManagedPartList<
        MemoryFlash, Zeros, FixedPayloadSupplier, NoDelegate, HeraldGATTTable, TestBoard
      >, 4, 2, 2
    >(
      radio: HCIRadio(transport: Silence()), flash: MemoryFlash(pageSize: 4096, pageCount: 4, wordSize: 4),
      random: Zeros(), supplier: FixedPayloadSupplier(country: 1, state: 2, clientIdentifier: 3),
      delegate: NoDelegate(), board: TestBoard())
    // Get Descriptor: string 3, the serial number (Universal Serial Bus Specification, 9.4.3); then Set
    // Configuration 1.
    host.events = [
      .reset, .setup(USBSetup(requestType: 0x80, request: 6, value: 0x0303, index: 0x0409, length: 255)),
    ]
    let first = links.serve(at: .start, device: &device)
    #expect(first == .never)
    #expect(host.control == [6, 3, 0x61, 0, 0x62, 0])
    host.events = [.setup(USBSetup(requestType: 0, request: 9, value: 1, index: 0, length: 0))]
    _ = links.serve(at: .start, device: &device)
    let isConfigured = links.device.isConfigured
    #expect(isConfigured)
    // SMP: write, group 0 (OS), sequence 1, command 0 (echo), {"d": "x"}; the response is {"r": "x"}.
    host.toDevice = [[2, 0, 0, 5, 0, 0, 1, 0, 0xA1, 0x61, 0x64, 0x61, 0x78]]
    _ = links.serve(at: .start, device: &device)
    #expect(host.bulk.count >= 13)
    #expect(Array(host.bulk.prefix(1)) == [3])
    #expect(Array(host.bulk.suffix(4)) == [0x61, 0x72, 0x61, 0x78])
  }
}
