import HeraldHAL

/// Responds to control requests: chapter 9 of USB 2.0, those of a serial port (PSTN 1.2, 6.3), and
/// Microsoft's request for its descriptors. Refuses the rest.
///
/// It decides about the standard requests and stores what they set; `USBDevice` informs the controller and
/// the functions.
struct USBControlEndpoint: ~Copyable {
  /// The action for a request.
  enum Outcome: Equatable, BitwiseCopyable {
    /// Send what `nextPacket` returns.
    case send
    /// Acknowledge it.
    case acknowledge
    /// Acknowledge it and use the address.
    case setAddress(UInt8)
    /// Acknowledge it; the configuration was selected, or selected again, or (0) left.
    case configure(UInt8)
    /// Acknowledge it; this interface's one setting was selected: its endpoints are reset.
    case selectInterface(UInt16)
    /// Acknowledge it, and halt the endpoint or end that.
    case halt(USBEndpoint, Bool)
    /// Acknowledge it; whether a terminal is at the serial port.
    case setTerminal(Bool)
    /// Receive seven bytes: the line coding of the serial port.
    case receiveLineCoding
    /// Send the line coding.
    case sendLineCoding
    /// Refuse it.
    case refuse
  }

  /// What is being sent.
  private enum Response: Equatable, BitwiseCopyable {
    case none
    /// So many bytes, least significant first.
    case value(UInt16, UInt8)
    case descriptor(UInt8, UInt8)
    case microsoftSet
    case lineCoding
  }

  /// The configuration that is selected; 0 when none is.
  private(set) var configuration: UInt8 = 0
  /// A bit for each endpoint that is halted, by `place`.
  private var halted: UInt8 = 0
  private var answer = Response.none
  /// Bytes of the response that the host requested, and that are sent.
  private var answerCount = 0
  private var sent = 0
  private var endsWithEmptyPacket = false
  private var packet = USBResponsePacket()
  private let serialNumber: InlineBytes<32>

  /// A device in the default state.
  init(serialNumber: InlineBytes<32>) { self.serialNumber = serialNumber }

  /// Whether there are packets of a response to be sent.
  var isSending: Bool { answer != .none }

  /// The bus was reset, or the device taken off it.
  mutating func reset() {
    configuration = 0
    halted = 0
    answer = .none
  }

  /// Decides about a request. The rest of the response to the one before is dropped.
  mutating func respond(to setup: USBSetup) -> Outcome {
    answer = .none
    switch setup.requestType {
    case 0x80: return readDevice(setup)
    case 0x81: return readInterface(setup)
    case 0x82: return readEndpoint(setup)
    case 0x00: return writeDevice(setup)
    case 0x01: return writeInterface(setup)
    case 0x02: return writeEndpoint(setup)
    case 0x21, 0xA1: return serialPort(setup)
    case 0xC0: return readVendor(setup)
    default: return .refuse
    }
  }

  /// The standard requests (USB 2.0, table 9-4).
  private enum Request {
    static var getStatus: UInt8 { 0 }
    static var clearFeature: UInt8 { 1 }
    static var setFeature: UInt8 { 3 }
    static var setAddress: UInt8 { 5 }
    static var getDescriptor: UInt8 { 6 }
    static var getConfiguration: UInt8 { 8 }
    static var setConfiguration: UInt8 { 9 }
    static var getInterface: UInt8 { 10 }
    static var setInterface: UInt8 { 11 }
  }

  /// The requests of a serial port (PSTN 1.2, table 13).
  private enum SerialRequest {
    static var setLineCoding: UInt8 { 0x20 }
    static var getLineCoding: UInt8 { 0x21 }
    static var setControlLineState: UInt8 { 0x22 }
  }

  private mutating func readDevice(_ setup: USBSetup) -> Outcome {
    switch setup.request {
    // Bus-powered, no remote wake-up.
    case Request.getStatus where setup.value == 0 && setup.index == 0: return send(.value(0, 2), setup)
    case Request.getDescriptor:
      return send(
        .descriptor(
          UInt8(truncatingIfNeeded: setup.value &>> 8), UInt8(truncatingIfNeeded: setup.value)), setup)
    case Request.getConfiguration where setup.value == 0 && setup.index == 0:
      return send(.value(UInt16(configuration), 1), setup)
    default: return .refuse
    }
  }

