import HeraldEmbedded

/// Group 72, command 5: what is needed to be let in, and being let in.
enum AccessManagement {
  /// To read: `{}` → `{"set", "open", "nonce", "wait"}`. To write: `{"proof"}` → `{}`.
  @inline(never)
  static func respond<Device: ManagedDevice & ~Copyable>(
    to request: SMPRequest, in buffer: inout MutableSpan<UInt8>, device: inout Device,
    session: inout AccessSession
  ) -> SMPOutcome {
    if request.header.operation == .write {
      return open(request, in: &buffer, device: &device, session: &session)
    }
    var writer = CBORWriter(buffer._mutatingExtracting(0...), from: SMPHeader.size)
    let isSet = device.hasAccessKey()
    writer.map(4)
    writer.text(SMPKey.isSet)
    writer.boolean(isSet)
    writer.text(SMPKey.open)
    writer.boolean(!isSet || session.isOpen(device.access, at: request.now))
    writer.text(SMPKey.nonce)
    session.challenge(&writer, device: &device)
    writer.text(SMPKey.wait)
    writer.unsigned(device.access.wait(at: request.now))
    return writer.outcome
  }

  private static func open<Device: ManagedDevice & ~Copyable>(
    _ request: SMPRequest, in buffer: inout MutableSpan<UInt8>, device: inout Device,
    session: inout AccessSession
  ) -> SMPOutcome {
    guard let place = place(buffer.span.extracting(SMPHeader.size..<request.end)) else {
      return .failure(SMPFailure(.invalid))
    }
    let start = SMPHeader.size &+ place
    let failure = session.take(
      proof: buffer.span.extracting(start..<(start &+ AccessSession.proofSize)), at: request.now,
      device: &device)
    if let failure { return .failure(failure) }
    var writer = CBORWriter(buffer._mutatingExtracting(0...), from: SMPHeader.size)
    writer.map(0)
    return writer.outcome
  }

  /// Where the proof begins in the body; `nil` unless there is one of 32 bytes.
  private static func place(_ body: Span<UInt8>) -> Int? {
    var reader = CBORReader(body)
    guard var entries = reader.map() else { return nil }
    var place: Int?
    while reader.next(in: &entries) {
      guard let key = reader.text() else { return nil }
      if key.equals(SMPKey.proof) {
        guard let proof = reader.byteString(), proof.count == AccessSession.proofSize else { return nil }
        place = reader.offset &- AccessSession.proofSize
      } else {
        guard reader.skip() else { return nil }
      }
    }
    return place
  }
}
