import HeraldBluetooth
import HeraldHAL
import HeraldLinkLayer
import HeraldSimulation
import TestInputs
import Testing

extension SplitMix64 {
  fileprivate mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }
}

/// A controller that may be connected to, and a central.
private final class Pair {
  let medium: RadioMedium
  let device: ControllerDevice
  var central: ScriptedCentral
  private var devices = 2

  init() {
    medium = RadioMedium(seed: 3)
    device = ControllerDevice(medium, 0)
    central = ScriptedCentral(medium, 1)
    device.enableEvents()
  }

  func run(_ count: Int) {
    medium.run(until: medium.time + milliseconds(count))
    device.drain()
  }

  /// Another central takes the place of the one before, which is heard no more.
  func replaceCentral() {
    central.vanish()
    central = ScriptedCentral(medium, devices)
    central.accessAddress = 0x5065_5DA5 &+ UInt32(devices) &* 0x0101_0100
    devices += 1
  }

  /// What the host was told since the last call.
  func told() -> [[UInt8]] {
    defer { device.forget() }
    return device.packets
  }

  /// The host sends a data packet of this many bytes on handle 1.
  func send(_ count: Int) {
    device.send([2, 1, 0, UInt8(count), 0] + [UInt8](repeating: UInt8(count), count: count))
  }

  /// Advertises, and is connected to. The central's host has other packets from then on.
  func connect() {
    _ = device.result(0x2006, "2000 2000 00 00 00 000000000000 01 00")
    _ = device.result(0x200A, "01")
    central.timeout = 100
    central.connect()
    run(200)
  }
}

@Suite("The life of an HCI controller")
struct ControllerLifeTests {
  /// Commands that set something, with valid parameters and not.
  private static let commands: [(UInt16, String)] = [
    (0x0C01, "ffffffffffffffff"), (0x0C01, "1000000000000000"), (0x2001, "1f00000000000000"),
    (0x2001, "0200000000000000"), (0x2005, "a1a2a3a4a5c6"), (0x2006, "2000 2000 00 00 00 000000000000 01 00"),
    (0x2006, "a000 a000 03 01 00 000000000000 01 02"), (0x2006, "2000 2000 02 00 00 000000000000 01 01"),
    (0x2008, "03 020106" + zeros(28)), (0x2009, "02 0109" + zeros(29)), (0x200A, "01"), (0x200A, "00"),
    (0x200B, "01 1000 1000 00 00"), (0x200B, "00 2000 1000 01 01"), (0x200C, "01 01"), (0x200C, "00 00"),
    (0x200D, "1000 1000 01 00 000403020100 00 1800 1800 0000 c800 0000 0000"),
    (0x200D, "1000 1000 00 00 0a0403020100 00 1800 1800 0000 c800 0000 0000"), (0x200E, ""),
    (0x200F, ""), (0x2010, ""), (0x2011, "00 010203040506"), (0x2012, "00 010203040506"),
    (0x2011, "01 0102030405c6"), (0x2014, "00ff000000"), (0x2014, "ffffffff1f"), (0x0C31, "01"),
    (0x0C31, "00"), (0x0C33, "1b00 00 0200 0000"), (0x0C33, "4000 00 0700 0000"),
    (0x0C33, "0100 00 0100 0000"),
    (0x2007, ""), (0x1009, ""), (0x2015, "0100"), (0x1405, "0100"), (0x041D, "0100"), (0x2016, "0100"),
    (0x2002, ""),
  ]

  private static func zeros(_ count: Int) -> String { String(repeating: "00", count: count) }

