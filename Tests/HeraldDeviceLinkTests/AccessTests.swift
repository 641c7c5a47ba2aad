import HeraldDeviceLink
import HeraldEmbedded
import HeraldHAL
import Testing

/// A device with an access key, and any number of links to it.
private struct LockedDevice: ~Copyable {
  var device = TestDevice()
  var links: [SMPServer]
  var hosts: [TestHost?]
  var now = Instant.start + .seconds(10)
  let key = [UInt8](0..<32)

  init(links count: Int = 1) {
    device.accessKey = Array(0..<32)
    device.pages[3] = [0xDE, 0xAD, 0xBE, 0xEF]
    links = .init(repeating: SMPServer(), count: count)
    hosts = .init(repeating: nil, count: count)
  }

  /// The answer to a packet as it is.
  mutating func send(_ packet: [UInt8], on link: Int = 0) -> [UInt8] {
    var buffer = packet + [UInt8](repeating: 0, count: 512 - packet.count)
    var span = buffer.mutableSpan
    let count = links[link].respond(to: &span, count: packet.count, at: now, device: &device)
    return Array(buffer[..<count])
  }

  /// The body of the answer to a packet as it is.
  mutating func ask(_ packet: [UInt8], on link: Int = 0) -> [UInt8] {
    Array(send(packet, on: link).dropFirst(8))
  }

  /// Proves that the host has `key`; keeps the session if the device proves the same. The body of the answer.
  mutating func unlock(_ key: [UInt8] = Array(0..<32), on link: Int = 0) -> [UInt8] {
    _ = ask(hex("08000001 0048 0005 A0"), on: link)
    let nonce = [UInt8](repeating: device.nonces, count: 16)
    let answer = ask(TestHost.opening(key: key, serial: device.serial, deviceNonce: nonce), on: link)
    if answer.first == 0xA1, answer.count == 41 {
      hosts[link] = TestHost(key: key, serial: device.serial, deviceNonce: nonce)
    }
    return answer
  }

  /// The body of the answer to a sealed packet, opened with the number of a request, or of the last one;
  /// `nil` if it is not sealed.
  mutating func serve(_ sealed: [UInt8], number: UInt32? = nil, on link: Int = 0) -> [UInt8]? {
    let answer = send(sealed, on: link)
    return hosts[link]?.open(answer, number: number)
  }

  /// The body of the answer to a packet in the session of a link.
  mutating func exchange(_ packet: [UInt8], on link: Int = 0) -> [UInt8]? {
    guard let sealed = hosts[link]?.seal(packet) else { return nil }
    return serve(sealed, on: link)
  }

  /// Whether the session that was opened last on a link is served.
  mutating func isOpen(on link: Int = 0) -> Bool {
    exchange(hex("0A000001 0003 0002 A0"), on: link) == [0xA0]
  }
}

/// How requests of MCUmgr's own groups are refused: access denied, in both versions.
private let denied = hex("A1 62 7263 0B")

private func refusal(_ code: UInt8) -> [UInt8] { hex("A1 63 657272 A2 65 67726F7570 1848 62 7263") + [code] }

@Suite("Access control")
struct AccessTests {
  private let status = hex("08000001 0048 0005 A0")
  /// Settings, commit: a request that needs a session.
  private let commit = hex("0A000001 0003 0002 A0")

  /// `{"set", "open", "nonce", "wait"}`
  private func state(_ isSet: Bool, _ isOpen: Bool, nonce: UInt8, wait: String = "00") -> [UInt8] {
    hex("A4 63 736574") + [isSet ? 0xF5 : 0xF4] + hex("64 6F70656E") + [isOpen ? 0xF5 : 0xF4]
      + hex("65 6E6F6E6365 50") + [UInt8](repeating: nonce, count: 16) + hex("64 77616974 \(wait)")
  }

  // What Python's hmac and cryptography make of the key 0…31, the nonces 16 × 01 and A0…AF, and the serial
  // number 0123456789AB (docs/wire-formats.md).
  private let hostProof = hex("b9d0cf786ed97f7ac4256956bf9db5d0693c7a98d795f380c8f87335c608c9dc")
  private let deviceProof = hex("b1b0c8fcdc904654d244e89df5455c1b5220d7d3916c403a85588873b5005e50")
  private let firstRequest = hex("0a01000d00030002 00000001 9f 45848327a9ac81e2")
  private let firstResponse = hex("0b01000900030002 c2 bf07c4146a8ae97e")
  private let fifthRequest = hex("0801001200480708 00000005 bb93166c0456 bbe2054586724068")
  private let fifthResponse = hex("0901001300480708 0ea01cf6b2fa422c3baf71 e7afa8a1eaf6530e")
  private let closing = hex("0a01000d00480809 00000006 e1 a0245e9d768f6902")

