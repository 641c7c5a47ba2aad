import HeraldDeviceLink
import HeraldEmbedded
import HeraldHAL
import Testing

@Suite("Access control")
struct AccessTests {
  private let status = hex("08000001 0048 0005 A0")
  /// Settings, commit: a request that needs a session.
  private let commit = hex("0A000001 0003 0002 A0")

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
    check(locked.ask(status) == accessState(true, false, nonce: 1))
    check(locked.ask(TestHost.opening(proof: hostProof)) == hex("A1 65 70726F6F66 5820") + deviceProof)
    check(locked.send(firstRequest) == firstResponse)
    check(locked.send(fifthRequest) == fifthResponse)
    check(locked.ask(commit) == accessDenied, "the session is no property of the link")
    check(locked.ask(status) == accessState(true, false, nonce: 2))
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

  @Test("a sealed request is served once, in order, and unchanged; the session continues whatever else comes")
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
    check(locked.ask(opening, on: 1) == refusal(7), "no nonce was given out on this link")
    check(locked.ask(opening).count == 41, "which was no guess")
    locked.hosts[0] = TestHost(
      key: locked.key, serial: locked.device.serial, deviceNonce: .init(repeating: 1, count: 16))
    check(locked.isOpen())
    check(locked.ask(opening) == refusal(7) && locked.isOpen(), "a proof that comes twice takes nothing away")
    locked.links[0].endSession()
    locked.now = locked.now + .seconds(1)
    check(locked.ask(opening) == refusal(7) && !locked.isOpen())
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
      locked.ask(status, on: 2) == accessState(true, false, nonce: locked.device.nonces, wait: "1903E8"),
      "a second again")
  }

  @Test(
    "a start is no way around that: for four seconds after it no proof is looked at, not even a right one")
  func start() {
    var locked = LockedDevice()
    locked.now = .start
    check(locked.unlock() == refusal(7) && !locked.isOpen())
    check(locked.ask(status) == accessState(true, false, nonce: locked.device.nonces, wait: "190FA0"))
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
    check(open.ask(status) == accessState(false, true, nonce: 1))
    check(open.unlock([UInt8](repeating: 0, count: 32)) == refusal(6) && open.unlock() == refusal(6))
    check(open.ask(status).suffix(2) == hex("74 00"), "there is nothing to guess")
    check(open.ask(commit) == [0xA0] && open.ask(firstRequest) == refusal(8))
  }

  @Test("what is malformed proves nothing and has no effect")
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
}
