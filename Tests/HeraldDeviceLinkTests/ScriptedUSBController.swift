import Foundation
import HeraldDeviceLink
import HeraldHAL

/// A controller whose host is the test: it hands packets over one by one and looks at what the device did.
struct ScriptedUSBController: USBController, ~Copyable {
  /// What the device did, in order.
  enum Operation: Equatable {
    case packet(UInt8, [UInt8])
    case acknowledged
    case refused
    case address(UInt8)
    case opened(UInt8)
    case closed(UInt8)
    case halted(UInt8, Bool)
  }

  var events: [USBEvent] = []
  /// Packets for the link, for the serial port, and of the data stage of a request.
  var outgoing: [[UInt8]] = []
  var toSerial: [[UInt8]] = []
  var requestData: [[UInt8]] = []
  var deeds: [Operation] = []
  /// How many more IN packets fit; of those of the serial port only its own count.
  var room = Int.max
  var serialRoom = Int.max

  mutating func nextEvent() -> USBEvent? { events.isEmpty ? nil : events.removeFirst() }
  mutating func write(_ endpoint: USBEndpoint, _ packet: Span<UInt8>) -> Bool {
    if endpoint == .serialIn || endpoint == .serialState {
      guard serialRoom > 0 else { return false }
      serialRoom -= 1
    } else {
      guard room > 0 else { return false }
      room -= 1
    }
    deeds.append(.packet(endpoint.rawValue, packet.withUnsafeBufferPointer { Array($0) }))
    return true
  }
  mutating func read(_ endpoint: USBEndpoint, into packet: inout MutableSpan<UInt8>) -> Int? {
    let bytes: [UInt8]
    switch endpoint {
    case .linkOut where !outgoing.isEmpty: bytes = outgoing.removeFirst()
    case .serialOut where !toSerial.isEmpty: bytes = toSerial.removeFirst()
    case .control where !requestData.isEmpty: bytes = requestData.removeFirst()
    default: return nil
    }
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
  mutating func takeDeeds() -> [Operation] {
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

  @discardableResult
  mutating func poll() -> Instant { usb.poll(at: now, server: &smp, device: &device) }

  /// What the device does about a control request, given as the eight bytes of its setup packet and those of
  /// its data.
  mutating func control(_ setup: String, data: String? = nil) -> [ScriptedUSBController.Operation] {
    let bytes = hex(setup)
    usb.controller.requestData = data.map { [hex($0)] } ?? []
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

  /// The packets sent at the serial port after the host sent these transfers.
  mutating func serial(_ transfers: [UInt8]...) -> [[UInt8]] {
    for bytes in transfers {
      for start in stride(from: 0, to: max(1, bytes.count), by: 64) {
        usb.controller.toSerial.append(Array(bytes[start..<min(start + 64, bytes.count)]))
      }
    }
    poll()
    return usb.controller.takeDeeds().compactMap {
      guard case .packet(0x82, let bytes) = $0 else { return nil }
      return bytes
    }
  }

  mutating func configure() { _ = control("00 09 0100 0000 0000") }
}

/// A packet as MCUmgr frames it for a serial line: lines of at most 127 bytes, `06 09` before the first and
/// `04 14` before the others, with the base64 of length, packet and check.
func serialFrame(_ packet: [UInt8]) -> [UInt8] {
  var check: UInt16 = 0
  for byte in packet {
    check ^= UInt16(byte) << 8
    for _ in 0..<8 { check = check & 0x8000 != 0 ? check << 1 ^ 0x1021 : check << 1 }
  }
  let length = packet.count + 2
  let all = [UInt8(length >> 8), UInt8(length & 255)] + packet + [UInt8(check >> 8), UInt8(check & 255)]
  return stride(from: 0, to: all.count, by: 93).flatMap { start -> [UInt8] in
    let line = Data(all[start..<min(start + 93, all.count)]).base64EncodedString()
    return (start == 0 ? [6, 9] : [4, 20]) + Array(line.utf8) + [10]
  }
}
