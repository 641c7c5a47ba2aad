import AllocationCounter
import Foundation
import HeraldBluetooth
import HeraldDeviceLink
import HeraldEmbedded
import HeraldHAL
import HeraldHCI
import HeraldSimulation

// Counts what the whole device asks of the heap, from H4 bytes to flash words, after it has started: over a
// million advertisements, thousands of connections in both directions, a log that turns over, and a
// controller that sends garbage, and hosts that read the log or send noise; then, in NeighbourStage.swift,
// over codes of other systems. Anything but zero fails.

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

/// A board that has nothing to say.
struct QuietBoard: ManagedBoard, ~Copyable {
  var settings = SettingsStore(flash: MemoryFlash(pageSize: 1024, pageCount: 2, wordSize: 8))
  mutating func information(_ field: InformationField, into text: inout MutableSpan<UInt8>) -> Int { 0 }
  mutating func restart(at now: Instant) {}
}

typealias Device = ManagedNode<
  HCIRadio<SimulatedController, 4>,
  ManagedPartList<
    MemoryFlash, RepeatableRandom, FixedPayloadSupplier, NoDelegate, HeraldGATTTable, QuietBoard
  >,
  64, 4, 4
>

/// A device and the air around it, in simulated time.
struct Stage: ~Copyable {
  var device = Device(
    radio: HCIRadio(transport: SimulatedController()),
    flash: MemoryFlash(pageSize: 4096, pageCount: 16, wordSize: 4), random: RepeatableRandom(),
    supplier: FixedPayloadSupplier(country: 826, state: 0, clientIdentifier: 1_234_567_890),
    delegate: NoDelegate(),
    board: QuietBoard(), configuration: .open)
  var server = SMPServer()
  var serial = SMPSerialLink<256>()
  var random = RepeatableRandom(state: 99)
  var answers = 0
  var records = 0
  var now = Instant.start
  var data: [20 of UInt8] = [
    0x02, 0x01, 0x06, 0x03, 0x03, 0xF6, 0xFC, 0x09, 0xFF, 0xF1, 0x05, 0, 0, 0, 0, 0, 0, 0, 0, 0,
  ]

  /// Lets `milliseconds` pass and the device do what there is to do.
  mutating func pass(_ milliseconds: UInt32) {
    now = now + .milliseconds(milliseconds)
    var rounds = 0
    repeat {
      _ = device.node.poll(at: now)
      rounds += 1
    } while !device.node.radio.transport.isIdle && rounds < 100
  }

  /// Lets the device hear phone `number`.
  mutating func hear(_ number: UInt32) {
    data[11] = UInt8(truncatingIfNeeded: number)
    data[12] = UInt8(truncatingIfNeeded: number >> 8)
    data[13] = UInt8(truncatingIfNeeded: number >> 16)
    let address = DeviceAddress(high: 0x5000, low: number, kind: .random)
    let strength = Int8(truncatingIfNeeded: -40 - Int(random.next() % 50))
    device.node.radio.transport.hear(data.span.extracting(first: 17), from: address, rssi: strength)
  }

  /// Lets the device read an event or a piece of data that is random but for its first bytes.
  mutating func garble() {
    var packet: [40 of UInt8] = .init(repeating: 0)
    for index in 0..<40 { packet[index] = UInt8(truncatingIfNeeded: random.next()) }
    packet[0] = random.next() & 1 == 0 ? 0x02 : 0x04
    if packet[0] == 0x04 { packet[1] = random.next() & 1 == 0 ? 0x3E : 0x0E }
    packet[packet[0] == 0x04 ? 2 : 3] = UInt8(truncatingIfNeeded: random.next() % 40)
    device.node.radio.transport.inject(packet.span)
    pass(1 + random.next() % 500)
  }

  /// A host asks for the log over SMP, with a byte or two gone wrong, then sends the same and noise down a
  /// serial line.
  mutating func ask() {
    var packet: [64 of UInt8] = .init(repeating: 0)
    let request: [18 of UInt8] = [
      0x08, 0, 0, 10, 0, 72, 1, 1, 0xA2, 0x63, 0x73, 0x65, 0x71, 1, 0x63, 0x6F, 0x66, 0x66,
    ]
    for index in 0..<18 { packet[index] = request[index] }
    packet[18] = UInt8(truncatingIfNeeded: random.next() % 24)
    packet[3] = 11
    packet[7] = UInt8(truncatingIfNeeded: random.next() % 3)
    packet[13] = UInt8(truncatingIfNeeded: random.next() % 24)
    if random.next() & 3 == 0 { packet[Int(random.next() % 19)] = UInt8(truncatingIfNeeded: random.next()) }
    var span = packet.mutableSpan
    if server.respond(to: &span, count: 19, at: now, device: &device) > 0 { answers += 1 }

    var line: [32 of UInt8] = .init(repeating: 0)
    line[0] = 0x06
    line[1] = 0x09
    for index in 2..<31 { line[index] = 0x41 + UInt8(truncatingIfNeeded: random.next() % 26) }
    line[31] = 0x0A
    _ = serial.receive(line.span, at: now, server: &server, device: &device)
    while serial.isSending {
      var output: [64 of UInt8] = .init(repeating: 0)
      var room = output.mutableSpan
      _ = serial.send(into: &room)
    }
  }