  @Test("in literal bytes: proofs are exchanged, requests and responses are sealed, the session is closed")
  func literal() {
    var locked = LockedDevice()
    check(locked.ask(status) == state(true, false, nonce: 1))
    check(locked.ask(TestHost.opening(proof: hostProof)) == hex("A1 65 70726F6F66 5820") + deviceProof)
    check(locked.send(firstRequest) == firstResponse)
    check(locked.send(fifthRequest) == fifthResponse)
    check(locked.ask(commit) == denied, "the session is no property of the link")
    check(locked.ask(status) == state(true, false, nonce: 2))
    check(locked.send(closing) == hex("0b01000900480809 a2 a178e95a2d97b8e6"))
    check(locked.ask(hex("0a01000d00030002 00000007") + [UInt8](repeating: 0, count: 9)) == refusal(8))
  }

  @Test("the same bytes come from the host's end")
  func literalHost() {
    var host = TestHost(
      key: Array(0..<32), serial: "0123456789AB", deviceNonce: [UInt8](repeating: 1, count: 16))
    check(
      TestHost.opening(
        key: Array(0..<32), serial: "0123456789AB", deviceNonce: [UInt8](repeating: 1, count: 16)
      ).suffix(32)
        == hostProof[...])
    check(host.seal(commit) == firstRequest)
    for _ in 0..<3 { _ = host.seal(commit) }
    check(host.seal(hex("0800000600480708 A1 63 736571 03")) == fifthRequest)
    check(host.open(fifthResponse) == hex("A1 64 64617461 44 DEADBEEF"))
    check(host.open(fifthResponse, number: 4) == nil && host.open(firstResponse) == nil)
    check(host.open(firstResponse, number: 1) == [0xA0])
    for bit in 0..<fifthResponse.count * 8 {
      var wrong = fifthResponse
      wrong[bit / 8] ^= 1 << UInt8(bit % 8)
      check(host.open(wrong, number: 5) == nil, "bit \(bit)")
    }
  }

  @Test("a sealed request is served once, in order, and unchanged; the session goes on whatever else comes")
  func numbers() {
    var locked = LockedDevice()
    check(locked.unlock().count == 41)
    let packets = (0..<4).map { _ in locked.hosts[0]?.seal(commit) ?? [] }
    check(locked.serve(packets[1], number: 2) == [0xA0])
    check(locked.ask(packets[1]) == refusal(8), "repeated")
    check(locked.ask(packets[0]) == refusal(8), "reordered")
    for bit in 0..<packets[2].count * 8 {
      var wrong = packets[2]
      wrong[bit / 8] ^= 1 << UInt8(bit % 8)
      let answer = locked.send(wrong)
      check(answer.isEmpty || locked.hosts[0]?.open(answer, number: 3) == nil, "bit \(bit)")
      check(answer.count < 2 || answer[1] == 0, "bit \(bit) is answered unsealed")
    }
    check(locked.ask(Array(packets[2].dropLast())) == refusal(8), "cut off")
    check(locked.ask(hex("0a01000c00030002 00000009") + packets[2].suffix(8)) == refusal(8), "inserted")
    check(locked.serve(packets[3], number: 4) == [0xA0], "a number may be left out")
    check(locked.ask(packets[2]) == refusal(8))
    // A wrong number counts only once its tag was right.
    check(locked.ask(hex("0a01000d00030002 FFFFFFFF") + [UInt8](repeating: 0, count: 9)) == refusal(8))
    check(locked.isOpen())
  }

  @Test("a request of one session is none of another: of the same key, or on another link")
  func otherSessions() {
    var locked = LockedDevice(links: 2)
    check(locked.unlock().count == 41)
    let earlier = locked.hosts[0]?.seal(commit) ?? []
    check(locked.ask(earlier, on: 1) == refusal(8), "no session")
    check(locked.unlock(on: 1).count == 41 && locked.ask(earlier, on: 1) == refusal(8))
    check(locked.unlock().count == 41 && locked.ask(earlier) == refusal(8))
    check(locked.isOpen() && locked.isOpen(on: 1))
  }

