import HeraldHAL

/// The device's end of a session: the keys that both ends have derived from the access key
/// (docs/wire-formats.md, "Session").
///
/// It ends at the host's request, with the link, when the access key changes, and after five minutes without
/// an authentic request: a serial line does not report that it was disconnected. Then the keys are
/// overwritten.
struct AccessSession: BitwiseCopyable {
  private var nonce: [16 of UInt8] = .init(repeating: 0)
  private var keys = SessionKeys()
  /// The number of the last request that was accepted.
  private var number: UInt32 = 0
  /// The access key it was opened with.
  private var keyNumber: UInt32 = 0
  private var askedAt = Instant.start
  /// Whether the nonce has been sent and not yet been used.
  private var hasNonce = false
  private var isOpen = false
  private var isClosing = false

  /// The timeout without an authentic request.
  static var timeout: Interval { .minutes(5) }

  /// Ends the session and invalidates the nonce.
  mutating func end() {
    var bytes = nonce.mutableSpan
    bytes.wipe()
    hasNonce = false
    close()
  }

  /// Whether it is open, and has not expired.
  func isValid(at now: Instant) -> Bool { isOpen && now < askedAt + Self.timeout }

  /// Ends it once the response is sealed.
  mutating func closeSoon() { isClosing = true }

  private mutating func close() {
    keys.wipe()
    number = 0
    isOpen = false
    isClosing = false
  }

  /// Generates a nonce, valid for one proof, and writes it. A session that is open continues.
  mutating func challenge<Device: ManagedDevice & ~Copyable>(
    _ writer: inout CBORWriter, device: inout Device
  ) {
    var bytes = nonce.mutableSpan
    device.fillRandom(&bytes)
    hasNonce = true
    writer.byteString(nonce.span)
  }

  /// Checks the host's nonce and proof, and writes the device's proof; the session is then open. In either
  /// case the device's nonce is used up; without one the proof is not evaluated.
  mutating func take<Device: ManagedDevice & ~Copyable>(
    hostNonce: Span<UInt8>, proof: Span<UInt8>, answer: inout [32 of UInt8], at now: Instant,
    device: inout Device
  ) -> SMPFailure? {
    let isAsked = hasNonce
    hasNonce = false
    guard device.hasAccessKey() else { return .wrongProof }
    guard device.access.wait(at: now) == 0 else { return .tooEarly }
    var room = answer.mutableSpan
    // A proof that comes twice, as its response was lost, is no guess.
    guard isAsked else { return .tooEarly }
    guard device.copyAccessKey(into: &room) else {
      device.access.failed(at: now)
      return .wrongProof
    }
    var serial: [32 of UInt8] = .init(repeating: 0)
    var serialRoom = serial.mutableSpan
    let count = min(max(device.information(.nodeName, into: &serialRoom), 0), serialRoom.count)
    guard exchange(hostNonce, proof, &answer, serial: serial.span.extracting(0..<count)) else {
      device.access.failed(at: now)
      return .wrongProof
    }
    device.access.passed()
    keyNumber = device.access.keyNumber
    askedAt = now
    isOpen = true
    return nil
  }

  /// Whether a proof is valid; the keys are then derived, and `answer`, which is the access key before,
  /// becomes the device's proof.
  @inline(never)
  private mutating func exchange(
    _ hostNonce: Span<UInt8>, _ proof: Span<UInt8>, _ answer: inout [32 of UInt8], serial: Span<UInt8>
  ) -> Bool {
    var schedule = SessionKeySchedule()
    schedule.begin(accessKey: answer.span, deviceNonce: nonce.span, hostNonce: hostNonce)
    schedule.hostProof(serial: serial, into: &answer)
    let isRight = proof.equalsInConstantTime(answer.span)
    if isRight {
      close()
      schedule.keys(serial: serial, into: &answer)
      keys.take(&answer)
      schedule.deviceProof(serial: serial, into: &answer)
    }
    schedule.wipe()
    return isRight
  }

  /// Opens a sealed request of `count` bytes, and moves its body to where that of one that is not sealed is.
  /// `false` if it is not the next of this session; then nothing has changed but the packet.
  @inline(never)
  mutating func open(
    _ packet: inout MutableSpan<UInt8>, count: Int, _ gate: AccessGate, at now: Instant
  ) -> Bool {
    if isOpen, keyNumber != gate.keyNumber || now >= askedAt + Self.timeout { close() }
    let start = SealedPacket.requestStart
    guard isOpen, count >= start &+ SealedPacket.tagSize, count <= packet.count,
      Int(packet[2]) &<< 8 | Int(packet[3]) == count &- SMPHeader.size
    else { return false }
    var stated: UInt32 = 0
    for index in SMPHeader.size..<start { stated = stated &<< 8 | UInt32(packet[index]) }
    guard stated > number else { return false }
    do {
      var whole = packet._mutatingExtracting(0..<count)
      guard SealedPacket.open(&whole, from: start, number: stated, key: keys.requests) else { return false }
    }
    number = stated
    askedAt = now
    for index in start..<(count &- SealedPacket.tagSize) {
      packet[index &- SealedPacket.numberSize] = packet[index]
    }
    return true
  }

  /// Seals the response to the request that was opened last; `packet` ends with the place of the tag.
  @inline(never)
  mutating func seal(_ packet: inout MutableSpan<UInt8>) {
    _ = SealedPacket.seal(&packet, from: SMPHeader.size, number: number, key: keys.responses)
    if isClosing { close() }
  }
}
