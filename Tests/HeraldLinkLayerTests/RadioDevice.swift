import HeraldBluetooth
import HeraldHAL
import HeraldLinkLayer
import HeraldSimulation

/// A hold that records whether every access to the link layer is between `hold` and `release`.
struct CheckedHold: ProceduresHold {
  private(set) var isHeld = false
  private(set) var isWrong = false

  mutating func hold() {
    if isHeld { isWrong = true }
    isHeld = true
  }

  mutating func release() {
    if !isHeld { isWrong = true }
    isHeld = false
  }
}

/// The events of a radio, and an ATT server that returns the request with its first byte incremented.
struct EventRecorder: RadioEventHandler {
  var states: [RadioState] = []
  var reports: [(report: AdvertisingReport, data: [UInt8])] = []
  var opened: [ConnectionOpened] = []
  var failed: [DisconnectReason] = []
  var closed: [DisconnectReason] = []
  var pdus: [[UInt8]] = []
  var ready = 0
  var measured: [RSSI] = []

  mutating func radioChanged(_ state: RadioState, at now: Instant) { states.append(state) }
  mutating func received(_ report: AdvertisingReport, data: Span<UInt8>, at now: Instant) {
    reports.append((report, data.indices.map { data[$0] }))
  }
  mutating func connectionOpened(_ opened: ConnectionOpened, at now: Instant) { self.opened.append(opened) }
  mutating func connectionFailed(_ reason: DisconnectReason, at now: Instant) { failed.append(reason) }
  mutating func connectionClosed(_ connection: ConnectionID, _ reason: DisconnectReason, at now: Instant) {
    closed.append(reason)
  }
  mutating func pduReceived(
    _ buffer: inout MutableSpan<UInt8>, count: Int, on connection: ConnectionID, at now: Instant
  ) -> Int {
    pdus.append((0..<count).map { buffer[$0] })
    // Requests have even opcodes.
    guard buffer[0] & 1 == 0 else { return 0 }
    buffer[0] += 1
    return count
  }
  mutating func readyToSend(on connection: ConnectionID, at now: Instant) { ready += 1 }
  mutating func measured(_ rssi: RSSI, on connection: ConnectionID, at now: Instant) { measured.append(rssi) }
}

/// A device whose host uses its link layer as a `Radio`.
final class RadioDevice<let connections: Int>: MediumDevice {
  typealias Layer = LinkLayer<MediumRadio, connections>

  let number: Int
  let medium: RadioMedium
  let layer: UnsafeMutablePointer<Layer>
  var radio: LinkLayerRadio<MediumRadio, CheckedHold, connections>
  var host = EventRecorder()
  /// The host is busy and does not poll.
  var isAsleep = false

  init(_ medium: RadioMedium, _ number: Int, deviation: Int = 0) {
    self.number = number
    self.medium = medium
    let peripheral = medium.makeRadio(deviation: deviation)
    layer = .allocate(capacity: 1)
    layer.initialize(to: Layer(radio: peripheral, seed: 1 &+ UInt32(number) &* 7919))
    radio = LinkLayerRadio(layer, hold: CheckedHold())
    medium.attach(self, to: number)
    poll()
  }

  deinit {
    layer.deinitialize(count: 1)
    layer.deallocate()
  }

  var address: DeviceAddress { DeviceAddress(high: 0xC000, low: UInt32(number), kind: .random) }

  func radioInterrupt() -> Bool { layer.pointee.radioInterrupt() }

  func proceduresInterrupt() {
    layer.pointee.procedures()
    if !isAsleep { poll() }
  }

  /// Polls until there is nothing to be processed.
  func poll() {
    let now = Instant(milliseconds: UInt64(medium.time / 1_000_000))
    while radio.poll(at: now, into: &host) <= now {}
  }

  func advertise(
    as address: DeviceAddress? = nil, connectable: Bool = true, data: [UInt8] = [2, 1, 6],
    response: [UInt8] = [3, 0xFF, 0xAA, 0xBB]
  ) throws(RadioError) {
    try radio.startAdvertising(
      AdvertisingParameters(
        ownAddress: address ?? self.address, interval: .milliseconds(30), connectable: connectable),
      data: data.span, scanResponse: response.span)
  }

  func scan(active: Bool = false) throws(RadioError) {
    try radio.startScanning(
      ScanParameters(
        ownAddress: address, interval: .milliseconds(30), window: .milliseconds(30), active: active))
  }

  func connect(to peer: DeviceAddress) throws(RadioError) {
    try radio.connect(to: peer, ConnectionParameters(ownAddress: address))
  }

  func send(_ pdu: [UInt8], on connection: Int = 0) throws(RadioError) {
    try radio.send(pdu.span, on: ConnectionID(index: connection))
  }

  /// The error for which a PDU is refused.
  func refusal(of pdu: [UInt8], on connection: Int = 0) -> RadioError? {
    do throws(RadioError) {
      try send(pdu, on: connection)
      return nil
    } catch {
      return error
    }
  }
}
