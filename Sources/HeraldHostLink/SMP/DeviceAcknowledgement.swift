import HeraldDeviceLink
import HeraldEmbedded

extension DeviceClient {
  /// The result of the acknowledgement of a page.
  enum AcknowledgementOutcome: Equatable {
    /// It erases the page, or has.
    case taken
    /// Its page is another than the one whose digest was sent. It keeps it.
    case differs
  }

  /// Tells the device that this computer needs page `sequence` of its log of this epoch on the device no
  /// longer; `bytes` are the page as this computer has it. The device compares their SHA-256 with that of its
  /// own page, and erases that only if they agree, and if all pages before it were acknowledged. To say it
  /// twice does no harm.
  func acknowledge(
    epoch: UInt32, sequence: UInt32, bytes: [UInt8]
  ) throws(HostLinkError) -> AcknowledgementOutcome {
    let digest = SHA256.digest(of: bytes.span)
    let request = ManagementRequest(
      "to erase page \(sequence) of the log", .write, .herald, HeraldCommand.acknowledge, isRepeatable: true
    ) { writer in
      writer.map(3)
      writer.key(.epoch)
      writer.unsigned(epoch)
      writer.key(.sequence)
      writer.unsigned(sequence)
      writer.key(.digest)
      writer.byteString(digest.span)
    }
    switch try client.result(of: request) {
    case .success(let body):
      guard body[SMPKey.through]?.number32 == sequence else {
        throw malformed(request, "the number of another page")
      }
      return .taken
    case .failure(let failure):
      if failure.is(.otherDigest) { return .differs }
      throw failure.error(request, at: client.location)
    }
  }

  /// All bytes of a page of the log that takes no more records; `nil` if the device does not have it any
  /// more.
  func page(_ sequence: UInt32, size: Int) throws(HostLinkError) -> [UInt8]? {
    var bytes: [UInt8] = []
    while bytes.count < size {
      let wanted = size - bytes.count
      let request = Self.logStream(sequence: sequence, offset: bytes.count, length: wanted)
      switch try client.result(of: request) {
      case .success(let body):
        guard let data = body[SMPKey.data]?.byteString, !data.isEmpty, data.count <= wanted else {
          throw malformed(request, "another number of bytes than was asked for")
        }
        bytes += data
      case .failure(let failure):
        if failure.is(.pageGone) { return nil }
        throw failure.error(request, at: client.location)
      }
    }
    return bytes
  }
}
