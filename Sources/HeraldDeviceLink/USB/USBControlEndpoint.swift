import HeraldEmbedded

/// Answers control requests: chapter 9 of USB 2.0, and Microsoft's request for its descriptors. Refuses the rest.
///
/// It decides and keeps what the requests set; `USBDevice` tells the controller.
struct USBControlEndpoint: ~Copyable {
  /// What is to be done about a request.
  enum Outcome: Equatable, BitwiseCopyable {
    /// Send what `nextPacket` gives.
    case send
    /// Acknowledge it.
    case acknowledge
    /// Acknowledge it and use the address.
    case setAddress(UInt8)
    /// Acknowledge it; the configuration was selected, or selected once more, or (0) left.
    case configure(UInt8)
    /// Acknowledge it; the interface's one setting was selected: its endpoints begin anew.
    case selectInterface
    /// Acknowledge it, and halt the endpoint or end that.
    case halt(USBEndpoint, Bool)
    /// Refuse it.
    case refuse
  }

  /// The configuration that is selected; 0 when none is.
  private(set) var configuration: UInt8 = 0
  private var isOutHalted = false
  private var isInHalted = false

  private var answer: [256 of UInt8] = .init(repeating: 0)
  private var answerCount = 0
  private var sent = 0
  private var endsWithEmptyPacket = false
  /// Whether there are packets of an answer to be sent.
  private(set) var isSending = false

  init() {}

  /// The bus was reset, or the device taken off it.
  mutating func reset() {
    configuration = 0
    isOutHalted = false
    isInHalted = false
    isSending = false
  }