  @Test("an error is sealed like any response; a response fills the packet to its end and no further")
  func responses() {
    var locked = LockedDevice()
    check(locked.unlock().count == 41)
    check(locked.exchange(hex("0800000600480708 A1 63 736571 09")) == refusal(2), "no such page")
    check(locked.exchange(hex("0A00000100090000 A0")) == hex("A1 62 7263 08"), "no such group")
    locked.device.pages[3] = .init(repeating: 7, count: 2000)
    // Of 512 bytes 8 are the header's, 8 the tag's, 9 the map's.
    check(locked.exchange(hex("0800000600480708 A1 63 736571 03"))?.count == 496)
    let parameters = locked.exchange(hex("0800000100000006 A0"))
    check(parameters?.starts(with: hex("A2 68 6275665F73697A65 190200")) == true, "\(parameters ?? [])")
    // What opens a session is not sealed.
    check(locked.exchange(TestHost.opening(proof: hostProof)) == hex("A1 62 7263 03") && locked.isOpen())
  }

  @Test("a nonce is good for one proof, on its own link: what was heard before opens nothing")
  func replay() {
    var locked = LockedDevice(links: 2)
    _ = locked.ask(status)
    let opening = TestHost.opening(proof: hostProof)
    check(locked.ask(opening, on: 1) == refusal(6), "no nonce was given out on this link")
    locked.now = locked.now + .seconds(1)
    check(locked.ask(opening).count == 41)
    locked.hosts[0] = TestHost(
      key: locked.key, serial: locked.device.serial, deviceNonce: .init(repeating: 1, count: 16))
    check(locked.isOpen())
    check(locked.ask(opening) == refusal(6) && locked.isOpen(), "a wrong proof takes nothing away")
    locked.links[0].endSession()
    locked.now = locked.now + .seconds(1)
    check(locked.ask(opening) == refusal(6) && !locked.isOpen())
    locked.now = locked.now + .seconds(2)
    // Another nonce was asked for.
    _ = locked.ask(status)
    check(locked.ask(opening) == refusal(6))
  }

  @Test("a proof is bound to serial number and both nonces, and is not that of the other side")
  func binding() {
    for change in ["serial", "nonce", "reflected"] {
      var locked = LockedDevice()
      if change == "serial" { locked.device.serial = "0123456789AC" }
      _ = locked.ask(status)
      var opening = TestHost.opening(proof: change == "reflected" ? deviceProof : hostProof)
      if change == "nonce" { opening[20] ^= 1 }
      check(locked.ask(opening) == refusal(6), "\(change)")
    }
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
    check(
      locked.unlock().count == 41 && locked.isOpen() && !locked.isOpen(on: 1) && !locked.isOpen(on: 2))
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
    check(locked.unlock().count == 41 && locked.isOpen())
  }

  @Test("a session ends with its link and with silence, which requests of others do not break")
  func sessions() {
    var locked = LockedDevice(links: 2)
    check(locked.unlock().count == 41 && locked.isOpen() && !locked.isOpen(on: 1))
    check(locked.unlock(on: 1).count == 41 && locked.isOpen(on: 1))
    locked.links[0].endSession()
    check(!locked.isOpen() && locked.isOpen(on: 1))
    check(locked.unlock().count == 41)
    for _ in 0..<3 {
      locked.now = locked.now + .milliseconds(299_999)
      _ = locked.ask(hex("08000001 0048 0000 A0"))
      _ = locked.ask(hex("0a01000d00030002 FFFFFFFF") + [UInt8](repeating: 0, count: 9))
      check(locked.isOpen(on: 1))
    }
    check(!locked.isOpen(), "five minutes without a request of its own")
    locked.now = locked.now + .minutes(5)
    check(!locked.isOpen(on: 1))
  }

  @Test("a session that its host closed serves nothing any more; what was rejected is counted")
  func closed() {
    var locked = LockedDevice()
    check(locked.unlock().count == 41 && locked.isOpen())
    #expect(locked.links[0].statistic(3) == 0)
    check(locked.exchange(hex("0A000001 0048 0009 A0")) == [0xA0])
    check(!locked.isOpen() && !locked.isOpen())
    #expect(locked.links[0].statistic(3) == 2)
    // Nor can anything but a sealed request close one, where there is no key either.
    locked.device.accessKey = []
    check(locked.ask(hex("0A000001 0048 0009 A0")) == refusal(8))
  }

  @Test("whoever asks for a nonce, or fails to prove, does not disturb the session that is open")
  func undisturbed() {
    var locked = LockedDevice()
    check(locked.unlock().count == 41)
    _ = locked.ask(status)
    check(locked.isOpen())
    check(locked.unlock([UInt8](repeating: 7, count: 32)) == refusal(6) && locked.isOpen())
    check(locked.ask(hex("0A000001 0048 0009 A0")) == refusal(8) && locked.isOpen(), "nor closes it")
  }

  @Test("a device without a key has no sessions: no proof is right, not that of a key of zeros either")
  func withoutKey() {
    var open = LockedDevice()
    open.device.accessKey = []
    check(open.ask(status) == state(false, true, nonce: 1))
    check(open.unlock([UInt8](repeating: 0, count: 32)) == refusal(6) && open.unlock() == refusal(6))
    check(open.ask(status).suffix(2) == hex("74 00"), "there is nothing to guess")
    check(open.ask(commit) == [0xA0] && open.ask(firstRequest) == refusal(8))
  }