  @Test("a controller is after HCI_Reset as one that was just created, whatever its host and its peers did")
  func reset() {
    for seed in 0..<100 as Range<UInt64> {
      var random = SplitMix64(seed: seed)
      let used = Pair()
      if random.below(2) == 0 {
        used.connect()
        used.central.queue = (0..<random.below(9)).map { (2, [UInt8($0), 0, 4, 0]) }
      }
      for _ in 0..<random.below(30) {
        let (opcode, parameters) = Self.commands[random.below(Self.commands.count)]
        _ = used.device.result(opcode, parameters)
        if random.below(4) == 0 { used.send(1 + random.below(27)) }
        used.device.isStalled = random.below(5) == 0
        if random.below(3) == 0 { used.run(random.below(60)) }
      }
      used.device.isStalled = false
      // A part of a packet that is never completed ends with what its host sends.
      used.central.vanish()
      used.run(1)
      for _ in 0..<3 where used.device.result(0x0C03) != [0] { used.run(20) }
      _ = used.told()
      let fresh = Pair()
      fresh.central.vanish()
      _ = fresh.device.result(0x0C03)
      _ = fresh.told()
      // The commands first, one by one; then a connection, and data both ways.
      for number in 0..<random.below(20) {
        let (opcode, parameters) = Self.commands[random.below(Self.commands.count)]
        let (seen, expected) = (
          used.device.result(opcode, parameters), fresh.device.result(opcode, parameters)
        )
        guard seen == expected else {
          Issue.record("seed \(seed), command \(number), \(opcode): \(seen) instead of \(expected)")
          return
        }
      }
      for pair in [used, fresh] {
        for (opcode, parameters) in [(0x200A, "00"), (0x200C, "00 00"), (0x200E, ""), (0x2010, "")]
          as [(UInt16, String)]
        {
          _ = pair.device.result(opcode, parameters)
        }
        pair.device.enableEvents()
        _ = pair.told()
        pair.replaceCentral()
        pair.connect()
        pair.central.queue = (0..<6).map { (2, [UInt8($0), 0, 4, 0]) }
        for _ in 0..<4 {
          pair.send(9)
          pair.run(100)
        }
      }
      let (seen, expected) = (used.told(), fresh.told())
      #expect(seen == expected, "seed \(seed)")
      let (got, expectedAtPeer) = (used.central.got.map(\.payload), fresh.central.got.map(\.payload))
      #expect(got == expectedAtPeer, "seed \(seed)")
      if seen != expected { return }
    }
  }

  @Test("a connection is as the first one in its place: buffers, flow control and sequence numbers")
  func connections() {
    for seed in 0..<40 as Range<UInt64> {
      var random = SplitMix64(seed: seed)
      let pairs = [Pair(), Pair()]
      let hasFlow = random.below(2) == 0
      for pair in pairs where hasFlow {
        _ = pair.device.result(0x0C33, "1b00 00 0200 0000")
        _ = pair.device.result(0x0C31, "01")
      }
      // Only the first pair has connections before.
      let used = pairs[0]
      for _ in 0..<(1 + random.below(2)) {
        used.replaceCentral()
        used.central.queue = (0..<random.below(12)).map {
          (random.below(4) == 0 ? 3 : 2, [UInt8($0), 0, 4, 0])
        }
        used.connect()
        let isDeafFrom = random.below(30)
        used.central.isDeaf = { $0 >= isDeafFrom }
        for _ in 0..<random.below(12) {
          used.send(1 + random.below(27))
          if random.below(3) == 0 { _ = used.device.result([0x2016, 0x041D][random.below(2)], "0100") }
          used.run(random.below(80))
        }
        switch random.below(3) {
        case 0: used.central.queue.append((3, [2, 0x13]))
        case 1: _ = used.device.result(0x0406, "0100 13")
        default: break
        }
        used.run(100)
        used.central.vanish()
        used.run(3000)
        // The host is told of the end behind all data, for which it has to have room.
        for _ in 0..<20 where used.device.events(0x05).isEmpty {
          used.device.command(0x0C35, hexBytes("01 0100 0100"))
          used.run(20)
        }
        #expect(used.device.events(0x05).count == 1, "seed \(seed)")
        used.device.forget()
      }
      for pair in pairs {
        _ = pair.told()
        pair.replaceCentral()
        pair.connect()
        pair.central.queue = (0..<5).map { (2, [UInt8($0), 0, 4, 0]) } + [(3, [0x0C, 6, 0xFF, 0xFF, 0, 1])]
        for _ in 0..<5 { pair.send(11) }
        pair.run(300)
        _ = pair.device.result(0x041D, "0100")
        pair.run(300)
        pair.central.queue.append((3, [2, 0x13]))
        pair.run(300)
      }
      let (seen, expected) = (pairs[0].told(), pairs[1].told())
      let (got, expectedAtPeer) = (pairs[0].central.got.map(\.payload), pairs[1].central.got.map(\.payload))
      guard seen == expected, got == expectedAtPeer else {
        Issue.record("seed \(seed): \(seen) \(got) instead of \(expected) \(expectedAtPeer)")
        return
      }
    }
  }
}
