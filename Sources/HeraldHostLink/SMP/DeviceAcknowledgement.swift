import HeraldCrypto
import HeraldDeviceLink
import HeraldEmbedded

extension DeviceClient {
  /// The result of the acknowledgement of a page.
  enum AcknowledgementOutcome: Equatable {
    /// The device erases the page, or has erased it.
    case taken
    /// The device's page has another digest than the one sent. The device keeps it.
    case differs
  }

  /// Acknowledges page `sequence` of the log of this epoch; `bytes` are the page as stored on this computer.
  /// The device compares their SHA-256 with that of its own page, and erases that only if they are equal, and
  /// if all earlier pages were acknowledged. The request is idempotent.
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
}
