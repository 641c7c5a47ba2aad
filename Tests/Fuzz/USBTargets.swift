import HeraldDeviceLink
import HeraldHAL

/// A controller whose bus does what an input says: each record is a control request (8 bytes) or, of any
/// other length, a packet: of 7 bytes the data of a request, with 06 or 04 in front for the serial port, else
/// for the link.
struct FuzzUSBController: USBController, ~Copyable {
  var setup: USBSetup?
  var packet: InlineBytes<64>?
  /// Where that goes.
  var endpoint = USBEndpoint.linkOut
  var wasReset = false

  mutating func nextEvent() -> USBEvent? {
    if wasReset {
      wasReset = false
      return .reset
    }
    defer { setup = nil }
    return setup.map { .setup($0) }
  }

  mutating func write(_ endpoint: USBEndpoint, _ packet: Span<UInt8>) -> Bool {
    if packet.count > 64 { broken("a packet longer than 64 bytes") }
    return true
  }

  mutating func read(_ endpoint: USBEndpoint, into packet: inout MutableSpan<UInt8>) -> Int? {
    if packet.count < 64 { broken("too little room for a packet") }
    guard endpoint == self.endpoint, var bytes = self.packet else { return nil }
    self.packet = nil
    let span = bytes.span
    for index in 0..<span.count { packet[index] = span[index] }
    return span.count
  }

  mutating func acknowledge() {}
  mutating func refuse() {}
  mutating func setAddress(_ address: UInt8) { if address > 127 { broken("an address that does not exist") } }
  mutating func open(_ endpoint: USBEndpoint, _ kind: USBTransferKind) {}
  mutating func close(_ endpoint: USBEndpoint) {}
  mutating func setHalted(_ endpoint: USBEndpoint, _ isHalted: Bool) {}
}

let usbSeeds: [[UInt8]] = [
  // Enumeration: device, BOS and configuration descriptors, a string, the Microsoft set, address and
  // configuration; then an echo.
  records([
    [0x80, 0x06, 0x00, 0x01, 0x00, 0x00, 0x40, 0x00], [0x80, 0x06, 0x00, 0x0F, 0x00, 0x00, 0xFF, 0x00],
    [0x80, 0x06, 0x00, 0x02, 0x00, 0x00, 0xFF, 0x00], [0x80, 0x06, 0x03, 0x03, 0x09, 0x04, 0xFF, 0x00],
    [0xC0, 0x01, 0x00, 0x00, 0x07, 0x00, 0xFF, 0x00], [0x00, 0x05, 0x05, 0x00, 0x00, 0x00, 0x00, 0x00],
    [0x00, 0x09, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00], smpSeeds[0],
  ]),
  records([
    [0x00, 0x09, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00], [0x02, 0x03, 0x00, 0x00, 0x81, 0x00, 0x00, 0x00],
    [0x82, 0x00, 0x00, 0x00, 0x81, 0x00, 0x02, 0x00], [0x02, 0x01, 0x00, 0x00, 0x81, 0x00, 0x00, 0x00],
    [0x01, 0x0B, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00], [0x81, 0x0A, 0x00, 0x00, 0x00, 0x00, 0x01, 0x00], [],
  ]),
  // The serial port: line coding, line state, an echo.
  records([
    [0x00, 0x09, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00], [0x21, 0x20, 0x00, 0x00, 0x01, 0x00, 0x07, 0x00],
    [0x80, 0x25, 0, 0, 0, 0, 8], [0xA1, 0x21, 0x00, 0x00, 0x01, 0x00, 0x07, 0x00],
    [0x21, 0x22, 0x03, 0x00, 0x01, 0x00, 0x00, 0x00], [6, 9] + Array("ABAKAAAGAAABAKFhZGJoaaWv\n".utf8),
    [0x21, 0x22, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00],
  ]),
]

func fuzzUSB(_ bytes: Span<UInt8>) {
  var usb = USBDevice<FuzzUSBController, 512, 2>(
    controller: FuzzUSBController(), serialNumber: InlineBytes([0x61, 0x62].span) ?? InlineBytes())
  var server = SMPServer()
  var device = FuzzDevice()
  forEachRecord(bytes) { record in
    if record.count == 8, let setup = USBSetup(record) {
      usb.controller.setup = setup
    } else {
      switch (record.count, record.count > 0 ? record[0] : 0) {
      case (7, _): usb.controller.endpoint = .control
      case (_, 4), (_, 6): usb.controller.endpoint = .serialOut
      default: usb.controller.endpoint = .linkOut
      }
      usb.controller.packet = InlineBytes(record.extracting(first: min(record.count, 64)))
    }
    usb.poll(at: .start, server: &server, device: &device)
  }
  usb.controller.wasReset = true
  usb.poll(at: .start, server: &server, device: &device)
  if usb.isConfigured { broken("a device that is configured after a reset") }
}