  /// Decides about a request. What was left to send for the one before is forgotten.
  mutating func respond(to setup: USBSetup, serialNumber: borrowing InlineBytes<32>) -> Outcome {
    isSending = false
    switch setup.requestType {
    case 0x80: return readDevice(setup, serialNumber)
    case 0x81: return readInterface(setup)
    case 0x82: return readEndpoint(setup)
    case 0x00: return writeDevice(setup)
    case 0x01: return writeInterface(setup)
    case 0x02: return writeEndpoint(setup)
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

  private mutating func readDevice(_ setup: USBSetup, _ serialNumber: borrowing InlineBytes<32>) -> Outcome {
    switch setup.request {
    // Bus-powered, no remote wake-up.
    case Request.getStatus where setup.value == 0 && setup.index == 0: return send16(0, setup)
    case Request.getDescriptor: return sendDescriptor(setup, serialNumber)
    case Request.getConfiguration where setup.value == 0 && setup.index == 0:
      return send8(configuration, setup)
    default: return .refuse
    }
  }

  private mutating func readInterface(_ setup: USBSetup) -> Outcome {
    guard configuration != 0, setup.index == 0, setup.value == 0 else { return .refuse }
    switch setup.request {
    case Request.getStatus: return send16(0, setup)
    case Request.getInterface: return send8(0, setup)
    default: return .refuse
    }
  }

  private mutating func readEndpoint(_ setup: USBSetup) -> Outcome {
    guard setup.request == Request.getStatus, setup.value == 0 else { return .refuse }
    switch setup.index {
    case 0x00, 0x80: return send16(0, setup)
    case UInt16(USBEndpoint.linkOut.rawValue) where configuration != 0:
      return send16(isOutHalted ? 1 : 0, setup)
    case UInt16(USBEndpoint.linkIn.rawValue) where configuration != 0:
      return send16(isInHalted ? 1 : 0, setup)
    default: return .refuse
    }
  }

  private mutating func writeDevice(_ setup: USBSetup) -> Outcome {
    guard setup.index == 0, setup.length == 0 else { return .refuse }
    switch setup.request {
    case Request.setAddress where setup.value < 128:
      return .setAddress(UInt8(truncatingIfNeeded: setup.value))
    case Request.setConfiguration where setup.value <= UInt16(USBDescriptors.configurationValue):
      configuration = UInt8(truncatingIfNeeded: setup.value)
      isOutHalted = false
      isInHalted = false
      return .configure(configuration)
    default: return .refuse
    }
  }

  private mutating func writeInterface(_ setup: USBSetup) -> Outcome {
    guard configuration != 0, setup.request == Request.setInterface, setup.index == 0, setup.value == 0,
      setup.length == 0
    else { return .refuse }
    isOutHalted = false
    isInHalted = false
    return .selectInterface
  }

  /// Only an endpoint has a feature here: Endpoint Halt, 0.
  private mutating func writeEndpoint(_ setup: USBSetup) -> Outcome {
    guard setup.request == Request.setFeature || setup.request == Request.clearFeature, setup.value == 0,
      setup.length == 0
    else { return .refuse }
    let isHalted = setup.request == Request.setFeature
    switch setup.index {
    // The control endpoint is never halted; hosts may say so all the same.
    case 0x00, 0x80: return isHalted ? .refuse : .acknowledge
    case UInt16(USBEndpoint.linkOut.rawValue) where configuration != 0:
      isOutHalted = isHalted
      return .halt(.linkOut, isHalted)
    case UInt16(USBEndpoint.linkIn.rawValue) where configuration != 0:
      isInHalted = isHalted
      return .halt(.linkIn, isHalted)
    default: return .refuse
    }
  }

  private mutating func readVendor(_ setup: USBSetup) -> Outcome {
    guard setup.request == USBDescriptors.microsoftRequest, setup.index == USBDescriptors.microsoftSetIndex,
      setup.value == 0
    else { return .refuse }
    var writer = ByteWriter(answer.mutableSpan)
    USBDescriptors.writeMicrosoftSet(&writer)
    let count = writer.count
    return send(count, setup)
  }

  private mutating func sendDescriptor(
    _ setup: USBSetup, _ serialNumber: borrowing InlineBytes<32>
  ) -> Outcome {
    let kind = UInt8(truncatingIfNeeded: setup.value &>> 8)
    let number = UInt8(truncatingIfNeeded: setup.value)
    var writer = ByteWriter(answer.mutableSpan)
    switch (kind, number) {
    case (USBDescriptors.Kind.device, 0): writer.bytes(USBDescriptors.device.span)
    case (USBDescriptors.Kind.configuration, 0): writer.bytes(USBDescriptors.configuration.span)
    case (USBDescriptors.Kind.bos, 0): writer.bytes(USBDescriptors.bos.span)
    case (USBDescriptors.Kind.string, USBDescriptors.Text.languages):
      writer.u8(4)
      writer.u8(USBDescriptors.Kind.string)
      writer.u16(0x0409)
    case (USBDescriptors.Kind.string, USBDescriptors.Text.manufacturer):
      USBDescriptors.write("Herald Embedded", &writer)
    case (USBDescriptors.Kind.string, USBDescriptors.Text.product):
      USBDescriptors.write("Herald Wearable", &writer)
    case (USBDescriptors.Kind.string, USBDescriptors.Text.link):
      USBDescriptors.write("Herald management (SMP)", &writer)
    case (USBDescriptors.Kind.string, USBDescriptors.Text.serialNumber):
      writer.u8(UInt8(truncatingIfNeeded: 2 &+ 2 &* serialNumber.count))
      writer.u8(USBDescriptors.Kind.string)
      var index = 0
      while let character = serialNumber[index] {
        writer.u16(UInt16(character))
        index &+= 1
      }
    // No device qualifier: that is how a device says that it has no high speed.
    default: return .refuse
    }
    let count = writer.count
    return send(count, setup)
  }

  private mutating func send8(_ value: UInt8, _ setup: USBSetup) -> Outcome {
    answer[0] = value
    return send(1, setup)
  }

  private mutating func send16(_ value: UInt16, _ setup: USBSetup) -> Outcome {
    answer[0] = UInt8(truncatingIfNeeded: value)
    answer[1] = UInt8(truncatingIfNeeded: value &>> 8)
    return send(2, setup)
  }

  /// Sends the first `count` bytes of `answer`, or as many as the host wants.
  private mutating func send(_ count: Int, _ setup: USBSetup) -> Outcome {
    // Without a data stage there is only a status stage, and that is ours.
    guard setup.length > 0 else { return .acknowledge }
    answerCount = min(count, Int(setup.length))
    // The host knows the end by a short packet, or by having as much as it wants (USB 2.0, 5.5.3).
    endsWithEmptyPacket =
      answerCount < Int(setup.length) && answerCount % USBDescriptors.packetSize == 0
    sent = 0
    isSending = true
    return .send
  }

  /// The next packet of the answer. `packetSent` goes on to the one after it.
  var nextPacket: Span<UInt8> {
    @_lifetime(&self)
    mutating get {
      let end = min(answerCount, sent &+ USBDescriptors.packetSize)
      return answer.span.extracting(sent..<end)
    }
  }

  /// The packet has been taken.
  mutating func packetSent() {
    sent = min(answerCount, sent &+ USBDescriptors.packetSize)
    guard sent == answerCount else { return }
    if endsWithEmptyPacket {
      endsWithEmptyPacket = false
    } else {
      isSending = false
    }
  }
}
