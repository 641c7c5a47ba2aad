import HeraldHAL
import HeraldText
import HeraldUSBIP

/// A client of a USB/IP server in user space, without kernel support.
///
/// One connection either lists the server's devices or imports one of them; after an import it carries that
/// device's transfers.
public final class USBIPConnection {
  /// A completed transfer.
  package struct Completion {
    /// The number of the request (`seqnum`).
    package let sequence: UInt32
    /// 0, or a negative Linux error number; -32 is a stall.
    package let status: Int32
    /// The bytes of an IN transfer.
    package let data: [UInt8]
  }

  private struct Transfer {
    let isIn: Bool
    let length: Int
  }

  /// The status of a transfer that the server gave up after a time of its own: ETIMEDOUT. It is begun again.
  package static let timeout: Int32 = -110
  /// The maximum number of devices of a server.
  public static let mostDevices = 256
  /// The number of messages other than responses that are skipped after a deadline.
  private static let mostPassedOver = 64

  private let stream: ByteStream
  private var received: [UInt8] = []
  /// The number of bytes received within replies to transfers.
  private(set) var receivedBytes = 0
  private var lastSequence: UInt32 = 0
  private var deviceID: UInt32 = 0
  private var transfers: [UInt32: Transfer] = [:]
  private var completed: [Completion] = []

  /// Creates a connection over an open stream.
  public init(stream: ByteStream) { self.stream = stream }

  /// Connects to the server at `host`.
  public convenience init(host: String, port: UInt16?, by deadline: Deadline) throws(HostLinkError) {
    self.init(stream: try .connect(host: host, port: port ?? USBIP.port, by: deadline))
  }

  /// Closes the connection, which disconnects an imported device.
  public func close() { stream.close() }

  // MARK: Listing and importing

  /// The devices exported by the server (OP_REQ_DEVLIST). The server closes the connection afterwards.
  public func listDevices(by deadline: Deadline) throws(HostLinkError) -> [USBIPExportedDevice] {
    try stream.write(USBIPOperation(.requestDeviceList).bytes, by: deadline)
    try readOperation(.replyDeviceList, by: deadline) { status in
      HostLinkError(.protocolViolation, "\(stream.name) refused to list its devices (status \(status))")
    }
    let countBytes = try read(4, by: deadline)
    let count = countBytes.reduce(0) { $0 << 8 | Int($1) }
    var devices: [USBIPExportedDevice] = []
    guard count <= Self.mostDevices else {
      throw violation("claims to have \(count) devices, more than \(Self.mostDevices)")
    }
    for _ in 0..<count {
      var device = try readDevice(by: deadline)
      let kinds = try read(4 * Int(device.interfaceCount), by: deadline)
      for index in 0..<Int(device.interfaceCount) {
        device.interfaces.append(
          USBInterfaceKind(kinds[index * 4], kinds[index * 4 + 1], kinds[index * 4 + 2]))
      }
      devices.append(device)
    }
    return devices
  }

  /// Imports the device `busID` for this connection (OP_REQ_IMPORT).
  public func importDevice(busID: String, by deadline: Deadline) throws(HostLinkError) -> USBIPExportedDevice
  {
    guard let request = USBIPOperation.importRequest(busIdentifier: busID) else {
      throw HostLinkError(
        .usage, "\(PrintableText.of(busID)) is no USB/IP bus id",
        advice: "`herald-host devices --usbip HOST` lists them")
    }
    try stream.write(request, by: deadline)
    try readOperation(.replyImport, by: deadline) { status in
      status == USBIPOperation.ImportStatus.busy
        ? HostLinkError(
          .busy, "USB/IP device \(busID) on \(stream.name) is in use",
          advice: "wait until the other program has finished, or stop it")
        : HostLinkError(
          .noDevice, "\(stream.name) has no free USB/IP device \(busID) (status \(status))",
          advice: "`herald-host devices --usbip HOST` lists what it has")
    }
    let device = try readDevice(by: deadline)
    guard device.busID == busID else {
      throw violation("returned device \(device.busID) instead of \(busID)")
    }
    deviceID = device.deviceID
    return device
  }

  private func readDevice(by deadline: Deadline) throws(HostLinkError) -> USBIPExportedDevice {
    let bytes = try read(USBIPDeviceRecord.size, by: deadline)
    guard let record = USBIPDeviceRecord(bytes.span) else { throw violation("sent an invalid device record") }
    return USBIPExportedDevice(record)
  }

  private func readOperation(
    _ code: USBIPOperation.Code, by deadline: Deadline, refusal: (UInt32) -> HostLinkError
  ) throws(HostLinkError) {
    let bytes = try read(USBIPOperation.size, by: deadline)
    guard let head = USBIPOperation(bytes.span) else { throw violation("sent an invalid response") }
    guard head.version == USBIP.version else {
      throw violation("does not speak USB/IP 1.1.1 (version field 0x\(head.version.hexadecimal(4)))")
    }
    guard head.code == code.rawValue else {
      throw violation("answered with operation 0x\(head.code.hexadecimal(4))")
    }
    guard head.status == 0 else { throw refusal(head.status) }
  }

