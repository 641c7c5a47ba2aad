import HeraldDeviceLink
import HeraldEmbedded
import Testing

/// A device with an access key, and any number of links to it.
private struct LockedDevice: ~Copyable {
  var device = TestDevice()
  var links: [SMPServer]
  var now = Instant.start + .seconds(10)

  init(links count: Int = 1) {
    device.accessKey = Array(0..<32)
    links = .init(repeating: SMPServer(), count: count)
  }

  /// The body of an answer.
  mutating func ask(_ packet: [UInt8], on link: Int = 0) -> [UInt8] {
    var buffer = packet + [UInt8](repeating: 0, count: 512 - packet.count)
    var span = buffer.mutableSpan
    let count = links[link].respond(to: &span, count: packet.count, at: now, device: &device)
    return Array(buffer[..<count].dropFirst(8))
  }

  mutating func prove(_ proof: [UInt8], on link: Int = 0) -> [UInt8] {
    ask(hex("0A000029 0048 0005 A1 65 70726F6F66 5820") + proof, on: link)
  }

  /// Asks for a nonce, and answers with the proof of `key`.
  mutating func unlock(_ key: [UInt8] = Array(0..<32), on link: Int = 0) -> [UInt8] {
    _ = ask(hex("08000001 0048 0005 A0"), on: link)
    return prove(proof(key, [UInt8](repeating: device.nonces, count: 16)), on: link)
  }

  /// Whether a request that needs the key is served.
  mutating func isOpen(on link: Int = 0) -> Bool {
    ask(hex("0A000001 0003 0002 A0"), on: link) == [0xA0]
  }

  /// HMAC-SHA256 of "herald access 1", the serial number and the nonce.
  func proof(_ key: [UInt8], _ nonce: [UInt8]) -> [UInt8] {
    var code = HMACSHA256(key: key.span)
    code.update((Array("herald access 1".utf8) + Array(device.serial.utf8) + nonce).span)
    var result: [32 of UInt8] = .init(repeating: 0)
    code.finish(into: &result)
    return (0..<32).map { result[$0] }
  }
}

private func refusal(_ code: UInt8) -> [UInt8] { hex("A1 63 657272 A2 65 67726F7570 1848 62 7263") + [code] }

@Suite("Access control")
struct AccessTests {
  private let status = hex("08000001 0048 0005 A0")

  /// `{"set", "open", "nonce", "wait"}`
  private func state(_ isSet: Bool, _ isOpen: Bool, nonce: UInt8, wait: String = "00") -> [UInt8] {
    hex("A4 63 736574") + [isSet ? 0xF5 : 0xF4] + hex("64 6F70656E") + [isOpen ? 0xF5 : 0xF4]
      + hex("65 6E6F6E6365 50") + [UInt8](repeating: nonce, count: 16) + hex("64 77616974 \(wait)")
  }

  @Test("in literal bytes: a nonce is asked for, the proof that Python's hmac makes of it opens the link")
  func literal() {
    var locked = LockedDevice()
    check(locked.ask(status) == state(true, false, nonce: 1))
    // hmac.new(bytes(range(32)), b"herald access 1" + b"0123456789AB" + bytes([1] * 16), "sha256")
    check(locked.prove(hex("9263741608eb85ea7ee6d64b091484f068cf7ca85aa170ba360379bad43ad000")) == [0xA0])
    check(locked.ask(status) == state(true, true, nonce: 2) && locked.isOpen())
    var open = LockedDevice()
    open.device.accessKey = []
    check(open.ask(status) == state(false, true, nonce: 1) && open.isOpen())
    check(open.prove(.init(repeating: 0, count: 32)) == [0xA0], "there is nothing to prove")
  }

  @Test("a nonce is good for one proof, on its own link: what was heard before opens nothing")
  func replay() {
    var locked = LockedDevice(links: 2)
    _ = locked.ask(status)
    let proof = locked.proof(Array(0..<32), [UInt8](repeating: 1, count: 16))
    check(locked.prove(proof, on: 1) == refusal(6), "no nonce was given out on this link")
    locked.now = locked.now + .seconds(1)
    check(locked.prove(proof) == [0xA0])
    check(locked.prove(proof) == refusal(6) && locked.isOpen(), "a wrong proof takes nothing away")
    locked.links[0].endSession()
    locked.now = locked.now + .seconds(1)
    check(locked.prove(proof) == refusal(6) && !locked.isOpen())
    locked.now = locked.now + .seconds(2)
    // Another nonce was asked for.
    _ = locked.ask(status)
    check(locked.prove(proof) == refusal(6))
  }

  @Test("wrong proofs are slowed down, 1, 2, 4 … 60 seconds, whatever link they come on, until a right one")
  func slowly() {
    var locked = LockedDevice(links: 3)
    let wrong = [UInt8](repeating: 7, count: 32)
    for (place, seconds) in [1, 2, 4, 8, 16, 32, 60, 60, 60].enumerated() {
      let link = place % 3
      check(locked.unlock(wrong, on: link) == refusal(6))
      check(locked.unlock(on: (link + 1) % 3) == refusal(7), "the right one as well")
      locked.now = locked.now + .milliseconds(UInt32(seconds) * 1000 - 1)
      check(locked.unlock(on: link) == refusal(7))
      check(locked.ask(status, on: link).suffix(2) == hex("74 01"), "a millisecond more")
      locked.links[link].endSession()
      locked.now = locked.now + .milliseconds(1)
    }
    check(locked.unlock() == [0xA0] && locked.isOpen() && !locked.isOpen(on: 1) && !locked.isOpen(on: 2))
    check(locked.unlock(wrong, on: 1) == refusal(6))
    check(
      locked.ask(status, on: 2) == state(true, false, nonce: locked.device.nonces, wait: "1903E8"),
      "a second again")
  }

