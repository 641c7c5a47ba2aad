import HeraldDeviceLink

/// A request to a device.
public struct ManagementRequest: Sendable {
  /// The subject for messages: "the status of the log", "to set its clock" or "whether it is locked".
  public let subject: String
  /// Read or write.
  public let operation: SMPOperation
  /// The command group.
  public let group: SMPGroup
  /// The command within the group.
  public let command: UInt8
  /// The CBOR map after the header. It may contain a secret: it is overwritten when the last reference is
  /// released, and the sender overwrites the result of `packet`.
  private let content: WipedBytes
  /// Whether it may be sent more than once.
  let isRepeatable: Bool

  /// Creates a request whose body, if any, is written by `write`: a map of at most 1 KiB. It is repeated
  /// after a timeout if it `isRepeatable`, which is the default for reads.
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
    content = WipedBytes(buffer.span, count: count)
    buffer.wipe()
  }

  /// The subject, as used after "asked".
  var asked: String {
    ["to ", "whether ", "why ", "how "].contains(where: subject.hasPrefix) ? subject : "for \(subject)"
  }

  /// Whether it is part of opening a session, and so is never sealed.
  var opensSession: Bool { group == .herald && command == HeraldCommand.access }

  /// Copies a request with another subject.
  init(_ subject: String, _ other: ManagementRequest) {
    self.subject = subject
    operation = other.operation
    group = other.group
    command = other.command
    isRepeatable = other.isRepeatable
    content = other.content
  }

  /// The CBOR map after the header.
  public var body: [UInt8] { Array(content.bytes) }

  /// The packet of this request; with space for number and tag if it is to be sealed.
  func packet(sequence: UInt8, isSealed: Bool = false) -> [UInt8] {
    let header = SMPHeader(
      operation: operation, group: group, command: command, sequence: sequence,
      length: UInt16(clamping: content.bytes.count))
    let tag = isSealed ? HostSession.responseOverhead : 0
    let start = SMPHeader.size + (isSealed ? HostSession.requestOverhead - tag : 0)
    var bytes = [UInt8](repeating: 0, count: start + content.bytes.count + tag)
    var span = bytes.mutableSpan
    header.write(to: &span)
    for (index, byte) in content.bytes.enumerated() { bytes[start + index] = byte }
    return bytes
  }
}

/// The reason why a request failed.
public enum ManagementFailure: Error, Equatable, Sendable {
  /// The device refused: `group` is the group that defines the code, `nil` for an error of the protocol
  /// itself.
  case refused(group: UInt16?, code: UInt64)
  /// No response, after this many attempts.
  case noAnswer(attempts: Int)
  /// The response is malformed.
  case malformed(String)
  /// The session ended before the response, and the request may not be repeated, or no other session could be
  /// opened.
  case sessionOver

  /// Whether the device refused with this error.
  func `is`(_ failure: SMPFailure) -> Bool {
    guard case .refused(let group, let code) = self else { return false }
    return group == failure.group?.rawValue && code == UInt64(failure.code)
  }

  /// The error for the user, about `request` to the device at `location`.
  public func error(_ request: ManagementRequest, at location: String) -> HostLinkError {
    switch self {
    case .refused:
      return HostLinkError(
        .refused, "\(location) refused \(request.subject): \(refusal(of: request.group))",
        advice: advice(for: request.group))
    case .noAnswer(let attempts):
      let times = attempts == 1 ? "" : " after \(attempts) attempts"
      return HostLinkError(
        .noAnswer, "\(location) did not answer when asked \(request.asked)\(times)",
        advice:
          "check that nothing else uses the link, and the line; on a slow one wait longer with --timeout, or reset the device"
      )
    case .malformed(let what):
      return HostLinkError(
        .protocolViolation, "\(location) answered, when asked \(request.asked), with \(what)",
        advice: "the device's firmware and this program may be incompatible")
    case .sessionOver:
      return HostLinkError(
        .refused, "\(location) ended the session when asked \(request.asked)",
        advice: "another program may have opened one, or the device restarted; run the command again")
    }
  }

  /// The reason why the device refused a request of a group, as text.
  private func refusal(of group: SMPGroup) -> String {
    // Errors for which the groups of MCUmgr have no code.
    if self.is(SMPFailure(.invalid)) {
      if group == .settings {
        return "it takes no such value: the number is out of range, or has another size"
      }
      if group == .file { return "it is no payload, or too long for this device; it offers the former one" }
    }
    if let (_, text) = Self.texts.first(where: { self.is($0.failure) }) { return text }
    guard case .refused(let group, let code) = self else { return "" }
    return group.map { "error \(code) of group \($0)" } ?? "error \(code)"
  }

