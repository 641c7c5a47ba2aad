import HeraldBluetooth
import HeraldHAL
import HeraldLinkLayer
import HeraldSimulation

/// A device with a link layer, and a host that takes every event.
final class LinkLayerDevice: MediumDevice {
  /// A reported advertisement or scan response.
  struct Report: Equatable {
    let kind: AdvertisingHeader.Kind
    let address: DeviceAddress
    let data: [UInt8]
  }

  /// A received payload.
  struct Payload: Equatable {
    let connection: Int
    let isStart: Bool
    let bytes: [UInt8]
  }

  let number: Int
  /// The memory of the link layer.
  let place: UnsafeMutablePointer<LinkLayer<MediumRadio, 4>>
  /// The link layer, created in zeroed memory as on a chip.
  var layer: LinkLayer<MediumRadio, 4> {
    _read { yield place.pointee }
    _modify { yield &place.pointee }
  }
  var events: [LinkLayerEvent] = []
  var reports: [Report] = []
  var payloads: [Payload] = []
  /// Called after each event.
  var told: (LinkLayerDevice, LinkLayerEvent) -> Void = { _, _ in }
  /// Received payloads are not taken.
  var isDeaf = false

  init(
    _ medium: RadioMedium, _ number: Int, deviation: Int = 0, promised: UInt16 = 20, seed: UInt32 = 1,
    switchesOff: Bool = false
  ) {
    self.number = number
    let radio = medium.makeRadio(
      deviation: deviation, promisedDeviation: promised, switchesOff: switchesOff)
    let size = MemoryLayout<LinkLayer<MediumRadio, 4>>.size
    let memory = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 16)
    memory.initializeMemory(as: UInt8.self, repeating: 0, count: size)
    place = LinkLayer.create(in: memory, radio: radio, seed: seed &+ UInt32(number) &* 7919)
    medium.attach(self, to: number)
  }

  deinit {
    place.deinitialize(count: 1)
    UnsafeMutableRawPointer(place).deallocate()
  }

  /// A random static address that contains the device's number.
  var address: DeviceAddress { DeviceAddress(high: 0xC000, low: UInt32(number), kind: .random) }

  func radioInterrupt() -> Bool { layer.radioInterrupt() }

  func proceduresInterrupt() {
    layer.procedures()
    while let heard = layer.takeReport() {
      let pdu = (0..<Int(heard.count)).map { heard.bytes[$0] }
      guard let header = advertisingHeader(pdu) else { continue }
      let address = DeviceAddress(onAir: Array(pdu[2..<8]).span, kind: header.sender) ?? .zero
      reports.append(Report(kind: header.kind, address: address, data: Array(pdu[8...])))
    }
    drain()
    while let event = layer.takeEvent() {
      events.append(event)
      told(self, event)
    }
  }

  /// Takes the received payloads.
  func drain() {
    while !isDeaf, take() {}
  }

  private func take() -> Bool {
    var taken: [Payload] = []
    let isThere = layer.takePayload { connection, isStart, bytes in
      taken.append(Payload(connection: connection, isStart: isStart, bytes: bytes.indices.map { bytes[$0] }))
    }
    payloads += taken
    return isThere
  }

  func advertise(
    _ type: AdvertisingType = .connectable, as other: DeviceAddress? = nil, every milliseconds: UInt32 = 30,
    data: [UInt8] = [2, 1, 6],
    response: [UInt8] = []
  ) throws(RadioError) {
    try layer.advertise(
      type, as: other ?? address, every: milliseconds, data: data.span, response: response.span)
  }

  func scan(active: Bool = false, every interval: UInt32 = 30, for window: UInt32 = 30) throws(RadioError) {
    try layer.scan(active: active, as: address, every: interval, for: window)
  }

  func connect(to peer: LinkLayerDevice, interval: UInt16 = 24, timeout: UInt16 = 100) throws(RadioError) {
    try layer.connect(to: peer.address, as: address, interval: interval, timeout: timeout)
  }

  func send(_ bytes: [UInt8], isStart: Bool = true, on connection: Int = 0) throws(RadioError) {
    try layer.send(bytes.span, isStart: isStart, on: connection)
  }
}
