import HeraldDeviceLink

/// A question to a device.
public struct ManagementRequest: Sendable {
  /// What it asks, for messages: "the status of the log".
  public let subject: String
  /// Read or write.
  public let operation: SMPOperation
  /// The command group.
  public let group: SMPGroup
  /// The command within the group.
  public let command: UInt8
  /// The CBOR map behind the header.
  public let body: [UInt8]
  /// Whether asking twice does no harm.
  let isRepeatable: Bool

  /// A question whose body, if it has any, `write` writes: a map of at most 1 KiB. It is asked again when no answer comes if it `isRepeatable`, as
  /// what only reads is unless said otherwise.
  public init(
    _ subject: String, _ operation: SMPOperation, _ group: SMPGroup, _ command: UInt8,
    isRepeatable: Bool? = nil,
    body write: (inout CBORWriter) -> Void = { $0.map(0) }
  ) {
    self.subject = subject
    self.operation = operation
    self.group = group
    self.command = command
    self.isRepeatable = isRepeatable ?? (operation == .read)
    var buffer = [UInt8](repeating: 0, count: 1024)
    var count = 0
    do {
      let span = buffer.mutableSpan
      var writer = CBORWriter(span)
      write(&writer)
      count = writer.count
    }
    body = Array(buffer[..<count])
  }

  /// The packet with this question.
  func packet(sequence: UInt8) -> [UInt8] {
    let header = SMPHeader(
      operation: operation, group: group, command: command, sequence: sequence,
      length: UInt16(clamping: body.count))
    var bytes = [UInt8](repeating: 0, count: SMPHeader.size)
    var span = bytes.mutableSpan
    header.write(to: &span)
    return bytes + body
  }
}

/// Why a question was not answered as hoped.
public enum ManagementFailure: Error, Equatable, Sendable {
  /// The device refused: `group` is the one whose code it is, `nil` for a failure of the protocol itself.
  case refused(group: UInt16?, code: UInt64)
  /// No answer came, so many times.
  case noAnswer(attempts: Int)
  /// An answer came and is none.
  case malformed(String)

  /// The failure in words, about `request` to the device at `location`.
  public func error(_ request: ManagementRequest, at location: String) -> HostLinkError {
    switch self {
    case .refused(let group, let code):
      return HostLinkError(
        .refused, "\(location) refused \(request.subject): \(Self.text(group: group, code: code))",
        advice: Self.advice(group: group, code: code))
    case .noAnswer(let attempts):
      let times = attempts == 1 ? "" : " after \(attempts) attempts"
      return HostLinkError(
        .noAnswer, "\(location) did not answer when asked for \(request.subject)\(times)",
        advice: "check that nothing else uses the link, reset the device and run the command again")
    case .malformed(let what):
      return HostLinkError(
        .protocolViolation, "\(location) answered \(request.subject) with \(what)",
        advice: "the device's firmware and this program may not fit together")
    }
  }

  private static func text(group: UInt16?, code: UInt64) -> String {
    switch (group, code) {
    case (nil, 1): "it failed (rc 1)"
    case (nil, 2): "it is out of memory (rc 2)"
    case (nil, 3): "it does not understand the request (rc 3)"
    case (nil, 4): "it timed out (rc 4)"
    case (nil, 5): "it has no such thing (rc 5)"
    case (nil, 6): "its state does not allow it (rc 6)"
    case (nil, 7): "the answer is too long for a packet (rc 7)"
    case (nil, 8): "it does not know this command (rc 8)"
    case (nil, 9): "the packet arrived damaged (rc 9)"
    case (nil, 10): "it is busy (rc 10)"
    case (nil, 11): "access denied (rc 11)"
    case (0, 4): "its clock is not set"
    case (0, 5): "its clock does not take this date"
    case (1, 3): "there is no image in that slot"
    case (1, 8): "it has no image with this hash"
    case (1, 12): "it could not write the image"
    case (1, 13): "it could not erase the slot"
    case (1, 14): "there is no such slot, or it is the one that runs"
    case (1, 27): "what runs is not older"
    case (1, 28): "the image in its second slot is to be started next, and has to be first"
    case (1, 30): "the image is too large for its slot"
    case (1, 33): "what runs cannot be tried"
    case (2, 2): "it has no such counters"
    case (3, 3): "it has no such setting"
    case (3, 4): "that is never told"
    case (3, 8): "it could not keep that, and has changed nothing"
    case (72, 1): "its flash memory failed"
    case (72, 2): "it does not keep that page any more"
    case (72, 3): "that is beyond what it has written"
    case (72, 4): "its log is another one by now"
    case (72, 5): "it could not note that, so it has erased nothing"
    case (72, 6): "that is not its access key"
    case (72, 7):
      "it takes no access key for some seconds: it has just started, or wrong ones have been tried"
    case (72, 8): "it is locked"
    case (72, 9): "it is no payload, or too long for this device; it offers the former one"
    case (72, 10): "the number is out of range"
    case (72, 11): "the value has another size"
    case (8, 3): "it has no such file"
    case (8, 10): "it could not write that"
    case (nil, _): "error \(code)"
    case (let group?, _): "error \(code) of group \(group)"
    }
  }

  private static func advice(group: UInt16?, code: UInt64) -> String? {
    switch (group, code) {
    case (0, 4): "set it with `herald-host time sync`"
    case (72, 6):
      "the right one is taken soon; a device that has lost its key is opened by `herald-host factory-reset`, which erases its log"
    case (72, 7): "try again in a minute"
    case (72, 8), (nil, 11): "name the file of its access key with --key-file"
    case (72, 9), (72, 10), (72, 11): "the device's firmware and this program may not fit together"
    case (8, 10): "its flash may be worn out, or it is being erased"
    case (3, 8), (72, 5): "its flash may be worn out, or its firmware keeps nothing but the log"
    case (nil, 8): "the device's firmware may be older than this program"
    case (nil, 10): "try again in a moment"
    default: nil
    }
  }
}
