import HeraldChips
import HeraldDeviceLink
import HeraldEmbedded
import HeraldHAL
import LinkDoubles
import Testing

/// A device on the model of USBD, and a host at the other end of its cable.
final class USBDBench {
  typealias Controller = USBD<USBDModel.Part>
  let model: USBDModel
  var usb: USBDevice<Controller, 512, 2>
  var smp = SMPServer()
  var device = QuietDevice()
  var now = Instant.start
  /// What the host expects next on its bulk endpoints.
  var inToggle = 0
  var outToggle = 0

  /// `isPlugged`: whether there is a host, which has reset the bus.
  init(chip: USBDChip = .nRF52840, isPlugged: Bool = true) {
    let model = USBDModel(chip: chip)
    self.model = model
    let serial = Array("0123456789AB".utf8)
    usb = USBDevice(
      controller: Self.controller(model), serialNumber: InlineBytes<32>(serial.span) ?? InlineBytes())
    if isPlugged {
      model.plug()
      model.settle()
      poll()
      model.resetBus()
      poll()
    }
  }

  /// A driver on the model, with a buffer in its RAM.
  static func controller(_ model: USBDModel) -> Controller {
    USBD(
      usbd: model.part(.usbd), supply: model.part(.supply), trim: model.part(.trim), chip: model.chip,
      buffer: UnsafeMutableRawBufferPointer(rebasing: model.ram[1024..<1088]))
  }

  var isConfigured: Bool { usb.isConfigured }
  var isSuspended: Bool { usb.isSuspended }
  var driverFaults: UInt32 { usb.controller.faults }

  func poll() { usb.poll(at: now, server: &smp, device: &device) }

  // MARK: Transfers of the host

  /// A control request as eight bytes; what the device sends, `nil` if it stalls.
  func control(_ setup: String, data: [UInt8] = []) -> [UInt8]? {
    let setup = bytes(setup)
    guard model.setup(setup) == .ack else { return nil }
    poll()
    let length = Int(setup[6]) | Int(setup[7]) << 8
    guard setup[0] & 0x80 != 0, length > 0 else {
      for packet in packets(data) {
        guard until({ model.output(0, toggle: 0, packet) }) == .ack else { return nil }
      }
      return until { model.input(0x80) } == .data(1, []) ? [] : nil
    }
    var received: [UInt8] = []
    var toggle = 1
    while received.count < length {
      guard case .data(toggle, let packet) = until({ model.input(0x80) }) else { return nil }
      received += packet
      toggle ^= 1
      if packet.count < 64 { break }
    }
    return until { model.output(0, toggle: 1, []) } == .ack ? received : nil
  }

  /// Sends packets on the link; whether the device took all of them.
  func send(_ packets: [[UInt8]]) -> Bool {
    for packet in packets {
      guard until({ model.output(0x01, toggle: outToggle, packet) }) == .ack else { return false }
      outToggle ^= 1
    }
    poll()
    return true
  }

  /// A transfer on the link, up to a short packet; `nil` if the device has nothing to say or stalls.
  func receive() -> [UInt8]? {
    var received: [UInt8] = []
    while true {
      guard case .data(let toggle, let packet) = until({ model.input(0x81) }), toggle == inToggle else {
        return nil
      }
      inToggle ^= 1
      received += packet
      if packet.count < 64 { return received }
    }
  }

  /// A request on the link, and its response.
  func exchange(_ request: [UInt8]) -> [UInt8]? {
    let ending: [[UInt8]] = request.count % 64 == 0 ? [[]] : []
    return send(packets(request) + ending) ? receive() : nil
  }

  /// Sets the address and the configuration.
  func configure() {
    _ = control("00 05 2A00 0000 0000")
    _ = control("00 09 0100 0000 0000")
    inToggle = 0
    outToggle = 0
  }

  /// Repeats a token that is not acknowledged while the device runs.
  private func until(_ token: () -> USBDModel.Answer) -> USBDModel.Answer {
    var answer = token()
    for _ in 0..<8 where answer == .nak {
      poll()
      answer = token()
    }
    return answer
  }

  private func packets(_ bytes: [UInt8]) -> [[UInt8]] {
    stride(from: 0, to: bytes.count, by: 64).map { Array(bytes[$0..<min($0 + 64, bytes.count)]) }
  }
}

/// The driver alone on the model, reset by a host.
final class USBDDriver {
  let model: USBDModel
  private var usb: USBDBench.Controller

  init(buffer: UnsafeMutableRawBufferPointer? = nil, isPlugged: Bool = true) {
    let model = USBDModel()
    self.model = model
    usb = USBD(
      usbd: model.part(.usbd), supply: model.part(.supply), trim: model.part(.trim), chip: .nRF52840,
      buffer: buffer ?? UnsafeMutableRawBufferPointer(rebasing: model.ram[0..<64]))
    guard isPlugged else { return }
    model.plug()
    model.settle()
    _ = usb.nextEvent()
    model.resetBus()
    _ = usb.nextEvent()
  }

  func nextEvent() -> USBEvent? { usb.nextEvent() }
  func leaveCrystalOn() { usb.leavesCrystalOn = true }
  func write(_ endpoint: USBEndpoint, _ packet: [UInt8]) -> Bool { usb.write(endpoint, packet.span) }
  func read(_ endpoint: USBEndpoint) -> [UInt8]? {
    var packet = [UInt8](repeating: 0, count: 64)
    var span = packet.mutableSpan
    guard let count = usb.read(endpoint, into: &span) else { return nil }
    return Array(packet[..<count])
  }
  func acknowledge() { usb.acknowledge() }
  func refuse() { usb.refuse() }
  func open(_ endpoint: USBEndpoint, _ kind: USBTransferKind) { usb.open(endpoint, kind) }
  func close(_ endpoint: USBEndpoint) { usb.close(endpoint) }
  func setHalted(_ endpoint: USBEndpoint, _ isHalted: Bool) { usb.setHalted(endpoint, isHalted) }
}

/// Bytes from hexadecimal digits; spaces are for the eye.
func bytes(_ text: String) -> [UInt8] {
  let digits = text.filter { !$0.isWhitespace }.map { UInt8($0.hexDigitValue ?? 0) }
  return stride(from: 0, to: digits.count - 1, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
}
