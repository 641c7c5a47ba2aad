import HeraldEmbedded

/// Group 72, command 5: the parameters of a session, and its start.
enum AccessManagement {
  /// To read: `{}` → `{"set", "open", "nonce", "wait"}`. To write: `{"nonce", "proof"}` → `{"proof"}`.
  @inline(never)
  static func respond<Device: ManagedDevice & ~Copyable>(
    to request: inout SMPRequest, device: inout Device, session: inout AccessSession
  ) -> SMPOutcome {
    if request.header.operation == .write { return open(&request, device: &device, session: &session) }
    let isSet = device.hasAccessKey()
    request.answer.map(4)
    request.answer.key(.isSet)
    request.answer.boolean(isSet)
    request.answer.key(.open)
    request.answer.boolean(!isSet && device.inEffect(.stayOpen) != 0)
    request.answer.key(.nonce)
    session.challenge(&request.answer, device: &device)
    request.answer.field(.wait, device.access.wait(at: request.now))
    return .answered
  }

  @inline(never)
  private static func open<Device: ManagedDevice & ~Copyable>(
    _ request: inout SMPRequest, device: inout Device, session: inout AccessSession
  ) -> SMPOutcome {
    // Its response would have to be sealed with keys that it replaces.
    guard !request.header.isSealed, request.read(needed: SMPKeys(.proof) | .nonce) else {
      return .failure(.invalid)
    }
    var proof: [32 of UInt8] = .init(repeating: 0)
    let failure = session.take(
      hostNonce: request.span(request.said.text), proof: request.span(request.said.bytes), answer: &proof,
      at: request.now, device: &device)
    if let failure { return .failure(failure) }
    request.answer.map(of: .proof)
    request.answer.byteString(proof.span)
    return .answered
  }
}
