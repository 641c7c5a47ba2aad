/// The constant properties of a USB device: its descriptors, interfaces and endpoints.
///
/// Every interface has one setting. Endpoints are those beside the control endpoint.
public protocol USBDescription {
  /// The number of interfaces, which are numbered from 0.
  static var interfaceCount: UInt16 { get }
  /// Writes a descriptor, other than the strings 0 and 3; `false` if there is none. `kind` is its type, the
  /// high byte of wValue in Get Descriptor, and `number` the low byte.
  static func writeDescriptor(_ kind: UInt8, _ number: UInt8, into packet: inout USBResponsePacket) -> Bool
  /// Writes the response to a vendor-specific request, which `USBControlEndpoint.sendVendorResponse` sends.
  static func writeVendorResponse(into packet: inout USBResponsePacket)
  /// One bit for the endpoint with an address; `nil` if there is none.
  static func bit(ofEndpoint address: UInt16) -> UInt8?
  /// The bits of the endpoints of an interface.
  static func bits(ofInterface number: UInt16) -> UInt8
}

extension USBDescription {
  /// A device without vendor-specific requests.
  public static func writeVendorResponse(into packet: inout USBResponsePacket) {}
}

/// The control endpoint of a device: responds to the standard requests (USB 2.0, chapter 9).
///
/// It decides about the standard requests and stores what they set; the device informs the controller and
/// its functions, and decides about the requests of its classes.
public struct USBControlEndpoint<Description: USBDescription>: ~Copyable {
  /// The action for a request.
  public enum Outcome: Equatable, BitwiseCopyable {
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
    /// Decide about it: it is not a standard request to the device, an interface or an endpoint.
    case decide
    /// Refuse it.
    case refuse
  }

  /// What is being sent.
  private enum Response: Equatable, BitwiseCopyable {
    case none
    /// So many bytes, least significant first.
    case value(UInt16, UInt8)
    case descriptor(UInt8, UInt8)
    case vendor
    /// The bytes that the device has passed, at most one packet.
    case passed
  }

  /// The configuration that is selected; 0 when none is.
  public private(set) var configuration: UInt8 = 0
  /// A bit for each endpoint that is halted (`Description.bits`).
  private var halted: UInt8 = 0
  private var answer = Response.none
  /// Bytes of the response that the host requested, and that are sent.
  private var answerCount = 0
  private var sent = 0
  private var endsWithEmptyPacket = false
  private var packet = USBResponsePacket()
  private let serialNumber: InlineBytes<32>

  /// A device in the default state. `serialNumber` is ASCII, without spaces.
  public init(serialNumber: InlineBytes<32>) { self.serialNumber = serialNumber }

  /// Whether there are packets of a response to be sent.
  public var isSending: Bool { answer != .none }

  /// The bus was reset, or the device taken off it.
  public mutating func reset() {
    configuration = 0
    halted = 0
    answer = .none
  }

  /// Decides about a request. The rest of the response to the one before is dropped.
  public mutating func respond(to setup: USBSetup) -> Outcome {
    answer = .none
    switch setup.requestType {
    case 0x80: return readDevice(setup)
    case 0x81: return readInterface(setup)
    case 0x82: return readEndpoint(setup)
    case 0x00: return writeDevice(setup)
    case 0x01: return writeInterface(setup)
    case 0x02: return writeEndpoint(setup)
    default: return .decide
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
    guard configuration != 0, setup.index < Description.interfaceCount, setup.value == 0 else {
      return .refuse
    }
    switch setup.request {
    case Request.getStatus: return send(.value(0, 2), setup)
    case Request.getInterface: return send(.value(0, 1), setup)
    default: return .refuse
    }
  }

  /// The bit of an endpoint other than the control endpoint; `nil` for those that do not exist, or not
  /// before there is a configuration.
  @inline(never)
  private func bit(_ address: UInt16) -> UInt8? {
    guard configuration != 0 else { return nil }
    return Description.bit(ofEndpoint: address)
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
    case Request.setConfiguration where setup.value <= 1:
      configuration = UInt8(truncatingIfNeeded: setup.value)
      halted = 0
      return .configure(configuration)
    default: return .refuse
    }
  }

