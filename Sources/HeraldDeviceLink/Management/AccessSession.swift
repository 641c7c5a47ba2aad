import HeraldEmbedded

/// Whether whoever is at the other end of a link has proved that they have the access key. It ends with the link, when the key changes, and after
/// five minutes without a request: a serial line does not tell that its plug was pulled.
struct AccessSession: BitwiseCopyable {
  private var nonce: [16 of UInt8] = .init(repeating: 0)
  /// Whether the nonce has been given out and not yet been used.
  private var hasNonce = false
  private var isOpen = false
  /// The key it was opened with.
  private var keyNumber: UInt32 = 0
  private var askedAt = Instant.start

  /// How long it lasts without a request.
  static var patience: Interval { .minutes(5) }
  /// Bytes of a proof.
  static var proofSize: Int { 32 }

  /// Whether requests that need the key are served. To be asked with each request, whatever it is.
  mutating func isOpen(_ gate: AccessGate, at now: Instant) -> Bool {
    if isOpen, keyNumber != gate.keyNumber || now >= askedAt + Self.patience { end() }
    askedAt = now
    return isOpen
  }

  /// Ends it; a nonce that was given out is not good any more.
  mutating func end() {
    var bytes = nonce.mutableSpan
    bytes.wipe()
    hasNonce = false
    isOpen = false
  }

  /// Makes a nonce, good for one proof, and writes it.
  mutating func challenge<Device: ManagedDevice & ~Copyable>(
    _ writer: inout CBORWriter, device: inout Device
  ) {
    var bytes = nonce.mutableSpan
    device.fillRandom(&bytes)
    hasNonce = true
    writer.byteString(nonce.span)
  }

  /// Takes a proof: HMAC-SHA256 with the access key over "herald access 1", the device's serial number and the nonce. Whatever comes of it,
  /// the nonce is used up.
  @inline(never)
  mutating func take<Device: ManagedDevice & ~Copyable>(
    proof: Span<UInt8>, at now: Instant, device: inout Device
  ) -> SMPFailure? {
    let isAsked = hasNonce
    hasNonce = false
    guard device.hasAccessKey() else { return nil }
    guard device.access.wait(at: now) == 0 else { return .tooEarly }
    var expected: [32 of UInt8] = .init(repeating: 0)
    var room = expected.mutableSpan
    let isKnown = isAsked && device.copyAccessKey(into: &room)
    if isKnown { prove(in: &expected, device: &device) }
    let isRight = isKnown && proof.equalsInConstantTime(expected.span)
    var bytes = expected.mutableSpan
    bytes.wipe()
    guard isRight else {
      device.access.failed(at: now)
      return .wrongProof
    }
    device.access.passed()
    keyNumber = device.access.keyNumber
    isOpen = true
    return nil
  }

  /// Makes the proof with the key that is in `proof`, in its place. Not inlined, so that what it needs of the stack is not there while the key is read.
  @inline(never)
  private mutating func prove<Device: ManagedDevice & ~Copyable>(
    in proof: inout [32 of UInt8], device: inout Device
  ) {
    var room = proof.mutableSpan
    var code = HMACSHA256(key: room.span)
    // There is no need of the key any more: its place is good for the serial number.
    let count = min(max(device.information(.nodeName, into: &room), 0), room.count)
    code.update("herald access 1")
    code.update(room.span.extracting(0..<count))
    code.update(nonce.span)
    code.finish(into: &proof)
  }
}
