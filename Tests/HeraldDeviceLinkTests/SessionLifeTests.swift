import HeraldDeviceLink
import HeraldHAL
import TestInputs
import Testing

@Suite("The life of a session")
struct SessionLifeTests {
  private let echo = hex("0A000006 0000 0100 A1 61 64 62 6869")
  private let commit = hex("0A000001 0003 0002 A0")
  private let closing = hex("0A000001 0048 0809 A0")
  private let challenge = hex("08000001 0048 0005 A0")

  /// What hosts do with a device for a while: sessions that are opened, used, closed, left or refused.
  private func use(_ locked: inout LockedDevice, _ random: inout SplitMix64) {
    for _ in 0..<(random.next() % 25) {
      locked.now = locked.now + .seconds([1, 10, 100, 299, 300, 400][Int(random.next() % 6)])
      switch random.next() % 9 {
      case 0, 1: _ = locked.unlock()
      case 2: _ = locked.unlock([UInt8](repeating: 7, count: 32))
      case 3: _ = locked.ask(challenge)
      case 4: _ = locked.exchange(closing)
      case 5: locked.links[0].endSession()
      default:
        for _ in 0...(random.next() % 9) { _ = locked.hosts[0]?.seal(echo) }
        _ = locked.exchange(echo)
      }
    }
    // No proof is refused because of those before it.
    locked.now = locked.now + .seconds(61)
  }

  @Test("a session is served like the first of a device, whichever it replaces, and however they ended")
  func replaced() {
    for seed in 0..<60 as Range<UInt64> {
      var random = SplitMix64(seed: seed)
      var used = LockedDevice()
      use(&used, &random)
      var former = used.hosts[0]
      var fresh = LockedDevice()
      fresh.now = used.now
      fresh.device.nonces = used.device.nonces
      check(used.unlock() == fresh.unlock(), "seed \(seed)")
      // What the former host still sends belongs to no session.
      if let sealed = former?.seal(commit) { check(used.ask(sealed) == refusal(8), "seed \(seed)") }
      for number in 0..<30 {
        let packet = [echo, commit, closing, challenge][random.next() % 12 == 0 ? 2 : Int(random.next() % 2)]
        let wait = Interval.seconds(random.next() % 9 == 0 ? 301 : UInt32(random.next() % 60))
        used.now = used.now + wait
        fresh.now = fresh.now + wait
        let sealed = used.hosts[0]?.seal(packet) ?? []
        let times = random.next() % 5 == 0 ? 2 : 1
        for _ in 0..<times {
          check(used.send(sealed) == fresh.send(sealed), "seed \(seed), request \(number)")
        }
        let isValid = used.links[0].hasSession(at: used.now) == fresh.links[0].hasSession(at: fresh.now)
        check(isValid, "seed \(seed), request \(number)")
      }
    }
  }

  @Test("a link whose session was ended is as one that had none: what its hosts had proved opens nothing")
  func ended() {
    for seed in 0..<60 as Range<UInt64> {
      var random = SplitMix64(seed: seed)
      var used = LockedDevice()
      use(&used, &random)
      if random.next() % 2 == 0 { _ = used.unlock() }
      if random.next() % 2 == 0 { _ = used.ask(challenge) }
      let nonce = [UInt8](repeating: used.device.nonces, count: 16)
      used.links[0].endSession()
      let isValid = used.links[0].hasSession(at: used.now)
      check(!isValid, "seed \(seed)")
      if let sealed = used.hosts[0]?.seal(commit) { check(used.ask(sealed) == refusal(8), "seed \(seed)") }
      // Too early: the nonce is gone with the session, and the proof is no guess.
      let opening = TestHost.opening(key: used.key, serial: used.device.serial, deviceNonce: nonce)
      var fresh = LockedDevice()
      fresh.now = used.now
      check(used.ask(opening) == fresh.ask(opening), "seed \(seed)")
      check(used.unlock().count == 41, "seed \(seed)")
      check(used.isOpen(), "seed \(seed)")
    }
  }
}
