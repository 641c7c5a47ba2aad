import HeraldBluetooth
import HeraldHAL
import TestInputs
import Testing

@testable import HeraldHCI

extension SplitMix64 {
  fileprivate mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }
}

@Suite("The life of connections over HCI")
struct ConnectionLifeTests {
  /// A handle of a connection, as on the line.
  private static func handle(_ number: Int) -> String { "0\(number)00" }

  /// An ACL packet of the peer.
  private static func acl(_ number: Int, _ isStart: Bool, _ payload: [UInt8]) -> String {
    "020\(number)\(isStart ? "2" : "1")0" + hex([UInt8(payload.count), 0]) + hex(payload)
  }

  /// One step of a history on the connections with these handles, and what was seen of it.
  private static func step(_ bench: inout Bench, _ random: inout SplitMix64, _ handles: [Int]) -> String {
    let number = handles[random.below(handles.count)]
    let index = random.below(handles.count)
    var seen = ""
    switch random.below(14) {
    case 0, 1: bench.arrive(acl(number, true, [3, 0, 4, 0, 0x0A, 3, 0]))
    case 2: bench.arrive(acl(number, true, [UInt8(20 + random.below(60)), 0, 4, 0, 0x12, 1, 0]))
    case 3: bench.arrive(acl(number, false, [UInt8](repeating: 5, count: random.below(40))))
    case 4: bench.arrive(acl(number, true, [0xFF, 1, 4, 0, 0x0A]))
    case 5:
      bench.arrive(acl(number, true, [UInt8(6), 0, 5, 0, 0x30, UInt8(1 + random.below(9)), 2, 0, 1, 0]))
    case 6:
      let timing = [UInt8](hexTiming[random.below(2)])
      bench.arrive(acl(number, true, [12, 0, 5, 0, 0x12, UInt8(1 + random.below(9)), 8, 0] + timing))
    case 7: bench.arrive(acl(number, true, [7, 0, 6, 0, 1, 0, 0, 0, 0, 0, 0]))
    case 8, 9:
      let pdu = [UInt8(random.below(2) == 0 ? 0x02 : 0x1B)] + [UInt8](repeating: 8, count: random.below(90))
      seen = "\(String(describing: bench.sendRefusal(pdu, on: index)))"
      bench.poll()
    case 10: bench.arrive("04130501\(handle(number))0\(random.below(4))00")
    case 11: bench.radio.transport.room = random.below(3)
    // LE Long Term Key Request.
    case 12: bench.arrive("043e0d 05 \(handle(number)) 0011223344556677 8899")
    default: bench.radio.transport.room = .max
    }
    bench.now = bench.now + .milliseconds(UInt32(random.below(30)))
    return seen + "\(bench.answerAll()) \(bench.events()) \(bench.sent())"
  }

  @Test(
    "a connection begins as on a controller that had none before, and the controller's buffers are all free",
    arguments: ["040e07010220001b0040", "040e07010220001b0003", "040e07010220001b0001"])
  func connections(buffers: String) throws {
    for seed in 0..<120 as Range<UInt64> {
      var random = SplitMix64(seed: seed)
      var used = Bench.ready(buffers: buffers)
      used.recorder.answer = { [UInt8](repeating: $0[0] &+ 1, count: 60) }
      let handles = Array(1...(1 + random.below(3)))
      for number in handles {
        try used.connect(as: number > 1 ? .peripheral : .central, handle: Self.handle(number))
      }
      for _ in 0..<random.below(40) { _ = Self.step(&used, &random, handles) }
      used.radio.transport.room = .max
      // The peers leave, in any order, some after this side has disconnected.
      if random.below(2) == 0 { used.radio.disconnect(ConnectionID(index: 0)) }
      for number in handles.shuffled(using: &random) { used.arrive("040504 00 \(Self.handle(number)) 13") }
      _ = used.answerAll()
      _ = used.events()
      _ = used.sent()
      var fresh = Bench.ready(buffers: buffers)
      fresh.recorder.answer = used.recorder.answer
      fresh.now = used.now
      let (credits, all) = (used.radio.credits, fresh.radio.credits)
      #expect(credits == all, "seed \(seed)")
      let role = random.below(2) == 0 ? ConnectionRole.peripheral : .central
      try used.connect(as: role, handle: Self.handle(7))
      try fresh.connect(as: role, handle: Self.handle(7))
      for number in 0..<40 {
        var copy = random
        let seen = Self.step(&used, &random, [7])
        let expected = Self.step(&fresh, &copy, [7])
        guard seen == expected else {
          Issue.record("seed \(seed), step \(number): \(seen) instead of \(expected)")
          return
        }
      }
    }
  }

  @Test("a controller that was brought up again is used as one that was never lost, whatever it was doing")
  func broughtUpAgain() throws {
    for seed in 0..<60 as Range<UInt64> {
      var random = SplitMix64(seed: seed)
      var used = Bench.ready(buffers: "040e07010220001b0003")
      used.recorder.answer = { [UInt8](repeating: $0[0] &+ 1, count: 60) }
      try Self.start(&used, &random)
      let handles = Array(1...(1 + random.below(3)))
      for number in handles { try used.connect(as: .peripheral, handle: Self.handle(number)) }
      for _ in 0..<random.below(30) { _ = Self.step(&used, &random, handles) }
      // The controller starts again, of itself: Hardware Error.
      used.radio.transport.room = .max
      used.radio.transport.incoming = []
      used.arrive("04 10 01 42")
      var answers = Bench.bumble
      answers[0x2002] = "040e07010220001b0003"
      used.wait(60_000)
      _ = used.answerAll(answers)
      used.wait(1000)
      _ = used.answerAll(answers)
      let state = used.radio.state
      #expect(state == .ready, "seed \(seed)")
      _ = used.events()
      _ = used.sent()
      var fresh = Bench()
      fresh.recorder.answer = used.recorder.answer
      fresh.now = used.now
      _ = fresh.answerAll(answers)
      _ = fresh.events()
      _ = fresh.sent()
      var copy = random
      try Self.start(&used, &random)
      try Self.start(&fresh, &copy)
      let (seen, expected) = (used.answerAll(), fresh.answerAll())
      #expect(seen == expected, "seed \(seed)")
      try used.connect(as: .peripheral, handle: Self.handle(7))
      try fresh.connect(as: .peripheral, handle: Self.handle(7))
      for number in 0..<30 {
        copy = random
        let seen = Self.step(&used, &random, [7])
        let expected = Self.step(&fresh, &copy, [7])
        guard seen == expected else {
          Issue.record("seed \(seed), step \(number): \(seen) instead of \(expected)")
          return
        }
      }
    }
  }

  /// Advertises and scans, as a host does.
  private static func start(_ bench: inout Bench, _ random: inout SplitMix64) throws {
    let own = random.below(2) == 0 ? "c2:00:00:00:00:01" : "c2:00:00:00:00:02"
    try bench.advertise(
      AdvertisingParameters(
        ownAddress: HeraldHCITests.random(own), interval: .milliseconds(250), connectable: true),
      [2, 1, UInt8(random.below(3))], [])
    if random.below(2) == 0 {
      try bench.radio.startScanning(
        ScanParameters(
          ownAddress: .zero, interval: .milliseconds(100), window: .milliseconds(50), active: false))
    }
  }
}

/// Connection parameters, valid and not.
private let hexTiming: [[UInt8]] = [
  [0x18, 0, 0x28, 0, 0, 0, 0xC8, 0], [0x28, 0, 0x18, 0, 0, 0, 0xC8, 0],
]
