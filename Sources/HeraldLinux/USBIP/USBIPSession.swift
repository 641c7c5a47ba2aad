import HeraldDeviceLink
import HeraldHAL

/// One client's conversation with the USB/IP server: bytes in, bytes out, and transfers for the controller
/// between them.
///
/// It begins with questions about devices; an import turns it into a cable, on which transfers run until the
/// client is gone.
struct USBIPSession {
  /// What a client may be at.
  enum Phase {
    /// Asking.
    case asking
    /// Using the device.
    case attached
    /// Said something that is not USB/IP, or asked for more than is ever reasonable: to be closed.
    case failed
  }

  private(set) var phase = Phase.asking
  /// Whether it has imported the device.
  private(set) var hasDevice = false
  private var input: [UInt8] = []
  private var taken = 0
  /// What is to be sent to the client.
  var output: [UInt8] = []

  /// Most bytes of one transfer, of all that wait, and most transfers that wait.
  static let longestTransfer = 1 << 20
  static let mostWaitingBytes = 16 << 20
  static let mostWaitingTransfers = 1024
  /// Bytes that wait to be sent, beyond which nothing more is taken from the client.
  static let mostOutput = 4 << 20

  /// Whether more should be read from the client now.
  var isHungry: Bool { phase != .failed && output.count < Self.mostOutput }

  /// Takes bytes from the client and does what they ask.
  mutating func receive(_ bytes: some Sequence<UInt8>, _ controller: inout VirtualUSBController) {
    input.append(contentsOf: bytes)
    while phase != .failed, step(&controller) {}
    if taken == input.count || taken > 1 << 16 {
      input.removeFirst(taken)
      taken = 0
    }
  }

  /// Puts the answers to what the device has done behind the others.
  mutating func send(_ completions: [VirtualUSBController.Completion]) {
    for completion in completions { output.append(completion) }
  }

  /// Handles one message; `false` if none is whole.
  private mutating func step(_ controller: inout VirtualUSBController) -> Bool {
    phase == .attached ? command(&controller) : operation(&controller)
  }

  private var available: Int { input.count - taken }

  private mutating func operation(_ controller: inout VirtualUSBController) -> Bool {
    guard available >= USBIP.operationSize else { return false }
    guard bigEndian16(input, taken) == USBIP.version else { return fail() }
    switch bigEndian16(input, taken + 2) {
    case USBIP.requestDeviceList:
      taken += USBIP.operationSize
      operationHead(USBIP.replyDeviceList, USBIP.statusOK)
      output.appendBigEndian(UInt32(1))
      output.appendDevice(configuration: 0, withInterfaces: true)
      return true
    case USBIP.requestImport:
      let size = USBIP.operationSize + USBIP.busIdentifierSize
      guard available >= size else { return false }
      let name = input[(taken + USBIP.operationSize)..<(taken + size)].prefix { $0 != 0 }
      taken += size
      guard name.elementsEqual(USBIPDevice.busIdentifier.utf8) else {
        operationHead(USBIP.replyImport, USBIP.statusNoDevice)
        return true
      }
      guard !controller.isAttached else {
        operationHead(USBIP.replyImport, USBIP.statusBusy)
        return true
      }
      operationHead(USBIP.replyImport, USBIP.statusOK)
      output.appendDevice(configuration: 0, withInterfaces: false)
      controller.attach()
      phase = .attached
      hasDevice = true
      return true
    default: return fail()
    }
  }

  private mutating func operationHead(_ code: UInt16, _ status: UInt32) {
    output.appendBigEndian(USBIP.version)
    output.appendBigEndian(code)
    output.appendBigEndian(status)
  }

  private mutating func fail() -> Bool {
    phase = .failed
    return false
  }

  private mutating func command(_ controller: inout VirtualUSBController) -> Bool {
    guard available >= USBIP.headerSize else { return false }
    let sequence = bigEndian32(input, taken + 4)
    switch bigEndian32(input, taken) {
    case USBIP.submit: return submit(sequence, &controller)
    case USBIP.unlink:
      let isCancelled = controller.cancel(bigEndian32(input, taken + 20))
      taken += USBIP.headerSize
      output.appendUnlinked(sequence, status: isCancelled ? VirtualUSBController.Status.cancelled : 0)
      return true
    default: return fail()
    }
  }

  private mutating func submit(_ sequence: UInt32, _ controller: inout VirtualUSBController) -> Bool {
    let direction = bigEndian32(input, taken + 12)
    let number = bigEndian32(input, taken + 16)
    let flags = bigEndian32(input, taken + 20)
    let length = bigEndian32(input, taken + 24)
    let isochronousPackets = bigEndian32(input, taken + 32)
    guard direction <= 1, number < 16, length <= UInt32(Self.longestTransfer),
      isochronousPackets == 0 || isochronousPackets == .max
    else { return fail() }
    let isIn = direction == 1
    let start = taken + USBIP.headerSize
    let dataCount = isIn ? 0 : Int(length)
    guard available >= USBIP.headerSize + dataCount else { return false }
    guard controller.waitingCount < Self.mostWaitingTransfers,
      controller.waitingBytes + Int(length) <= Self.mostWaitingBytes
    else { return fail() }
    let endpoint = USBEndpoint(rawValue: number == 0 ? 0 : UInt8(number) | (isIn ? 0x80 : 0))
    var transfer = VirtualUSBController.Transfer(
      sequence: sequence, endpoint: endpoint, setup: nil, limit: Int(length),
      data: Array(input[start..<(start + dataCount)]))
    if number == 0 {
      let bytes = Array(input[(taken + 40)..<(taken + 48)])
      guard let setup = USBSetup(bytes.span), setup.isIn == isIn || setup.length == 0 else { return fail() }
      transfer.setup = setup
      transfer.limit = min(transfer.limit, Int(setup.length))
    }
    transfer.endsWithEmptyPacket =
      !isIn && flags & USBIP.zeroPacketFlag != 0 && dataCount > 0
      && dataCount % USBDescriptors.packetSize == 0
    if isIn { transfer.data.reserveCapacity(min(transfer.limit, 1 << 16)) }
    taken = start + dataCount
    controller.submit(transfer)
    return true
  }
}
