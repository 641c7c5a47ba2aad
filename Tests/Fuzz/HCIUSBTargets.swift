import HeraldBluetooth
import HeraldHAL
import HeraldLinkLayer
import HeraldSimulation

/// A bus whose host does what an input says, and that checks what the device sends.
private struct FuzzHCIBus: USBController, ~Copyable {
  var event: USBEvent?
  /// Packets of the host: of the data stage of a request, and of the data endpoint.
  var requestData: [[UInt8]] = []
  var dataOut: [[UInt8]] = []
  /// Whether the host takes packets.
  var isFull = false
  /// The packets of the device since the last short one.
  var events: [UInt8] = []
  var dataIn: [UInt8] = []
  /// The number of whole events.
  var count = 0

  mutating func nextEvent() -> USBEvent? {
    defer { event = nil }
    return event
  }

  mutating func write(_ endpoint: USBEndpoint, _ packet: Span<UInt8>) -> Bool {
    guard !isFull else { return false }
    if packet.count > 64 { broken("a packet longer than 64 bytes") }
    let bytes = packet.withUnsafeBufferPointer { Array($0) }
    switch endpoint {
    case .hciEvents:
      events += bytes
      guard packet.count < 64 else { break }
      if events.count < 2 || events.count != 2 + Int(events[1]) { broken("an event of another length") }
      events = []
      count += 1
    case .hciDataIn:
      dataIn += bytes
      guard packet.count < 64 else { break }
      if dataIn.count < 4 || dataIn.count != 4 + Int(dataIn[2]) || dataIn[3] != 0 {
        broken("data of another length")
      }
      dataIn = []
    case .control: break
    default: broken("a packet on an endpoint that the device does not have")
    }
    return true
  }

  mutating func read(_ endpoint: USBEndpoint, into packet: inout MutableSpan<UInt8>) -> Int? {
    if packet.count < 64 { broken("too little room for a packet") }
    let bytes: [UInt8]
    switch endpoint {
    case .control where !requestData.isEmpty: bytes = requestData.removeFirst()
    case .hciDataOut where !dataOut.isEmpty: bytes = dataOut.removeFirst()
    default: return nil
    }
    for index in bytes.indices { packet[index] = bytes[index] }
    return bytes.count
  }

  mutating func acknowledge() {}
  mutating func refuse() {}
  mutating func setAddress(_ address: UInt8) { if address > 127 { broken("an address that does not exist") } }
  mutating func open(_ endpoint: USBEndpoint, _ kind: USBTransferKind) {}
  mutating func close(_ endpoint: USBEndpoint) {
    // What was sent in part ends with it.
    if endpoint == .hciEvents { events = [] }
    if endpoint == .hciDataIn { dataIn = [] }
  }
  mutating func setHalted(_ endpoint: USBEndpoint, _ isHalted: Bool) {
    if !isHalted { close(endpoint) }
  }
}

/// Records that begin with 0 are requests of eight bytes, with 1 packets of a data stage, with 2 packets of
/// the data endpoint, with 3 and an even or odd byte the host takes packets or does not; with 4 the bus is
/// reset, with 5 suspended, with 6 resumed, with 7 detached. Others are outcomes as for `fuzzLinkLayer`, the
/// first byte less 8.
let hciUSBSeeds: [[UInt8]] = {
  let configure: [UInt8] = [0, 0x00, 0x09, 1, 0, 0, 0, 0, 0]
  func command(_ bytes: [UInt8]) -> [[UInt8]] {
    [[0, 0x20, 0, 0, 0, 0, 0, UInt8(bytes.count), 0], [1] + bytes]
  }
  let advertise =
    command([
      0x06, 0x20, 15, 0x20, 0, 0x20, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7, 0,
    ]) + command([0x0A, 0x20, 1, 1])
  let request: [UInt8] =
    [
      9, 0x05, 34, 1, 2, 3, 4, 5, 0xC6, 1, 2, 3, 4, 5, 0xC0, 0xA3, 0x5D, 0x65, 0x50, 0x2C, 0x7F, 0x1B, 2, 0,
      0, 24,
    ]
    + [0, 0, 0, 100, 0, 255, 255, 255, 255, 31, 7]
  let connected =
    [[4], configure] + advertise
    + [
      [8], request, [9, 0x11, 0], [8], [9, 0x0E, 3, 1, 2, 3], [8], [2, 1, 0x20, 3, 0, 1, 2, 3], [9, 5, 0],
    ]
  return [
    records(
      [[4], configure] + command([0x03, 0x0C, 0]) + command([0x02, 0x10, 0]) + command([0x09, 0x10, 0])),
    records(connected),
    // Half a command, a long one, data that is too short and too long, and a host that takes nothing.
    records(
      [
        [4], configure, [0, 0x20, 0, 0, 0, 0, 0, 2, 1],
        [1] + [3, 0x20, 0xFF] + [UInt8](repeating: 0, count: 61),
      ]
        + command([0x03, 0x0C, 0]) + [
          [2, 1, 0x20, 9, 0, 1], [2, 1, 0x20, 60] + [UInt8](repeating: 0, count: 61),
        ]
        + [[2, 1], [3, 1]] + command([0x02, 0x10, 0]) + command([0x02, 0x10, 0])
        + [[3, 0], [0, 0x02, 1, 0, 0, 0x81, 0, 0, 0], [5], [6], [7]]),
  ]
}()

