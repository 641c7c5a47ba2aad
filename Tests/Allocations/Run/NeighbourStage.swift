import AllocationCounter
import HeraldBluetooth
import HeraldEmbedded
import HeraldHAL
import HeraldHCI
import HeraldNeighbours
import HeraldSimulation

/// Counts the codes of each system that are observed.
struct CodeCounter: SensorDelegate, ~Copyable {
  var numbers = 0
  var codes = 0

  mutating func didObserve(
    _ target: TargetIdentity, _ service: ServiceNumber, _ code: Span<UInt8>, at now: Instant
  ) {
    if service == .covidWatch { numbers += 1 } else { codes += 1 }
  }
}

/// The parts of a device with both neighbours.
enum NeighbourParts: DeviceParts {
  typealias FlashType = MemoryFlash
  typealias RandomType = RepeatableRandom
  typealias SupplierType = FixedPayloadSupplier
  typealias DelegateType = CodeCounter
  typealias ServicesType = CovidWatchAndC19X
}

/// A device that observes and shows CovidWatch and C19X, and the air around it, in simulated time.
struct NeighbourStage: ~Copyable {
  var node = HeraldNode<HCIRadio<SimulatedController, 4>, NeighbourParts, 64, 4, 4>(
    radio: HCIRadio(transport: SimulatedController()),
    flash: MemoryFlash(pageSize: 4096, pageCount: 16, wordSize: 4), random: RepeatableRandom(),
    supplier: FixedPayloadSupplier(country: 826, state: 0, clientIdentifier: 1_234_567_890),
    delegate: CodeCounter())
  var random = RepeatableRandom(state: 99)
  var now = Instant.start
  /// Flags, CovidWatch's service and a number.
  var numbered: [27 of UInt8] = [
    0x02, 0x01, 0x1A, 0x03, 0x03, 0x19, 0xC0, 0x13, 0x16, 0x19, 0xC0,
    0, 0, 0, 0, 1, 2, 0x43, 4, 0x85, 6, 7, 8, 9, 10, 11, 12,
  ]
  /// Flags and C19X's service.
  let marked: [21 of UInt8] = [
    0x02, 0x01, 0x02, 0x11, 0x07, 0, 0, 0, 0, 0, 0, 0, 0, 0x13, 0x1F, 0xFE, 0x83, 0x81, 0xD4, 0x22, 0x00,
  ]

  /// Switches all on, on 2020-01-02, with the day codes of a quarter of a year.
  mutating func start() {
    node.core.services.covidWatch.isObserver = true
    node.core.services.covidWatch.isPeripheral = true
    node.core.services.c19x.isObserver = true
    node.core.services.c19x.isPeripheral = true
    let dayCodes: [720 of UInt8] = .init(repeating: 0x5A)
    do throws(KeyScheduleError) {
      try node.core.services.c19x.provide(firstDay: 0, dayCodes: dayCodes.span)
    } catch { expect("day codes are taken", false, "\(error)") }
    _ = node.core.setClock(unixMilliseconds: 1_577_923_200_000, at: now, source: .host)
  }

  /// Lets `milliseconds` pass and the device do what there is to do.
  mutating func pass(_ milliseconds: UInt32) {
    now = now + .milliseconds(milliseconds)
    var rounds = 0
    repeat {
      _ = node.poll(at: now)
      rounds += 1
    } while !node.radio.transport.isIdle && rounds < 100
  }

  /// Lets the device hear phone `number`: of three one shows a number, one hides one, and one has a code.
  mutating func hear(_ number: UInt32) {
    let address = DeviceAddress(high: 0x5000, low: number, kind: .random)
    numbered[11] = UInt8(truncatingIfNeeded: number)
    numbered[12] = UInt8(truncatingIfNeeded: number >> 8)
    switch number % 3 {
    case 0: node.radio.transport.hear(numbered.span, from: address, rssi: -60)
    case 1: node.radio.transport.hear(numbered.span.extracting(first: 7), from: address, rssi: -60)
    default: node.radio.transport.hear(marked.span, from: address, rssi: -60)
    }
  }

  /// A phone connects, reads a number, writes one, writes a code, and goes.
  mutating func visit(_ number: UInt32) {
    let read: [3 of UInt8] = [0x0A, 0x1B, 0x00]
    var write: [19 of UInt8] = [0x12, 0x1B, 0x00, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
    write[3] = UInt8(truncatingIfNeeded: number)
    let code: [15 of UInt8] = [0x12, 0x1E, 0x00, 1, 2, 3, 4, 5, 6, 7, 8, 0xC8, 0xFF, 0xFF, 0xFF]
    node.radio.transport.open(from: DeviceAddress(high: 0x6000, low: number, kind: .random))
    pass(10)
    node.radio.transport.send(read.span)
    pass(10)
    node.radio.transport.send(write.span)
    pass(10)
    node.radio.transport.send(code.span)
    pass(10)
    node.radio.transport.close()
    pass(10)
  }
}

/// What the device asks of the heap for its neighbours: over a hundred thousand advertisements of phones that
/// come and go, and a thousand that connect.
func runNeighbours() -> UInt64 {
  var stage = NeighbourStage()
  stage.start()
  for _ in 0..<100 { stage.pass(100) }
  for number in UInt32(1)...3 {
    stage.hear(number)
    stage.pass(1000)
  }
  stage.visit(1)

  let before = allocation_count()
  var number: UInt32 = 0
  for index in UInt32(0)..<100_000 {
    if index % 50 == 0 { number += 1 }
    stage.hear(number + index % 8)
    stage.pass(5 + stage.random.next() % 30)
  }
  let heard = stage.node.core.delegate.numbers
  let connections = stage.node.radio.transport.connectionsOpened
  for number in UInt32(0)..<1000 {
    stage.visit(number)
    stage.pass(1000)
  }
  let after = allocation_count()

  expect("numbers were heard and read", heard > 1000, "\(heard)")
  expect("codes were read over connections", connections > 1000, "\(connections) connections")
  let (numbers, codes) = (stage.node.core.delegate.numbers - heard, stage.node.core.delegate.codes)
  expect("numbers and codes were written", numbers >= 1000 && codes >= 1000, "\(numbers), \(codes)")
  expect("nothing was allocated for neighbours", after == before, "\(after - before) allocations")
  return after - before
}
