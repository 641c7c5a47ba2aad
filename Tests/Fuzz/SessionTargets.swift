import HeraldDeviceLink
import HeraldHAL

/// A handshake, and packets of a session as they are on the wire and as they are before they are sealed
/// (docs/wire-formats.md).
let sessionSeeds: [[UInt8]] =
  [
    [0x0A, 0, 0, 0x40, 0, 72, 0, 5, 0xA2, 0x65] + Array("nonce".utf8) + [0x50]
      + [UInt8](repeating: 3, count: 16)
      + [0x65] + Array("proof".utf8) + [0x58, 32] + [UInt8](repeating: 7, count: 32),
    [0x0A, 1, 0, 13, 0, 3, 0, 2, 0, 0, 0, 2, 0x9F, 0x45, 0x84, 0x83, 0x27, 0xA9, 0xAC, 0x81, 0xE2],
    [0x0A, 0, 0, 1, 0, 72, 0, 9, 0xA0],
    [0x08, 0, 0, 11, 0, 72, 7, 8, 0xA2, 0x63] + Array("seq".utf8) + [1, 0x63] + Array("off".utf8) + [0],
  ]

/// Responses as they are on the wire.
let hostSessionSeeds: [[UInt8]] = [
  [0x0B, 1, 0, 9, 0, 3, 0, 2, 0xC2, 0xBF, 0x07, 0xC4, 0x14, 0x6A, 0x8A, 0xE9, 0x7E],
  [0x09, 1, 0, 8, 0, 72, 7, 8, 0xE7, 0xAF, 0xA8, 0xA1, 0xEA, 0xF6, 0x53, 0x0E],
  [0x0B, 0, 0, 5, 0, 3, 0, 2, 0xA1, 0x62, 0x72, 0x63, 0x08],
]

private let sessionKey = [UInt8](repeating: 7, count: 32)
private let hostNonce = [UInt8](repeating: 3, count: 16)

/// The host's end, after proofs with these nonces.
private func hostSession(_ deviceNonce: [UInt8]) -> (session: HostSession, opening: [UInt8]) {
  // What `FuzzDevice` says it is called: three bytes that it does not write.
  let serial = [UInt8](repeating: 0, count: 3)
  var schedule = SessionKeySchedule()
  schedule.begin(accessKey: sessionKey.span, deviceNonce: deviceNonce.span, hostNonce: hostNonce.span)
  var proof: [32 of UInt8] = .init(repeating: 0)
  schedule.hostProof(serial: serial.span, into: &proof)
  let opening =
    [0x0A, 0, 0, 0x40, 0, 72, 0, 5, 0xA2, 0x65] + Array("nonce".utf8) + [0x50] + hostNonce + [0x65]
    + Array("proof".utf8) + [0x58, 32] + (0..<32).map { proof[$0] }
  return (HostSession(&schedule, serial: serial.span), opening)
}

/// The response of a server to a packet.
private func respond(_ packet: [UInt8], _ server: inout SMPServer, _ device: inout FuzzDevice) -> [UInt8] {
  var buffer = packet + [UInt8](repeating: 0, count: max(0, 512 - packet.count))
  var span = buffer.mutableSpan
  let count = server.respond(to: &span, count: packet.count, at: .start + .seconds(10), device: &device)
  if count > buffer.count { broken("an answer longer than the buffer") }
  return Array(buffer[..<count])
}

/// The device's end: what comes is sent as it is, and then sealed, which only who has the key can do. The
/// session continues after either.
func fuzzSession(_ bytes: Span<UInt8>) {
  let input = (0..<min(bytes.count, 480)).map { bytes[$0] }
  var server = SMPServer()
  var device = FuzzDevice()
  _ = device.keepAccessKey(sessionKey.span)
  let challenge = respond([0x08, 0, 0, 1, 0, 72, 0, 5, 0xA0], &server, &device)
  guard let place = challenge.firstIndex(of: 0x50), challenge.count >= place + 17 else {
    broken("no nonce")
  }
  var (session, opening) = hostSession(Array(challenge[(place + 1)..<(place + 17)]))
  if respond(opening, &server, &device).count != 49 { broken("the right proof is refused") }
  let hostile = respond(input, &server, &device)
  if hostile.count > 1, hostile[1] != 0 { broken("what nobody sealed is answered sealed") }
  let commit: [UInt8] = [0x0A, 0, 0, 1, 0, 3, 0, 2, 0xA0]
  if ask(commit, &session, &server, &device) != [0xA0] { broken("the session did not go on") }
  guard input.count >= 8, input[0] & 0b1110_0101 == 0, input[0] & 7 <= 2 else { return }
  let answer = ask(input, &session, &server, &device)
  let closes = input[4] == 0 && input[5] == 72 && input[7] == 9
  let changesKey = input[4] == 0 && input[5] == 3
  if answer == nil { broken("a request of the session is not answered in it") }
  if !closes, !changesKey, ask(commit, &session, &server, &device) != [0xA0] {
    broken("the session ended without a reason")
  }
}

/// The body of the response to a packet in the session.
private func ask(
  _ packet: [UInt8], _ session: inout HostSession, _ server: inout SMPServer, _ device: inout FuzzDevice
) -> [UInt8]? {
  var sealed = Array(packet[..<8]) + [0, 0, 0, 0] + packet[8...] + [UInt8](repeating: 0, count: 8)
  var span = sealed.mutableSpan
  guard let number = session.seal(&span) else { broken("a request cannot be sealed") }
  var answer = respond(sealed, &server, &device)
  var opened = answer.mutableSpan
  guard let body = session.open(&opened, number: number) else { return nil }
  return Array(answer[body])
}

/// The host's end: nothing that comes from elsewhere is opened, and what is opened lies within the packet.
func fuzzHostSession(_ bytes: Span<UInt8>) {
  var (session, _) = hostSession([UInt8](repeating: 1, count: 16))
  var packet = (0..<bytes.count).map { bytes[$0] }
  for number in [0, 1, UInt32.max] {
    var span = packet.mutableSpan
    if session.open(&span, number: number) != nil { broken("a packet that nobody sealed is opened") }
  }
}