/// A controller on USB with whatever its host and the air bring.
func fuzzHCIUSB(_ bytes: Span<UInt8>) {
  let air = FuzzedRadio.Air()
  var controller = HCIController<FuzzedRadio, SeededRandom, 2>(
    radio: FuzzedRadio(air), random: SeededRandom(seed: 1),
    address: DeviceAddress(high: 0xC005, low: 0x0403_0201, kind: .public), seed: 1)
  var device = HCIUSBDevice(usb: FuzzHCIBus(), serialNumber: InlineBytes<32>())
  forEachRecord(bytes) { record in
    guard record.count > 0 else { return }
    let rest = record.extracting(droppingFirst: 1)
    let packet = Array(rest.extracting(first: min(rest.count, 64)).withUnsafeBufferPointer { $0 })
    switch record[0] {
    case 0: if let setup = USBSetup(rest) { device.usb.event = .setup(setup) }
    case 1: device.usb.requestData.append(packet)
    case 2: device.usb.dataOut.append(packet)
    case 3: device.usb.isFull = rest.count > 0 && rest[0] & 1 == 1
    case 4: device.usb.event = .reset
    case 5: device.usb.event = .suspended
    case 6: device.usb.event = .resumed
    case 7: device.usb.event = .detached
    default:
      guard air.state == .busy, let operation = air.operation else { return }
      var outcome = packet
      outcome.insert(record[0] &- 8, at: 0)
      air.pass(outcome.span, operation)
      if controller.radioInterrupt() { controller.procedures() }
    }
    exchange(&device, &controller)
  }
  // A new host gets a response to HCI_Reset, unless the reset of the controller waits for the end of an
  // event.
  device.usb.isFull = false
  device.usb.requestData = []
  device.usb.dataOut = []
  device.usb.event = .reset
  exchange(&device, &controller)
  if device.isConfigured { broken("a device that is configured after a reset") }
  guard air.state != .busy else { return }
  request([0x00, 0x09, 1, 0, 0, 0, 0, 0], [], &device, &controller)
  device.usb.count = 0
  request([0x20, 0, 0, 0, 0, 0, 3, 0], [0x03, 0x0C, 0], &device, &controller)
  if device.usb.count != 1 { broken("no response to HCI_Reset") }
}

private func request(
  _ setup: [UInt8], _ data: [UInt8], _ device: inout HCIUSBDevice<FuzzHCIBus>,
  _ controller: inout HCIController<FuzzedRadio, SeededRandom, 2>
) {
  if let setup = USBSetup(setup.span) { device.usb.event = .setup(setup) }
  if !data.isEmpty { device.usb.requestData.append(data) }
  exchange(&device, &controller)
}

/// Lets the device do what it can do at once.
private func exchange(
  _ device: inout HCIUSBDevice<FuzzHCIBus>, _ controller: inout HCIController<FuzzedRadio, SeededRandom, 2>
) {
  var count = 0
  while device.poll(&controller) {
    count += 1
    if count > 1000 { broken("an exchange without end") }
  }
}