  // MARK: Transfers

  /// Submits a transfer and returns its number. If bit 7 of `endpoint` is set, it is an IN transfer of up to
  /// `length` bytes; otherwise `data` is sent.
  package func submit(
    endpoint: UInt8, setup: USBSetupPacket? = nil, length: Int = 0, data: [UInt8] = [], by deadline: Deadline
  ) throws(HostLinkError) -> UInt32 {
    lastSequence &+= 1
    let isIn = setup.map { $0.requestType & 0x80 != 0 } ?? (endpoint & 0x80 != 0)
    let length = isIn ? length : data.count
    let header = USBIPCommand(
      sequence: lastSequence, device: deviceID, isIn: isIn, endpoint: endpoint & 0x0F,
      .submit(flags: 0, length: length, setup: setup?.bytes ?? [UInt8](repeating: 0, count: 8))
    ).bytes
    var message = isIn ? header : header + data
    defer { message.wipe() }
    try stream.write(message, by: deadline)
    transfers[lastSequence] = Transfer(isIn: isIn, length: length)
    return lastSequence
  }

  /// The next completed transfer; `nil` if none completes before `deadline`.
  package func nextCompletion(by deadline: Deadline) throws(HostLinkError) -> Completion? {
    if !completed.isEmpty { return completed.removeFirst() }
    return try receiveCompletion(by: deadline)
  }

  private func receiveCompletion(by deadline: Deadline) throws(HostLinkError) -> Completion? {
    var passedOver = 0
    while true {
      guard try fill(USBIPReply.size, by: deadline) else { return nil }
      guard let reply = USBIPReply(received.span.extracting(0..<USBIPReply.size)) else {
        throw violation("sent a message that is no USB/IP reply")
      }
      switch reply.kind {
      case .unlinked:
        received.removeFirst(USBIPReply.size)
        // This client never unlinks a transfer: a server that sends unlink responses repeatedly does not
        // extend the deadline.
        passedOver += 1
        if passedOver > Self.mostPassedOver, deadline.hasPassed { return nil }
      case .submitted(let status, let actual):
        guard let transfer = transfers[reply.sequence] else {
          throw violation("answered transfer \(reply.sequence), which was not requested")
        }
        guard actual <= transfer.length else {
          throw violation("moved \(actual) bytes in a transfer of \(transfer.length)")
        }
        let size = USBIPReply.size + (transfer.isIn ? actual : 0)
        guard try fill(size, by: deadline) else { return nil }
        let data = Array(received[USBIPReply.size..<size])
        received.removeFirst(size)
        transfers[reply.sequence] = nil
        return Completion(sequence: reply.sequence, status: status, data: data)
      }
    }
  }

  /// Performs a control transfer on endpoint 0 and waits for it; other transfers that complete in the
  /// meantime are kept. Throws `.protocolViolation` on a stall.
  package func control(_ setup: USBSetupPacket, by deadline: Deadline) throws(HostLinkError) -> [UInt8] {
    var sequence = try submit(endpoint: 0, setup: setup, length: Int(setup.length), by: deadline)
    while true {
      guard let completion = try receiveCompletion(by: deadline) else {
        throw HostLinkError(
          .noAnswer, "the USB device on \(stream.name) does not answer control requests",
          advice: "reset the device and try again")
      }
      if completion.sequence != sequence {
        completed.append(completion)
      } else if completion.status == 0 {
        return completion.data
      } else if completion.status == Self.timeout, !deadline.hasPassed {
        sequence = try submit(endpoint: 0, setup: setup, length: Int(setup.length), by: deadline)
      } else {
        throw HostLinkError(
          .protocolViolation,
          "the USB device on \(stream.name) refused control request \(setup.request) (status \(completion.status))"
        )
      }
    }
  }

  // MARK: Bytes

  /// Reads until `count` bytes are in `received`; `false` if there are fewer at `deadline`.
  private func fill(_ count: Int, by deadline: Deadline) throws(HostLinkError) -> Bool {
    while received.count < count {
      let bytes = try stream.read(upTo: 65536, by: deadline)
      if bytes.isEmpty { return false }
      receivedBytes &+= bytes.count
      received += bytes
    }
    return true
  }

  private func read(_ count: Int, by deadline: Deadline) throws(HostLinkError) -> [UInt8] {
    guard try fill(count, by: deadline) else {
      throw HostLinkError(
        .noAnswer, "\(stream.name) does not answer as a USB/IP server", advice: "check host and port")
    }
    defer { received.removeFirst(count) }
    return Array(received[..<count])
  }

  private func violation(_ what: String) -> HostLinkError {
    HostLinkError(.protocolViolation, "the USB/IP server \(stream.name) \(what)")
  }
}
