import HeraldDeviceLink
import HeraldEmbedded

/// A controller whose host is the test: it hands packets over one by one and looks at what the device did.
struct ScriptedUSBController: USBController, ~Copyable {
  /// What the device did, in order.
  enum Deed: Equatable {
    case packet(UInt8, [UInt8])
    case acknowledged
    case refused
    case address(UInt8)
    case opened(UInt8)
    case closed(UInt8)
    case halted(UInt8, Bool)
  }

  var events: [USBEvent] = []
  /// Packets for OUT endpoints.
  var outgoing: [[UInt8]] = []
  var deeds: [Deed] = []
  /// How many more IN packets fit.
  var room = Int.max

  mutating func nextEvent() -> USBEvent? { events.isEmpty ? nil : events.removeFirst() }
  mutating func write(_ endpoint: USBEndpoint, _ packet: Span<UInt8>) -> Bool {
    guard room > 0 else { return false }
    room -= 1
    deeds.append(.packet(endpoint.rawValue, packet.withUnsafeBufferPointer { Array($0) }))
    return true
  }
  mutating func read(_ endpoint: USBEndpoint, into packet: inout MutableSpan<UInt8>) -> Int? {
    guard endpoint == .linkOut, !outgoing.isEmpty else { return nil }
    let bytes = outgoing.removeFirst()
    for index in bytes.indices { packet[index] = bytes[index] }
    return bytes.count
  }
  mutating func acknowledge() { deeds.append(.acknowledged) }
  mutating func refuse() { deeds.append(.refused) }
  mutating func setAddress(_ address: UInt8) { deeds.append(.address(address)) }
  mutating func open(_ endpoint: USBEndpoint, _ kind: USBTransferKind) {
    deeds.append(.opened(endpoint.rawValue))
  }
  mutating func close(_ endpoint: USBEndpoint) { deeds.append(.closed(endpoint.rawValue)) }
  mutating func setHalted(_ endpoint: USBEndpoint, _ isHalted: Bool) {
    deeds.append(.halted(endpoint.rawValue, isHalted))
  }

  /// What the device did since the last call.
  mutating func takeDeeds() -> [Deed] {
    defer { deeds.removeAll() }
    return deeds
  }
}

/// A device with its link on a scripted controller.
struct ScriptedUSB: ~Copyable {
  var usb: USBDevice<ScriptedUSBController, 512, 2>
  var smp = SMPServer()
  var device = TestDevice()
  var now = Instant.start

  init() {
    let serial = Array("0123456789AB".utf8)
    usb = USBDevice(
      controller: ScriptedUSBController(), serialNumber: InlineBytes<32>(serial.span) ?? InlineBytes())
  }

  mutating func poll() { usb.poll(at: now, server: &smp, device: &device) }

  /// What the device does about a control request, given as the eight bytes of its setup packet.
  mutating func control(_ setup: String) -> [ScriptedUSBController.Deed] {
    let bytes = hex(setup)
    guard let setup = USBSetup(bytes.span) else { return [] }
    usb.controller.events.append(.setup(setup))
    poll()
    return usb.controller.takeDeeds()
  }

  /// The packets sent on the link after the host sent these.
  mutating func bulk(_ packets: [UInt8]...) -> [[UInt8]] {
    usb.controller.outgoing += packets
    poll()
    return usb.controller.takeDeeds().compactMap {
      guard case .packet(0x81, let bytes) = $0 else { return nil }
      return bytes
    }
  }

  mutating func configure() { _ = control("00 09 0100 0000 0000") }
}
