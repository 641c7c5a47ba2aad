import HeraldDeviceLink

/// The host's end of a session, for tests of the device's. That both are what docs/wire-formats.md says is
/// tested with literal bytes.
struct TestHost {
  private var session: HostSession
  /// The number of the request that was sealed last.
  private(set) var number: UInt32 = 0

  /// The nonce that hosts of tests choose: A0…AF.
  static let nonce = [UInt8](0xA0...0xAF)

  /// A session of which the proofs have been exchanged.
  init(key: [UInt8], serial: String, deviceNonce: [UInt8]) {
    var schedule = SessionKeySchedule()
    schedule.begin(accessKey: key.span, deviceNonce: deviceNonce.span, hostNonce: Self.nonce.span)
    session = HostSession(&schedule, serial: Array(serial.utf8).span)
  }

  /// What opens a session: header and body of group 72, command 5, write.
  static func opening(key: [UInt8], serial: String, deviceNonce: [UInt8]) -> [UInt8] {
    var schedule = SessionKeySchedule()
    schedule.begin(accessKey: key.span, deviceNonce: deviceNonce.span, hostNonce: nonce.span)
    var proof: [32 of UInt8] = .init(repeating: 0)
    schedule.hostProof(serial: Array(serial.utf8).span, into: &proof)
    return opening(proof: (0..<32).map { proof[$0] })
  }

  /// The same with a proof that may be wrong.
  static func opening(proof: [UInt8]) -> [UInt8] {
    hex("0A000040 0048 0005 A2 65 6E6F6E6365 50") + nonce + hex("65 70726F6F66 5820") + proof
  }

  /// The packet sealed.
  mutating func seal(_ packet: [UInt8]) -> [UInt8] {
    var bytes = packet[..<8] + [0, 0, 0, 0] + packet[8...] + [UInt8](repeating: 0, count: 8)
    var span = bytes.mutableSpan
    number = session.seal(&span) ?? 0
    return Array(bytes)
  }

  /// The body of the response to request `number`, or to the last one; `nil` if it is none.
  mutating func open(_ packet: [UInt8], number: UInt32? = nil) -> [UInt8]? {
    var bytes = packet
    var span = bytes.mutableSpan
    return session.open(&span, number: number ?? self.number).map { Array(bytes[$0]) }
  }
}