  /// The recommended action after a refusal of a request of a group; `nil` if there is none.
  private func advice(for group: SMPGroup) -> String? {
    if self.is(SMPFailure(.invalid)) {
      if group == .settings { return "`herald-host config list` shows the ranges of its settings" }
      if group == .file { return "push a shorter payload, or update the device's firmware" }
    }
    return Self.advices.first { self.is($0.failure) }?.advice
  }

  private static let texts: [(failure: SMPFailure, text: String)] = [
    (SMPFailure(.unknown), "it failed (rc 1)"),
    (SMPFailure(.noMemory), "it is out of memory (rc 2)"),
    (SMPFailure(.invalid), "it does not understand the request (rc 3)"),
    (SMPFailure(.timeout), "it timed out (rc 4)"),
    (SMPFailure(.notFound), "it has no such object (rc 5)"),
    (SMPFailure(.badState), "its state does not allow it (rc 6)"),
    (SMPFailure(.tooLong), "the answer is too long for a packet (rc 7)"),
    (SMPFailure(.unsupported), "it does not know this command (rc 8)"),
    (SMPFailure(.corrupt), "the packet arrived damaged (rc 9)"),
    (SMPFailure(.busy), "it is busy (rc 10)"),
    (SMPFailure(.accessDenied), "it is locked, or being set up (rc 11)"),
    (.clockNotSet, "its clock is not set"),
    (.clockRefused, "its clock does not take this date"),
    (.noImage, "there is no image in that slot"),
    (.imageNotSigned, "the image is not signed with its key, or an entry behind the image is wrong"),
    (.noImageHash, "it has no image with this hash"),
    (.imageNotWritten, "it could not write the image"),
    (.imageNotErased, "it could not erase the slot"),
    (.noSuchSlot, "there is no such slot, or it is the one that runs"),
    (.imageNotNewer, "what runs is not older"),
    (.imagePending, "the image in its second slot is to be started next, and has to be first"),
    (.imageTooLarge, "the image is too large for its slot"),
    (.imageIsActive, "what runs cannot be tried"),
    (.noSuchStatistics, "it has no such counters"),
    (.noSuchSetting, "it has no such setting"),
    (.settingNotReadable, "secrets cannot be read"),
    (.settingNotKept, "it could not store the value, and has changed nothing"),
    (.settingNotTaken, "it has nothing that this setting is for"),
    (.logUnreadable, "its flash memory failed"),
    (.pageGone, "it does not keep that page any more"),
    (.beyondPage, "the offset is beyond the written data"),
    (.otherEpoch, "its log was erased in the meantime"),
    (.resetNotNoted, "it could not store the request, and has erased nothing"),
    (.wrongProof, "that is not its access key"),
    (
      .tooEarly, "it takes no access key for some seconds: it has just started, or wrong ones have been tried"
    ),
    (.locked, "it is locked"),
    (.inSetUp, "it is being set up: it has no access key, and was not told to stay open"),
    (
      .resetNotPermitted,
      "it has a button, and erases itself only after that was held, or with its access key"
    ),
    (.otherDigest, "its page is another than the one that is here"),
    (.noSuchFile, "it has no such file"),
    (.fileNotWritten, "it could not write that"),
  ]

  private static let advices: [(failure: SMPFailure, advice: String)] = [
    (.clockNotSet, "set it with `herald-host time sync`"),
    (
      .imageNotSigned,
      "take an image that is signed with the device's key; `herald-flash info FILE --key PEM` checks it"
    ),
    (.imageTooLarge, "take a smaller image"),
    (.imageNotNewer, "`herald-flash list` shows the version that runs: take a later one"),
    (.imagePending, "`herald-flash reset` starts it"),
    (.clockRefused, "a device takes dates up to 2099: set this computer's clock right"),
    (
      .wrongProof,
      "compare the file with a copy of it, and the serial number with that of the device; the key is not taken for some seconds"
    ),
    (.tooEarly, "try again in a minute"),
    (.locked, "name the file of its access key with --key-file"),
    (
      .inSetUp,
      "set an access key (`herald-host provision`), or let everybody with a cable read its log: `herald-host config set access/stay-open yes`"
    ),
    (
      SMPFailure(.accessDenied),
      "name the file of its access key with --key-file; `herald-host status` says whether it has one"
    ),
    (.fileNotWritten, "its flash may be worn out, or it is being erased"),
    (
      .settingNotTaken,
      "a board that cannot seal its log takes no log/owner-key, and one without Bluetooth management no bluetooth/management (docs/boards.md)"
    ),
    (.settingNotKept, "its flash may be worn out, or its firmware stores only the log"),
    (
      .resetNotPermitted,
      "hold its button for 5 s until its light flashes quickly, then repeat the command within 30 s; or name the file of its access key with --key-file"
    ),
    (.resetNotNoted, "its flash may be worn out, or its firmware stores only the log"),
    (SMPFailure(.unsupported), "the device's firmware may be older than this program"),
    (SMPFailure(.busy), "try again in a moment"),
  ]
}
