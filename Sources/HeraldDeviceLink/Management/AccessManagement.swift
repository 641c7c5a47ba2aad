import HeraldEmbedded

/// Group 72, command 5: what is needed to be let in, and being let in.
enum AccessManagement {
  /// To read: `{}` → `{"set", "open", "nonce", "wait"}`. To write: `{"proof"}` → `{}`.
  @inline(never)
  static func respond<Device: ManagedDevice & ~Copyable>(
    to request: inout SMPRequest, device: inout Device, session: inout AccessSession
  ) -> SMPOutcome {
    if request.header.operation == .write {
      guard request.read(needed: SMPKeys(.proof)) else { return .failure(.invalid) }
      let failure = session.take(
        proof: request.span(request.said.bytes), at: request.now, device: &device)
      if let failure { return .failure(failure) }
      request.answer.map(0)
      return .answered
    }
    let isSet = device.hasAccessKey()
    request.answer.map(4)
    request.answer.key(.isSet)
    request.answer.boolean(isSet)
    request.answer.key(.open)
    request.answer.boolean(!isSet || session.isOpen(device.access, at: request.now))
    request.answer.key(.nonce)
    session.challenge(&request.answer, device: &device)
    request.answer.field(.wait, device.access.wait(at: request.now))
    return .answered
  }
}