  private mutating func writeInterface(_ setup: USBSetup) -> Outcome {
    guard configuration != 0, setup.request == Request.setInterface, setup.value == 0, setup.length == 0,
      setup.index < Description.interfaceCount
    else {
      return .refuse
    }
    halted &= ~Description.bits(ofInterface: setup.index)
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

  /// Sends the response that `Description.writeVendorResponse` writes, or as much of it as the host
  /// requested.
  public mutating func sendVendorResponse(_ setup: USBSetup) -> Outcome { send(.vendor, setup) }

  /// Sends a response of at most one packet, or as much of it as the host requested.
  public mutating func send(_ bytes: Span<UInt8>, _ setup: USBSetup) -> Outcome {
    let outcome = send(.passed, count: bytes.count, setup)
    packet.begin(at: 0)
    packet.bytes(bytes)
    return outcome
  }

  /// Sends a response, or as much of it as the host requested.
  private mutating func send(_ answer: Response, _ setup: USBSetup) -> Outcome {
    self.answer = answer
    packet.begin(at: 0)
    guard write() else {
      self.answer = .none
      return .refuse
    }
    return send(answer, count: packet.count, setup)
  }

  private mutating func send(_ answer: Response, count: Int, _ setup: USBSetup) -> Outcome {
    self.answer = answer
    // Without a data stage there is only a status stage, which this device sends.
    guard setup.length > 0 else {
      self.answer = .none
      return .acknowledge
    }
    answerCount = min(count, Int(setup.length))
    // The host detects the end by a short packet, or by the requested length (USB 2.0, 5.5.3).
    endsWithEmptyPacket =
      answerCount < Int(setup.length) && answerCount % USBEndpoint.packetSize == 0
    sent = 0
    return .send
  }

  /// Writes the response into the packet, which has been begun; `false` if there is none.
  @inline(never)
  private mutating func write() -> Bool {
    switch answer {
    case .none, .passed: return false
    case .value(let value, let count):
      packet.u8(UInt8(truncatingIfNeeded: value))
      if count > 1 { packet.u8(UInt8(truncatingIfNeeded: value &>> 8)) }
      return true
    case .vendor:
      Description.writeVendorResponse(into: &packet)
      return true
    case .descriptor(let kind, let number): return writeDescriptor(kind, number)
    }
  }

  private mutating func writeDescriptor(_ kind: UInt8, _ number: UInt8) -> Bool {
    switch (kind, number) {
    case (USBDescriptorKind.string, USBStringIndex.languages):
      packet.u8(4)
      packet.u8(USBDescriptorKind.string)
      packet.u16(0x0409)
    case (USBDescriptorKind.string, USBStringIndex.serialNumber):
      packet.u8(UInt8(truncatingIfNeeded: 2 &+ 2 &* serialNumber.count))
      packet.u8(USBDescriptorKind.string)
      var index = 0
      while let character = serialNumber[index] {
        packet.u16(UInt16(character))
        index &+= 1
      }
    // No device qualifier: a device without one has no high speed.
    default: return Description.writeDescriptor(kind, number, into: &packet)
    }
    return true
  }

  /// The next packet of the response. `packetSent` advances to the next one.
  @_lifetime(&self)
  public mutating func nextPacket() -> Span<UInt8> { packet.kept(upTo: answerCount) }

  /// The packet has been accepted.
  public mutating func packetSent() {
    sent = min(answerCount, sent &+ USBEndpoint.packetSize)
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

/// The type of a descriptor (USB 2.0, table 9-5; USB 3.2, table 9-6).
public enum USBDescriptorKind {
  /// Device.
  public static var device: UInt8 { 1 }
  /// Configuration.
  public static var configuration: UInt8 { 2 }
  /// String.
  public static var string: UInt8 { 3 }
  /// Binary device object store.
  public static var bos: UInt8 { 15 }
}

/// The strings that every device has.
public enum USBStringIndex {
  /// The languages of the strings: English (United States).
  public static var languages: UInt8 { 0 }
  /// The manufacturer.
  public static var manufacturer: UInt8 { 1 }
  /// The product.
  public static var product: UInt8 { 2 }
  /// The serial number.
  public static var serialNumber: UInt8 { 3 }
}

extension USBResponsePacket {
  /// A string descriptor with an ASCII constant.
  public mutating func string(_ text: StaticString) {
    u8(UInt8(truncatingIfNeeded: 2 &+ 2 &* text.utf8CodeUnitCount))
    u8(USBDescriptorKind.string)
    utf16(text)
  }
}
