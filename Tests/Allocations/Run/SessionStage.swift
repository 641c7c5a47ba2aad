import AllocationCounter
import HeraldDeviceLink
import HeraldEmbedded

/// A host opens a session with the device, which gets an access key for it, and reads the log in it, with a
/// byte or two gone wrong: how often the heap is asked for anything. The session is opened once before, as
/// the run-time describes types to itself then.
func sealedAllocations(_ stage: inout Stage) -> UInt64 {
  let key: [32 of UInt8] = .init(repeating: 7)
  guard stage.device.keepAccessKey(key.span) else { return .max }
  guard var first = stage.openSession(key) else { return .max }
  stage.askSealed(&first)
  let before = allocation_count()
  guard var session = stage.openSession(key) else { return .max }
  for _ in 0..<5000 { stage.askSealed(&session) }
  return allocation_count() - before
}

extension Stage {
  /// Opens a session; `nil` if the device does not take the proof.
  fileprivate mutating func openSession(_ key: [32 of UInt8]) -> HostSession? {
    var packet: [96 of UInt8] = .init(repeating: 0)
    let smpHeader: [9 of UInt8] = [0x08, 0, 0, 1, 0, 72, 0, 5, 0xA0]
    for index in 0..<9 { packet[index] = smpHeader[index] }
    var span = packet.mutableSpan
    // {"set", "open", "nonce": 16 bytes, "wait"}
    guard server.respond(to: &span, count: 9, at: now, device: &device) > 42 else { return nil }
    var deviceNonce: [16 of UInt8] = .init(repeating: 0)
    for index in 0..<16 { deviceNonce[index] = packet[27 + index] }
    let hostNonce: [16 of UInt8] = .init(repeating: 3)
    let serial: [1 of UInt8] = [0]
    var schedule = SessionKeySchedule()
    schedule.begin(accessKey: key.span, deviceNonce: deviceNonce.span, hostNonce: hostNonce.span)
    var proof: [32 of UInt8] = .init(repeating: 0)
    schedule.hostProof(serial: serial.span.extracting(0..<0), into: &proof)
    let head: [16 of UInt8] = [
      0x0A, 0, 0, 0x40, 0, 72, 0, 5, 0xA2, 0x65, 0x6E, 0x6F, 0x6E, 0x63, 0x65, 0x50,
    ]
    let middle: [8 of UInt8] = [0x65, 0x70, 0x72, 0x6F, 0x6F, 0x66, 0x58, 32]
    for index in 0..<16 {
      packet[index] = head[index]
      packet[16 + index] = hostNonce[index]
    }
    for index in 0..<8 { packet[32 + index] = middle[index] }
    for index in 0..<32 { packet[40 + index] = proof[index] }
    span = packet.mutableSpan
    guard server.respond(to: &span, count: 72, at: now, device: &device) == 49 else { return nil }
    return HostSession(&schedule, serial: serial.span.extracting(0..<0))
  }

  /// Reads a page of the log in the session; of four requests one has a wrong byte.
  fileprivate mutating func askSealed(_ session: inout HostSession) {
    var packet: [128 of UInt8] = .init(repeating: 0)
    let request: [23 of UInt8] = [
      0x08, 0, 0, 11, 0, 72, 1, 1, 0, 0, 0, 0, 0xA2, 0x63, 0x73, 0x65, 0x71, 1, 0x63, 0x6F, 0x66, 0x66, 0,
    ]
    for index in 0..<23 { packet[index] = request[index] }
    var span = packet.mutableSpan
    var whole = span._mutatingExtracting(0..<31)
    guard let number = session.seal(&whole) else { return }
    if random.next() & 3 == 0 { whole[Int(random.next() % 31)] ^= 1 }
    let count = server.respond(to: &span, count: 31, at: now, device: &device)
    guard count > 0 else { return }
    var answer = span._mutatingExtracting(0..<count)
    if session.open(&answer, number: number) != nil { answers += 1 }
  }
}

extension HeraldConfiguration {
  /// Serves its log to everybody while it has no access key, and scans all the time, for many readings.
  static var open: HeraldConfiguration {
    var configuration = HeraldConfiguration.steady
    configuration.staysOpen = true
    return configuration
  }
}