  /// Reads the page of the log that has most in it, and a damaged copy.
  mutating func decode() {
    var page: [4096 of UInt8] = .init(repeating: 0xFF)
    var payload: [510 of UInt8] = .init(repeating: 0)
    let status = device.logStatus()
    var span = page.mutableSpan
    _ = device.readLog(sequence: status.newest - 1, offset: 0, into: &span)
    for damage in 0..<8 {
      if damage > 0 { page[Int(random.next() % 4096)] ^= UInt8(truncatingIfNeeded: random.next()) }
      guard var decoder = LogPageDecoder(page.span) else { continue }
      var room = payload.mutableSpan
      while decoder.next(payload: &room) != nil { records += 1 }
    }
  }

  /// A phone connects, reads our payload over the smallest ATT_MTU, writes a signal of each kind, and goes.
  mutating func visit(_ number: UInt32) {
    let mtu: [3 of UInt8] = [0x02, 0x17, 0x00]
    let find: [9 of UInt8] = [0x06, 0x01, 0x00, 0xFF, 0xFF, 0x00, 0x28, 0xF6, 0xFC]
    let characteristics: [7 of UInt8] = [0x08, 0x11, 0x00, 0x15, 0x00, 0x03, 0x28]
    let read: [3 of UInt8] = [0x0A, 0x15, 0x00]
    let write: [6 of UInt8] = [0x12, 0x13, 0x00, 0x02, 0xC8, 0xFF]
    device.node.radio.transport.open(from: DeviceAddress(high: 0x6000, low: number, kind: .random))
    pass(10)
    device.node.radio.transport.send(mtu.span)
    pass(10)
    device.node.radio.transport.send(find.span)
    pass(10)
    device.node.radio.transport.send(characteristics.span)
    pass(10)
    device.node.radio.transport.send(read.span)
    pass(10)
    device.node.radio.transport.send(write.span)
    pass(10)
    signal(number)
    device.node.radio.transport.close()
    pass(10)
  }
}

extension Stage {
  /// Its own payload as one value, two others in parts, a message as prepared writes.
  mutating func signal(_ number: UInt32) {
    let low = UInt8(truncatingIfNeeded: number)
    let payload: [19 of UInt8] = [
      0x12, 0x13, 0x00, 0x01, 0x0D, 0x00, 0x08, 3, 58, 0, 0, low, 0, 0, 0, 0, 0, 0, 0,
    ]
    let shared: [23 of UInt8] = [
      0x12, 0x13, 0x00, 0x03, 0xBA, 0xFF, 0x1A, 0x00, 0x08, 3, 58, 0, 1, low, 0, 0, 0, 0, 0, 0, 0, 0x08, 3,
    ]
    let rest: [14 of UInt8] = [0x12, 0x13, 0x00, 58, 0, 2, low, 0, 0, 0, 0, 0, 0, 0]
    let prepared: [10 of UInt8] = [0x16, 0x13, 0x00, 0x00, 0x00, 0x04, 0x02, 0x00, 0x68, 0x69]
    let execute: [2 of UInt8] = [0x18, 0x01]
    device.node.radio.transport.send(payload.span)
    pass(10)
    device.node.radio.transport.send(shared.span)
    pass(10)
    device.node.radio.transport.send(rest.span)
    pass(10)
    device.node.radio.transport.send(prepared.span)
    pass(10)
    device.node.radio.transport.send(execute.span)
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
  stage.ask()  // the run-time describes the device's type to itself once

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
  let connections = stage.device.node.radio.transport.connectionsOpened
  for _ in 0..<20_000 { stage.garble() }
  // Hosts that ask for the log, or for nothing that makes sense.
  for _ in 0..<20_000 { stage.ask() }
  for _ in 0..<50 { stage.decode() }
  let after = allocation_count()
  let sealed = sealedAllocations(&stage)

  let status = stage.device.logStatus()
  let readings = stage.device.node.core.log.statistic(1)
  expect("a million readings reached the log", readings >= 1_000_000, "\(readings)")
  expect("thousands of connections", connections >= 2000, "\(connections)")
  let payloads = stage.device.node.core.counter(.signalPayloads)
  let shares = stage.device.node.core.counter(.signalShares)
  let messages = stage.device.node.core.counter(.signalMessages)
  expect(
    "signals of every kind were written", payloads >= 1000 && shares >= 1000 && messages >= 1000,
    "\(payloads) payloads, \(shares) shares, \(messages) messages")
  expect("the log turned over", status.newest > 32, "page \(status.newest) of a ring of 16")
  expect("requests over the link were answered", stage.answers > 10_000, "\(stage.answers)")
  expect("pages of the log were read", stage.records > 10_000, "\(stage.records) records")
  expect("nothing was allocated", after == before, "\(after - before) allocations")
  expect("nothing was allocated in a session", sealed == 0, "\(sealed) allocations")
  return after - before &+ sealed
}

let allocations = run() + runNeighbours()
if let path = CommandLine.arguments.dropFirst().first {
  let url = URL(fileURLWithPath: path)
  try FileManager.default.createDirectory(
    at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
  try Data("{\"allocations_after_start\": \(allocations)}\n".utf8).write(to: url)
}
print("\(passed) passed, \(failed) failed")
exit(failed == 0 ? 0 : 1)