  private mutating func readInterface(_ setup: USBSetup) -> Outcome {
    guard configuration != 0, setup.index <= USBDescriptors.Interface.serialData, setup.value == 0 else {
      return .refuse
    }
    switch setup.request {
    case Request.getStatus: return send(.value(0, 2), setup)
    case Request.getInterface: return send(.value(0, 1), setup)
    default: return .refuse
    }
  }

  /// The bit of an endpoint other than the control endpoint; `nil` for those that do not exist, or not before
  /// there is a configuration.
  @inline(never)
  private func bit(_ address: UInt16) -> UInt8? {
    guard configuration != 0 else { return nil }
    switch address {
    case UInt16(USBEndpoint.linkOut.rawValue): return 1 << 0
    case UInt16(USBEndpoint.linkIn.rawValue): return 1 << 1
    case UInt16(USBEndpoint.serialOut.rawValue): return 1 << 2
    case UInt16(USBEndpoint.serialIn.rawValue): return 1 << 3
    case UInt16(USBEndpoint.serialState.rawValue): return 1 << 4
    default: return nil
    }
  }

  private mutating func readEndpoint(_ setup: USBSetup) -> Outcome {
    guard setup.request == Request.getStatus, setup.value == 0 else { return .refuse }
    if setup.index == 0x00 || setup.index == 0x80 { return send(.value(0, 2), setup) }
    guard let bit = bit(setup.index) else { return .refuse }
    return send(.value(halted & bit != 0 ? 1 : 0, 2), setup)
  }

  private mutating func writeDevice(_ setup: USBSetup) -> Outcome {
    guard setup.index == 0, setup.length == 0 else { return .refuse }
    switch setup.request {
    // Not once there is a configuration: what happens then is not specified (USB 2.0, 9.4.6).
    case Request.setAddress where setup.value < 128 && configuration == 0:
      return .setAddress(UInt8(truncatingIfNeeded: setup.value))
    case Request.setConfiguration where setup.value <= UInt16(USBDescriptors.configurationValue):
      configuration = UInt8(truncatingIfNeeded: setup.value)
      halted = 0
      return .configure(configuration)
    default: return .refuse
    }
  }

  private mutating func writeInterface(_ setup: USBSetup) -> Outcome {
    guard configuration != 0, setup.request == Request.setInterface, setup.value == 0, setup.length == 0
    else {
      return .refuse
    }
    switch setup.index {
    case USBDescriptors.Interface.link: halted &= ~0b0_0011
    case USBDescriptors.Interface.serialControl: halted &= ~0b1_0000
    case USBDescriptors.Interface.serialData: halted &= ~0b0_1100
    default: return .refuse
    }
    return .selectInterface(setup.index)
  }

  /// Only an endpoint has a feature here: Endpoint Halt, 0.
  private mutating func writeEndpoint(_ setup: USBSetup) -> Outcome {
    guard setup.request == Request.setFeature || setup.request == Request.clearFeature, setup.value == 0,
      setup.length == 0
    else { return .refuse }
    let isHalted = setup.request == Request.setFeature
    // The control endpoint is never halted; hosts may clear a halt nevertheless.
    if setup.index == 0x00 || setup.index == 0x80 { return isHalted ? .refuse : .acknowledge }
    guard let bit = bit(setup.index) else { return .refuse }
    halted = isHalted ? halted | bit : halted & ~bit
    return .halt(USBEndpoint(rawValue: UInt8(truncatingIfNeeded: setup.index)), isHalted)
  }

  /// The requests of the serial port, all to its control interface.
  private mutating func serialPort(_ setup: USBSetup) -> Outcome {
    guard configuration != 0, setup.index == USBDescriptors.Interface.serialControl else { return .refuse }
    switch (setup.requestType, setup.request) {
    case (0x21, SerialRequest.setLineCoding) where setup.value == 0 && setup.length == 7:
      return .receiveLineCoding
    case (0xA1, SerialRequest.getLineCoding) where setup.value == 0:
      let outcome = send(.lineCoding, setup)
      return outcome == .send ? .sendLineCoding : outcome
    // Bit 0 is Data Terminal Ready; bit 1, Request To Send, has no meaning here.
    case (0x21, SerialRequest.setControlLineState) where setup.length == 0:
      return .setTerminal(setup.value & 1 != 0)
    default: return .refuse
    }
  }