  @Test("what is malformed proves nothing and counts for nothing")
  func malformed() {
    var locked = LockedDevice()
    _ = locked.ask(status)
    let nonce = "65 6E6F6E6365 50 A0A1A2A3A4A5A6A7A8A9AAABACADAEAF"
    let wrongs = [
      "A0", "A1 65 70726F6F66 41 00", "A1 65 70726F6F66 6161", "80", "A1 65 70726F6F66 5821", "A1 \(nonce)",
      "A2 \(nonce) 65 70726F6F66 41 00", "A2 65 6E6F6E6365 41 00 65 70726F6F66 41 00",
    ]
    for body in wrongs {
      let bytes = hex(body)
      check(
        locked.ask(hex("0A0000") + [UInt8(bytes.count)] + hex("0048 0005") + bytes) == hex("A1 62 7263 03"))
    }
    check(locked.ask(TestHost.opening(proof: hostProof)).count == 41)
  }

  /// Every command that a device knows, and whether it needs the key: operation (0 read, 2 write), group,
  /// command. One that is added has to be added here, as the test below asks for every number there is.
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
    (0, 72, 0, false), (2, 72, 0, true),  // status of the log; and that once it has been committed
    (0, 72, 1, true),  // pages of the log
    (0, 72, 2, false),  // restart report
    (0, 72, 3, false), (2, 72, 3, false),  // factory reset
    (2, 72, 4, true),  // acknowledgement
    (0, 72, 5, false), (2, 72, 5, false),  // access
    (0, 72, 6, true),  // live
    (0, 72, 7, true),  // payload
    (0, 72, 8, true),  // the log as a stream
    (2, 72, 9, true),  // end of a session
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
          let isRefused = locked.ask(packet) == (group == 72 ? refusal(8) : denied)
          #expect(isRefused == (entry?.needsKey ?? true), "\(operation) \(group) \(command)")
          var new = LockedDevice()
          new.device.accessKey = []
          new.device.staysOpen = false
          let isLog =
            Self.logCommands.contains { $0 == (operation, group, command) }
            || (group == 8 && !(operation == 2 && command == 0) && command < 16)
          #expect(
            (new.ask(packet) == (group == 72 ? refusal(12) : denied)) == isLog,
            "\(operation) \(group) \(command) in set-up")
        }
      }
    }
  }

  /// What a device that is being set up refuses, beside reading files: reads of the log, live events, the
  /// acknowledgement.
  private static let logCommands: [(operation: UInt8, group: UInt16, command: UInt8)] = [
    (2, 72, 0), (0, 72, 1), (0, 72, 6), (0, 72, 8), (2, 72, 4),
  ]

  @Test("a device that is being set up serves its log once it was told to stay open, or in a session")
  func setUp() {
    var new = LockedDevice()
    new.device.accessKey = []
    new.device.staysOpen = false
    let read = hex("0800000600480008 A1 63 736571 03")
    check(new.ask(status) == state(false, false, nonce: 1) && new.ask(read) == refusal(12))
    check(new.ask(hex("0000000600480008 A1 63 736571 03")) == hex("A1 62 7263 0B"), "version 1")
    // {"name": "access/stay-open", "val": 01}
    let told = hex("A2 64 6E616D65 70") + Array("access/stay-open".utf8) + hex("63 76616C 41 01")
    check(new.ask(hex("0A00001D00030000") + told) == [0xA0])
    check(new.ask(status) == state(false, true, nonce: 2) && new.ask(read).last == 0xEF)
    new.device.accessKey = new.key
    check(new.ask(read) == refusal(8), "with a key the setting counts for nothing")
    check(new.ask(status) == state(true, false, nonce: 3) && new.unlock().count == 41)
    check(new.exchange(read)?.last == 0xEF)
  }

  @Test(
    "a locked device refuses by the general code 11, access denied, in version 1 and in the groups of MCUmgr")
  func former() {
    var locked = LockedDevice()
    check(locked.ask(hex("02000001 0000 0005 A0")) == hex("A1 62 7263 0B") && locked.device.restarts == 0)
    check(locked.ask(hex("0A000001 0000 0005 A0")) == denied && locked.device.restarts == 0)
    check(locked.ask(hex("00000001 0048 0008 A0")) == denied)
    check(locked.unlock().count == 41)
    check(locked.exchange(hex("02000001 0000 0005 A0")) == [0xA0] && locked.device.restarts == 1)
  }
}
