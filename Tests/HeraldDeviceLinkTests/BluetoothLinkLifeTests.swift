import HeraldBluetooth
import HeraldHAL
import HeraldSimulation
import TestInputs
import Testing

@testable import HeraldDeviceLink

@Suite("The life of the management link over Bluetooth")
struct BluetoothLinkLifeTests {
  private static let echo = hex("0A000007 0000 0500 A1 61 64 63 686921")
  /// A response of several notifications.
  private static let longEcho =
    hex("0A000064 0000 0600 A1 61 64 78 5F") + [UInt8](repeating: 0x41, count: 95)
  private static let requests = [echo, longEcho, hex("0800000A 0000 0107 A1 66 666F726D6174 61 6E")]

  /// One step of a client: a request, a part of one, or a sealed one; the radio may accept nothing for a
  /// time. What the client gets, opened; of what is sealed with other nonces only the length.
  private static func step(
    _ badge: inout RadioBadge, _ host: inout TestHost?, _ random: inout SplitMix64, on index: Int
  ) -> String {
    let request = requests[Int(random.next() % 3)]
    let part = [20, 100, 244][Int(random.next() % 3)]
    let wait = Interval.milliseconds(UInt32(random.next() % 700))
    switch random.next() % 9 {
    case 0:
      return shown(badge.ask(Array(request.prefix(1 + Int(random.next() % 30))), on: index, part: part), host)
    case 1: badge.device.node.radio.hasBackpressure = true
    case 2:
      badge.device.node.radio.hasBackpressure = false
      badge.device.node.radio.happen(.readyToSend(ConnectionID(index: index)))
      badge.run()
      return shown(badge.sent(on: index).flatMap { $0 }, host)
    case 3: badge.pass(wait)
    case 4, 5:
      guard let sealed = host?.seal(request) else { break }
      let answer = badge.ask(sealed, on: index, part: part)
      return "\(answer.count) \(host?.open(answer) ?? [])"
    default: return shown(badge.ask(request, on: index, part: part), host)
    }
    return ""
  }

  private static func shown(_ bytes: [UInt8], _ host: TestHost?) -> String {
    host == nil ? "\(bytes)" : "\(bytes.count)"
  }

  /// A client connects, with the smallest ATT_MTU or the largest, and with a session or not.
  private static func connect(
    _ badge: inout RadioBadge, _ random: inout SplitMix64, on index: Int
  ) -> TestHost? {
    badge.open(index)
    if random.next() % 2 == 0 { _ = badge.send(hex("02 F700"), on: index) }
    _ = badge.send(hex("12 1900 0100"), on: index)
    return random.next() % 2 == 0 ? badge.unlock(on: index) : nil
  }

  @Test("a client is served as the first one, whatever its predecessors left, and however they went")
  func clients() {
    for seed in 0..<30 as Range<UInt64> {
      var random = SplitMix64(seed: seed)
      var used = RadioBadge()
      used.lock()
      for _ in 0..<(1 + random.next() % 3) {
        let index = Int(random.next() % 2)
        var host = Self.connect(&used, &random, on: index)
        for _ in 0..<(random.next() % 12) { _ = Self.step(&used, &host, &random, on: index) }
        used.device.node.radio.happen(.closed(ConnectionID(index: index), .remoteUserTerminated))
        // The next client may come before the link is served.
        if random.next() % 2 == 0 { used.run() }
      }
      used.run()
      used.device.node.radio.hasBackpressure = false
      var fresh = RadioBadge()
      fresh.lock()
      fresh.now = used.now
      used.pass(.seconds(61))
      fresh.pass(.seconds(61))
      var copy = random
      var host = Self.connect(&used, &random, on: 1)
      var freshHost = Self.connect(&fresh, &copy, on: 1)
      check((host == nil) == (freshHost == nil), "seed \(seed)")
      for number in 0..<20 {
        copy = random
        let seen = Self.step(&used, &host, &random, on: 1)
        let expected = Self.step(&fresh, &freshHost, &copy, on: 1)
        guard seen == expected else {
          Issue.record("seed \(seed), step \(number): \(seen) instead of \(expected)")
          return
        }
      }
    }
  }
}