  private mutating func readVendor(_ setup: USBSetup) -> Outcome {
    guard setup.request == USBDescriptors.microsoftRequest, setup.index == USBDescriptors.microsoftSetIndex,
      setup.value == 0
    else { return .refuse }
    return send(.microsoftSet, setup)
  }

  /// Sends a response, or as much of it as the host requested.
  private mutating func send(_ answer: Response, _ setup: USBSetup) -> Outcome {
    self.answer = answer
    packet.begin(at: 0)
    // The line coding is the serial port's, which writes it into the packet.
    guard answer == .lineCoding || write() else {
      self.answer = .none
      return .refuse
    }
    // Without a data stage there is only a status stage, which this device sends.
    guard setup.length > 0 else {
      self.answer = .none
      return .acknowledge
    }
    let count = answer == .lineCoding ? USBSerialPort.codingSize : packet.count
    answerCount = min(count, Int(setup.length))
    // The host detects the end by a short packet, or by the requested length (USB 2.0, 5.5.3).
    endsWithEmptyPacket =
      answerCount < Int(setup.length) && answerCount % USBDescriptors.packetSize == 0
    sent = 0
    return .send
  }

  /// Writes the line coding into the packet, which `send` leaves empty for it.
  mutating func fill(with coding: Span<UInt8>) {
    packet.begin(at: 0)
    packet.bytes(coding)
  }

  /// Writes the response into the packet, which has been begun; `false` if there is none.
  @inline(never)
  private mutating func write() -> Bool {
    switch answer {
    case .none, .lineCoding: return false
    case .value(let value, let count):
      packet.u8(UInt8(truncatingIfNeeded: value))
      if count > 1 { packet.u8(UInt8(truncatingIfNeeded: value &>> 8)) }
      return true
    case .microsoftSet:
      USBDescriptors.writeMicrosoftSet(&packet)
      return true
    case .descriptor(let kind, let number): return writeDescriptor(kind, number)
    }
  }

  private mutating func writeDescriptor(_ kind: UInt8, _ number: UInt8) -> Bool {
    switch (kind, number) {
    case (USBDescriptors.Kind.device, 0): packet.bytes(USBDescriptors.device.span)
    case (USBDescriptors.Kind.configuration, 0):
      // One by one: a span of a constant this long is one of a copy on the stack.
      for index in 0..<98 { packet.u8(USBDescriptors.configuration[index]) }
    case (USBDescriptors.Kind.bos, 0): packet.bytes(USBDescriptors.bos.span)
    case (USBDescriptors.Kind.string, USBDescriptors.Text.languages):
      packet.u8(4)
      packet.u8(USBDescriptors.Kind.string)
      packet.u16(0x0409)
    case (USBDescriptors.Kind.string, USBDescriptors.Text.serialNumber):
      packet.u8(UInt8(truncatingIfNeeded: 2 &+ 2 &* serialNumber.count))
      packet.u8(USBDescriptors.Kind.string)
      var index = 0
      while let character = serialNumber[index] {
        packet.u16(UInt16(character))
        index &+= 1
      }
    case (USBDescriptors.Kind.string, _):
      guard let text = USBDescriptors.text(number) else { return false }
      packet.u8(UInt8(truncatingIfNeeded: 2 &+ 2 &* text.utf8CodeUnitCount))
      packet.u8(USBDescriptors.Kind.string)
      packet.utf16(text)
    // No device qualifier: a device without one has no high speed.
    default: return false
    }
    return true
  }

  /// The next packet of the response. `packetSent` advances to the next one.
  @_lifetime(&self)
  mutating func nextPacket() -> Span<UInt8> { packet.kept(upTo: answerCount) }

  /// The packet has been accepted.
  mutating func packetSent() {
    sent = min(answerCount, sent &+ USBDescriptors.packetSize)
    if sent == answerCount {
      guard endsWithEmptyPacket else {
        answer = .none
        return
      }
      endsWithEmptyPacket = false
    }
    packet.begin(at: sent)
    _ = write()
  }
}
