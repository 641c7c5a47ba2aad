import AllocationCounter
import Foundation
import HeraldEmbedded
import HeraldHCI
import HeraldSimulation

// Counts what the whole device asks of the heap, from H4 bytes to flash words, after it has started: over a million
// advertisements, thousands of connections in both directions, a log that turns over, and a controller that
// sends garbage. Anything but zero fails.

/// Repeatable random numbers, for addresses and keys.
struct RepeatableRandom: RandomSource, ~Copyable {
  var state: UInt32 = 0x1234_5678

  mutating func next() -> UInt32 {
    state ^= state << 13
    state ^= state >> 17
    state ^= state << 5
    return state
  }
}

typealias Device = HeraldNode<
  HCIRadio<SimulatedController, 4>, MemoryFlash, RepeatableRandom, FixedPayloadSupplier, NoDelegate, 64, 4
>

/// A device and the air around it, in simulated time.
struct Stage: ~Copyable {
  var node = Device(
    radio: HCIRadio(transport: SimulatedController()),
    flash: MemoryFlash(pageSize: 4096, pageCount: 16, wordSize: 4), random: RepeatableRandom(),
    supplier: FixedPayloadSupplier(country: 826, state: 0, clientIdentifier: 1_234_567_890),
    delegate: NoDelegate())
  var random = RepeatableRandom(state: 99)
  var now = Instant.start
  var data: [20 of UInt8] = [
    0x02, 0x01, 0x06, 0x03, 0x03, 0xF6, 0xFC, 0x09, 0xFF, 0xF1, 0x05, 0, 0, 0, 0, 0, 0, 0, 0, 0,
  ]

  /// Lets `milliseconds` pass and the device do what there is to do.
  mutating func pass(_ milliseconds: UInt32) {
    now = now + .milliseconds(milliseconds)
    var rounds = 0
    repeat {
      _ = node.poll(at: now)
      rounds += 1
    } while !node.radio.transport.isIdle && rounds < 100
  }

  /// Lets the device hear phone `number`.
  mutating func hear(_ number: UInt32) {
    data[11] = UInt8(truncatingIfNeeded: number)
    data[12] = UInt8(truncatingIfNeeded: number >> 8)
    data[13] = UInt8(truncatingIfNeeded: number >> 16)
    let address = DeviceAddress(high: 0x5000, low: number, kind: .random)
    let strength = Int8(truncatingIfNeeded: -40 - Int(random.next() % 50))
    node.radio.transport.hear(data.span.extracting(first: 17), from: address, rssi: strength)
  }

  /// Lets the device read an event or a piece of data that is random but for its first bytes.
  mutating func garble() {
    var packet: [40 of UInt8] = .init(repeating: 0)
    for index in 0..<40 { packet[index] = UInt8(truncatingIfNeeded: random.next()) }
    packet[0] = random.next() & 1 == 0 ? 0x02 : 0x04
    if packet[0] == 0x04 { packet[1] = random.next() & 1 == 0 ? 0x3E : 0x0E }
    packet[packet[0] == 0x04 ? 2 : 3] = UInt8(truncatingIfNeeded: random.next() % 40)
    node.radio.transport.inject(packet.span)
    pass(1 + random.next() % 500)
  }

  /// A phone connects, reads our payload over the smallest ATT_MTU, writes a signal, and goes.
  mutating func visit(_ number: UInt32) {
    let mtu: [3 of UInt8] = [0x02, 0x17, 0x00]
    let find: [9 of UInt8] = [0x06, 0x01, 0x00, 0xFF, 0xFF, 0x00, 0x28, 0xF6, 0xFC]
    let characteristics: [7 of UInt8] = [0x08, 0x11, 0x00, 0x15, 0x00, 0x03, 0x28]
    let read: [3 of UInt8] = [0x0A, 0x15, 0x00]
    let write: [6 of UInt8] = [0x12, 0x13, 0x00, 0x02, 0xC8, 0xFF]
    node.radio.transport.open(from: DeviceAddress(high: 0x6000, low: number, kind: .random))
    pass(10)
    node.radio.transport.send(mtu.span)
    pass(10)
    node.radio.transport.send(find.span)
    pass(10)
    node.radio.transport.send(characteristics.span)
    pass(10)
    node.radio.transport.send(read.span)
    pass(10)
    node.radio.transport.send(write.span)
    pass(10)
    node.radio.transport.close()
    pass(10)
  }
}

nonisolated(unsafe) var passed = 0
nonisolated(unsafe) var failed = 0

func expect(_ name: String, _ isTrue: Bool, _ figure: String) {
  print("\(isTrue ? "ok    " : "FAILED") \(name): \(figure)")
  if isTrue { passed += 1 } else { failed += 1 }
}

func run() -> UInt64 {
  var stage = Stage()
  for _ in 0..<100 { stage.pass(100) }
  stage.hear(1)
  stage.pass(100)
  stage.visit(1)

  let before = allocation_count()
  // A million advertisements of phones that come and go: 1,000 of them new, each then connected to and read.
  var number: UInt32 = 0
  for index in UInt32(0)..<1_000_000 {
    if index % 1000 == 0 { number += 1 }
    stage.hear(number + index % 8)
    stage.pass(5 + stage.random.next() % 30)
  }
  // A thousand that connect to us.
  for number in UInt32(0)..<1000 { stage.visit(number) }
  // And a controller that goes mad.
  let connections = stage.node.radio.transport.connectionsOpened
  for _ in 0..<20_000 { stage.garble() }
  let after = allocation_count()

  let status = stage.node.core.log.status
  let readings = stage.node.core.log.statistic(1)
  expect("a million readings reached the log", readings >= 1_000_000, "\(readings)")
  expect("thousands of connections", connections >= 2000, "\(connections)")
  expect("the log turned over", status.newest > 32, "page \(status.newest) of a ring of 16")
  expect("nothing was allocated", after == before, "\(after - before) allocations")
  return after - before
}

let allocations = run()
if let path = CommandLine.arguments.dropFirst().first {
  let url = URL(fileURLWithPath: path)
  try FileManager.default.createDirectory(
    at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
  try Data("{\"allocations_after_start\": \(allocations)}\n".utf8).write(to: url)
}
print("\(passed) passed, \(failed) failed")
exit(failed == 0 ? 0 : 1)