  @Test(
    "a start is no way around that: for four seconds after it no proof is looked at, not even a right one")
  func start() {
    var locked = LockedDevice()
    locked.now = .start
    check(locked.unlock() == refusal(7) && !locked.isOpen())
    check(locked.ask(status) == state(true, false, nonce: locked.device.nonces, wait: "190FA0"))
    locked.now = .start + .milliseconds(3999)
    check(
      locked.unlock([UInt8](repeating: 7, count: 32)) == refusal(7), "what is not looked at does not count")
    check(locked.ask(status).suffix(2) == hex("74 01"))
    locked.now = .start + .seconds(4)
    check(locked.unlock() == [0xA0] && locked.isOpen())
  }

  @Test(
    "two links are let in each by itself, and a session ends with its link, with silence, and with the key")
  func sessions() {
    var locked = LockedDevice(links: 2)
    check(locked.unlock() == [0xA0] && locked.isOpen() && !locked.isOpen(on: 1))
    check(locked.unlock(on: 1) == [0xA0] && locked.isOpen(on: 1))
    locked.links[0].endSession()
    check(!locked.isOpen() && locked.isOpen(on: 1))
    // Five minutes without a request. Any request counts.
    check(locked.unlock() == [0xA0])
    for _ in 0..<3 {
      locked.now = locked.now + .milliseconds(299_999)
      _ = locked.ask(hex("08000001 0048 0000 A0"), on: 1)
      check(locked.isOpen(on: 1))
    }
    check(!locked.isOpen())
    locked.now = locked.now + .minutes(5)
    check(!locked.isOpen(on: 1))
  }

  @Test("what is malformed proves nothing and counts for nothing")
  func malformed() {
    var locked = LockedDevice()
    _ = locked.ask(status)
    for body in ["A0", "A1 65 70726F6F66 41 00", "A1 65 70726F6F66 6161", "80", "A1 65 70726F6F66 5821"] {
      let bytes = hex(body)
      check(
        locked.ask(hex("0A0000") + [UInt8(bytes.count)] + hex("0048 0005") + bytes) == hex("A1 62 7263 03"))
    }
    check(locked.prove(locked.proof(Array(0..<32), [UInt8](repeating: 1, count: 16))) == [0xA0])
  }

  /// Every command that a device knows, and whether it needs the key: operation (0 read, 2 write), group, command. One that is added has to be added here, as the
  /// test below asks for every number there is.
  private static let commands: [(operation: UInt8, group: UInt16, command: UInt8, needsKey: Bool)] = [
    (0, 0, 0, false), (2, 0, 0, false),  // echo
    (0, 0, 4, false), (2, 0, 4, true),  // date-time
    (2, 0, 5, true),  // reset
    (0, 0, 6, false),  // parameters
    (0, 0, 7, false),  // information
    (0, 0, 8, true),  // boot loader
    // Images: state, test or confirm, upload, erase, slot info.
    (0, 1, 0, false), (2, 1, 0, true), (2, 1, 1, true), (2, 1, 5, true), (0, 1, 6, false),
    (0, 2, 0, false), (0, 2, 1, false),  // statistics: read, list
    (0, 3, 0, true), (2, 3, 0, true),  // a setting
    // Settings: delete, commit, load, save.
    (2, 3, 1, true), (2, 3, 2, true), (0, 3, 3, true), (2, 3, 3, true),
    // Files: download, upload, status, hash, kinds of hash, close.
    (0, 8, 0, true), (2, 8, 0, true), (0, 8, 1, true), (0, 8, 2, true), (0, 8, 3, true), (2, 8, 4, true),
    (0, 72, 0, false),  // status of the log
    (0, 72, 1, true),  // pages of the log
    (0, 72, 2, false),  // restart report
    (0, 72, 3, false), (2, 72, 3, false),  // factory reset
    (2, 72, 4, true),  // acknowledgement
    (0, 72, 5, false), (2, 72, 5, false),  // access
    (0, 72, 6, true),  // live
    (0, 72, 7, true),  // payload
    (0, 72, 8, true),  // the log as a stream
  ]

  @Test(
    "while locked, each command is served or refused as docs/security.md has it, and what is not named is refused"
  )
  func locked() {
    for group in [UInt16](0...80) + [0xFFFF] {
      for command in 0...UInt8.max {
        for operation in [0, 2] as [UInt8] {
          let packet =
            [0x08 | operation, 0, 0, 1, UInt8(group >> 8), UInt8(group & 0xFF), 0, command, 0xA0] as [UInt8]
          var open = LockedDevice()
          open.device.accessKey = []
          open.device.takesPayloads = true
          open.device.report = RestartReport(cause: .powerOn)
          // Not supported: general code 8.
          let isKnown = open.ask(packet) != hex("A1 62 7263 08")
          let entry = Self.commands.first { $0 == (operation, group, command, $0.needsKey) }
          #expect(
            isKnown == (entry != nil),
            "\(operation) \(group) \(command) is not in the table, or in it for nothing")
          var locked = LockedDevice()
          let isRefused = locked.ask(packet) == refusal(8)
          #expect(isRefused == (entry?.needsKey ?? true), "\(operation) \(group) \(command)")
        }
      }
    }
  }

  @Test("a locked device refuses by the general code 11, access denied, where the protocol has version 1")
  func former() {
    var locked = LockedDevice()
    check(locked.ask(hex("02000001 0000 0005 A0")) == hex("A1 62 7263 0B") && locked.device.restarts == 0)
    check(locked.ask(hex("0A000001 0000 0005 A0")) == refusal(8) && locked.device.restarts == 0)
    check(locked.unlock() == [0xA0] && locked.ask(hex("02000001 0000 0005 A0")) == [0xA0])
  }
}
