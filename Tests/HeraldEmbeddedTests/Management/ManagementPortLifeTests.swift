import HeraldBluetooth
import HeraldHAL
import TestInputs
import Testing

@testable import HeraldEmbedded

@Suite("The life of a client of the management link over Bluetooth")
struct ManagementPortLifeTests {
  /// A write that begins a packet, one that continues it, or garbage.
  private static func value(_ random: inout SplitMix64) -> [UInt8] {
    let length = UInt8(random.next() % 30)
    let body = (0..<length).map { _ in UInt8(truncatingIfNeeded: random.next()) }
    switch random.next() % 6 {
    case 0: return random.bytes()
    case 1, 2: return Array(body.prefix(20))
    default: return [0x0A, 0, 0, length, 0, 0, 1, 0] + body.prefix(Int(random.next() % 31))
    }
  }

  @Test("what is received from a client does not depend on what its predecessor left, nor on how that ended")
  func clients() {
    for seed in 0..<300 as Range<UInt64> {
      var random = SplitMix64(seed: seed)
      var port = BluetoothManagementPort<64>()
      port.isOpen = true
      var now = Instant(milliseconds: 5000)
      for _ in 0..<(random.next() % 30) {
        now = now + .milliseconds(UInt32(random.next() % 600))
        let value = Self.value(&random)
        port.receive(value.span, on: ConnectionID(index: Int(random.next() % 2)), at: now)
        if random.next() % 5 == 0 { _ = Self.take(&port) }
        // Both are set for a client.
        if random.next() % 4 == 0, port.client != nil { port.trustedAt = now }
        if random.next() % 4 == 0, port.client != nil { port.blocksSince = now }
        if random.next() % 9 == 0 { port.closed(ConnectionID(index: Int(random.next() % 2))) }
      }
      for index in 0..<2 { port.closed(ConnectionID(index: index)) }
      var fresh = BluetoothManagementPort<64>()
      fresh.isOpen = true
      let before = (0..<3).map { port.statistic($0) }
      for number in 0..<40 {
        now = now + .milliseconds(UInt32(random.next() % 600))
        let value = Self.value(&random)
        port.receive(value.span, on: ConnectionID(index: 1), at: now)
        fresh.receive(value.span, on: ConnectionID(index: 1), at: now)
        let takes = random.next() % 3 == 0
        let (first, second) = takes ? (Self.take(&port), Self.take(&fresh)) : ([], [])
        let counts = (0..<3).map { port.statistic($0) - before[$0] }
        let expected = (0..<3).map { fresh.statistic($0) }
        let isSame =
          port.client == fresh.client && port.trustedAt == fresh.trustedAt
          && port.blocksSince == fresh.blocksSince
        guard first == second, counts == expected, isSame else {
          Issue.record("seed \(seed), write \(number): \(first) \(counts) instead of \(second) \(expected)")
          return
        }
      }
    }
  }

  private static func take(_ port: inout BluetoothManagementPort<64>) -> [UInt8] {
    var packet = [UInt8](repeating: 0xEE, count: 64)
    var room = packet.mutableSpan
    let count = port.take(into: &room)
    return Array(packet[..<count])
  }
}
