import HeraldHAL
import HeraldUSBIP

/// The session of one USB/IP client: input, output, and its transfers for the controller.
///
/// It begins with requests for the device list or for an import; after an import it carries transfers until
/// the client disconnects.
struct USBIPSession {
  /// The phase of a session.
  enum Phase {
    /// Before an import.
    case asking
    /// After an import.
    case attached
    /// After a protocol error or an excessive length: the session is to be closed.
    case failed
  }

  private let exported: ExportedDevice
  private(set) var phase = Phase.asking
  /// Whether this client has imported the device.
  private(set) var hasDevice = false
  private var input: [UInt8] = []
  private var taken = 0
  /// Pending output to the client.
  var output: [UInt8] = []

  /// The maximum size of all pending transfers in bytes, and their maximum number.
  static let mostWaitingBytes = 16 << 20
  static let mostWaitingTransfers = 1024
  /// The size of pending output, in bytes, from which no more input is read.
  static let mostOutput = 4 << 20

  /// A session of a server with this device.
  init(_ exported: ExportedDevice = .management) { self.exported = exported }

  /// Whether more input is to be read now.
  var isHungry: Bool { phase != .failed && output.count < Self.mostOutput }

  /// Processes input from the client.
  mutating func receive(_ bytes: some Sequence<UInt8>, _ controller: inout VirtualUSBController) {
    input.append(contentsOf: bytes)
    while phase != .failed, step(&controller) {}
    if taken == input.count || taken > 1 << 16 {
      input.removeFirst(taken)
      taken = 0
    }
  }

  /// Appends the responses for completed transfers to the output.
  mutating func send(_ completions: [VirtualUSBController.Completion]) {
    for completion in completions {
      output +=
        USBIPReply(
          sequence: completion.sequence, .submitted(status: completion.status, actual: completion.count)
        ).bytes
      output += completion.data
    }
  }

  /// Processes one message; `false` if none is complete.
  private mutating func step(_ controller: inout VirtualUSBController) -> Bool {
    phase == .attached ? command(&controller) : operation(&controller)
  }

  private var available: Int { input.count - taken }

  private mutating func operation(_ controller: inout VirtualUSBController) -> Bool {
    guard let head = USBIPOperation(input.span.extracting(taken...)) else { return false }
    guard head.version == USBIP.version else { return fail() }
    switch USBIPOperation.Code(rawValue: head.code) {
    case .requestDeviceList:
      taken += USBIPOperation.size
      output += USBIPOperation.deviceList(count: 1) + exported.record.bytes + exported.interfaces
      return true
    case .requestImport:
      let start = taken + USBIPOperation.size
      let end = start + USBIP.busIdentifierSize
      guard end <= input.count else { return false }
      let name = USBIPOperation.busIdentifier(input.span.extracting(start..<end))
      taken = end
      guard name.elementsEqual(USBIPDevice.busIdentifier.utf8) else {
        output += USBIPOperation(.replyImport, status: USBIPOperation.ImportStatus.noDevice).bytes
        return true
      }
      guard !controller.isAttached else {
        output += USBIPOperation(.replyImport, status: USBIPOperation.ImportStatus.busy).bytes
        return true
      }
      output += USBIPOperation(.replyImport).bytes + exported.record.bytes
      controller.attach()
      phase = .attached
      hasDevice = true
      return true
    case .replyDeviceList, .replyImport, nil: return fail()
    }
  }

  private mutating func fail() -> Bool {
    phase = .failed
    return false
  }

  private mutating func command(_ controller: inout VirtualUSBController) -> Bool {
    guard available >= USBIPCommand.size else { return false }
    guard let command = USBIPCommand(input.span.extracting(taken...)) else { return fail() }
    switch command.kind {
    case .submit(let flags, let length, let setup):
      return submit(command, flags, length, setup, &controller)
    case .unlink(let victim):
      taken += USBIPCommand.size
      let status = controller.cancel(victim) ? VirtualUSBController.Status.cancelled : 0
      output += USBIPReply(sequence: command.sequence, .unlinked(status: status)).bytes
      return true
    }
  }

  private mutating func submit(
    _ command: USBIPCommand, _ flags: UInt32, _ length: Int, _ setup: [UInt8],
    _ controller: inout VirtualUSBController
  ) -> Bool {
    let isIn = command.isIn
    let number = command.endpoint
    let start = taken + USBIPCommand.size
    let dataCount = isIn ? 0 : length
    guard available >= USBIPCommand.size + dataCount else { return false }
    guard controller.waitingCount < Self.mostWaitingTransfers,
      controller.waitingBytes + length <= Self.mostWaitingBytes
    else { return fail() }
    let endpoint = USBEndpoint(rawValue: number == 0 ? 0 : number | (isIn ? 0x80 : 0))
    var transfer = VirtualUSBController.Transfer(
      sequence: command.sequence, endpoint: endpoint, setup: nil, limit: length,
      data: Array(input[start..<(start + dataCount)]))
    if number == 0 {
      guard let setup = USBSetup(setup.span), setup.isIn == isIn || setup.length == 0 else { return fail() }
      transfer.setup = setup
      transfer.limit = min(transfer.limit, Int(setup.length))
    }
    transfer.endsWithEmptyPacket =
      !isIn && flags & USBIPCommand.zeroPacketFlag != 0 && dataCount > 0
      && dataCount % USBEndpoint.packetSize == 0
    if isIn { transfer.data.reserveCapacity(min(transfer.limit, 1 << 16)) }
    taken = start + dataCount
    controller.submit(transfer)
    return true
  }
}
