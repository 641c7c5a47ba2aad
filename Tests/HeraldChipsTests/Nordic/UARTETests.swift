import HeraldChips
import HeraldHCI
import Testing

private typealias Line = NRF.UARTE<ModelRegisters>

/// A UARTE with its timer and PPI. Time advances with each access of the driver.
private final class Bench {
  let bus = ModelMemory()
  let uarte: UARTEModel
  let counter = TimerModel()
  let ppi = PPIModel()
  let storage = UnsafeMutablePointer<NRF.UARTEStorage<64, 32>>.allocate(capacity: 1)
  /// Accesses of the driver in the time of one byte on the line; 0 if none come meanwhile.
  var accessesPerByte = 0
  private var ticks = 0
  /// Accesses of the driver until a byte passes on the line.
  var byteAfter: Int?

  init() {
    uarte = UARTEModel(bus: bus)
    storage.initialize(to: NRF.UARTEStorage())
    uarte.onEvent = { [unowned self] in ppi.event(0x4000_2000 + $0) }
    ppi.tasks[0x4000_2000] = { [unowned self] in uarte.trigger(0x000) }
    ppi.tasks[0x4000_9008] = { [unowned self] in counter.count() }
    for model in [uarte, counter, ppi] as [Peripheral] { model.meanwhile = { [unowned self] in tick() } }
  }

  deinit { storage.deallocate() }

  var faults: [String] { uarte.faults + counter.faults + ppi.faults }

  private func tick() {
    uarte.step()
    ticks += 1
    if let left = byteAfter {
      byteAfter = left > 0 ? left - 1 : nil
      if left == 0 { uarte.passByte() }
    }
    if accessesPerByte > 0, ticks % accessesPerByte == 0 { uarte.passByte() }
  }

  /// Time in which the processor stands still.
  func pass(bytes: Int) {
    for _ in 0..<bytes {
      uarte.passByte()
      for _ in 0..<8 { uarte.step() }
    }
  }

  func line(flowControl: Bool = true) -> Line {
    var line = Line(
      ModelRegisters(uarte, bus: bus), counter: ModelRegisters(counter), ppi: ModelRegisters(ppi),
      wiring: NRF.UARTEWiring(), memory: NRF.UARTEMemory(storage))
    var pins = NRF.SerialPins(rxd: NRF.Pin(port: 1, 1), txd: NRF.Pin(port: 1, 2))
    if flowControl { (pins.rts, pins.cts) = (NRF.Pin(port: 1, 3), NRF.Pin(port: 1, 4)) }
    line.start(pins, .baud1M)
    return line
  }
}

private func read(_ line: inout Line, atMost count: Int = 80) -> [UInt8] {
  var bytes = [UInt8](repeating: 0, count: count)
  var span = bytes.mutableSpan
  let taken = line.read(into: &span)
  return Array(bytes.prefix(taken))
}

private func write(_ line: inout Line, _ packet: [UInt8]) -> Bool { line.write(packet.span) }

@Suite("nRF52 UARTE")
struct UARTETests {
  @Test("the line is configured while it is disabled, by the manual's numbers")
  func configuration() {
    let bench = Bench()
    _ = bench.line()
    #expect(bench.uarte.setting(0x508) == 0x23)
    #expect(bench.uarte.setting(0x50C) == 0x22)
    #expect(bench.uarte.setting(0x510) == 0x24)
    #expect(bench.uarte.setting(0x514) == 0x21)
    #expect(bench.uarte.setting(0x524) == 0x1000_0000)
    #expect(bench.uarte.setting(0x56C) == 1)
    #expect(bench.uarte.setting(0x538) == 32)
    #expect(bench.faults == [])
  }

  @Test("a byte is there when it has arrived, in a half that is far from full")
  func singleBytes() {
    let bench = Bench()
    var line = bench.line()
    #expect(read(&line) == [])
    for byte in 0..<200 as Range<UInt8> {
      bench.uarte.arriving.append(byte)
      bench.pass(bytes: 1)
      #expect(bench.uarte.interruptIsPending)
      #expect(read(&line) == [byte])
      #expect(!bench.uarte.interruptIsPending)
    }
    #expect(bench.faults == [])
  }

  @Test(
    "a packet can be gathered: its bytes arrive without their interrupts, and are told of again after that")
  func gathering() {
    let bench = Bench()
    var line = bench.line()
    var arrivals = NRF.UARTEArrivals(ModelRegisters(bench.uarte))
    #expect(read(&line) == [])
    var hasBegun = arrivals.hasBegun
    #expect(!hasBegun)
    bench.uarte.arriving = [4, 14, 4, 1, 3, 12, 0, 9]
    bench.pass(bytes: 1)
    hasBegun = arrivals.hasBegun
    #expect(hasBegun && bench.uarte.interruptIsPending)
    arrivals.hold(true)
    #expect(!bench.uarte.interruptIsPending)
    bench.pass(bytes: 6)
    #expect(!bench.uarte.interruptIsPending)
    // A packet that has left wakes the processor nevertheless.
    #expect(write(&line, [1]))
    bench.pass(bytes: 1)
    #expect(bench.uarte.interruptIsPending)
    #expect(write(&line, []))
    arrivals.hold(false)
    #expect(bench.uarte.interruptIsPending)
    #expect(read(&line) == [4, 14, 4, 1, 3, 12, 0, 9])
    #expect(!bench.uarte.interruptIsPending)
    hasBegun = arrivals.hasBegun
    #expect(!hasBegun)
    #expect(bench.faults == [])
  }

  @Test("a byte that comes while the line is read is read as well, or has its interrupt still to come")
  func byteWhileReading() {
    for access in 0..<60 {
      let bench = Bench()
      var line = bench.line()
      #expect(read(&line) == [])
      bench.uarte.arriving = [7, 8]
      bench.pass(bytes: 1)
      bench.byteAfter = access
      let got = read(&line)
      let isToCome = bench.uarte.interruptIsPending || !bench.uarte.arriving.isEmpty
      #expect(got == [7, 8] || (got == [7] && isToCome), "after \(access) accesses")
      #expect(bench.faults == [])
    }
  }

  @Test(
    "nothing is lost and nothing overwritten while the loop does not look: two halves and a FIFO wait for it")
  func standstill() {
    let bench = Bench()
    var line = bench.line()
    let bytes = (0..<1_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    bench.uarte.arriving = bytes
    var got: [UInt8] = []
    for _ in 0..<40 where got.count < bytes.count {
      bench.pass(bytes: 500)
      got += read(&line)
      got += read(&line)
    }
    #expect(got == bytes)
    #expect(bench.uarte.lost == 0)
    #expect(bench.faults == [])
  }

  @Test("without flow control two halves go over into each other without a gap; then losses are counted")
  func withoutFlowControl() {
    let bench = Bench()
    var line = bench.line(flowControl: false)
    #expect(read(&line) == [])
    bench.uarte.arriving = (0..<100).map { UInt8($0) }
    _ = read(&line)
    bench.pass(bytes: 64)
    #expect(bench.uarte.lost == 0)
    bench.pass(bytes: 36)
    #expect(bench.uarte.lost == 30)
    let first = read(&line)
    #expect(first == Array(0..<64))
    #expect(read(&line) == Array(64..<70))
    let overruns = line.faults.overruns
    #expect(overruns == 1)
    #expect(bench.faults == [])
  }

  @Test("packets leave whole and in order, one at a time, from RAM")
  func sending() {
    let bench = Bench()
    var line = bench.line()
    #expect(write(&line, [1, 3, 12, 0]))
    #expect(!write(&line, [9]))
    bench.uarte.isClearToSend = false
    bench.pass(bytes: 10)
    #expect(!write(&line, [9]))
    bench.uarte.isClearToSend = true
    bench.pass(bytes: 4)
    #expect(bench.uarte.interruptIsPending)
    #expect(write(&line, Array(20..<52)))
    bench.pass(bytes: 32)
    #expect(!write(&line, Array(repeating: 0, count: 33)))
    #expect(bench.uarte.sent == [1, 3, 12, 0] + Array(20..<52))
    #expect(bench.faults == [])
  }

  @Test("a packet that has left wakes the processor once, and does not keep it awake until the next one")
  func sleepAfterSending() {
    let bench = Bench()
    var line = bench.line()
    #expect(write(&line, [1, 3, 12, 0]))
    bench.pass(bytes: 4)
    #expect(bench.uarte.interruptIsPending)
    #expect(read(&line) == [])
    #expect(!bench.uarte.interruptIsPending)
    #expect(write(&line, [7]))
    bench.pass(bytes: 1)
    #expect(bench.uarte.sent == [1, 3, 12, 0, 7])
    #expect(bench.faults == [])
  }

  @Test("any pace of either side, any piece: every byte once and in order", arguments: 1...20)
  func anyPace(seed: UInt64) {
    var random = Seeded(seed)
    let bench = Bench()
    bench.uarte.latency = Int.random(in: 1...3, using: &random)
    bench.uarte.startingTime = Int.random(in: 2...50, using: &random)
    bench.accessesPerByte = Int.random(in: 10...80, using: &random)
    var line = bench.line()
    let bytes = (0..<3_000).map { _ in UInt8.random(in: 0...255, using: &random) }
    bench.uarte.arriving = bytes
    var (got, sent): ([UInt8], [UInt8]) = ([], [])
    for _ in 0..<3_000 {
      got += read(&line, atMost: Int.random(in: 1...70, using: &random))
      let packet = (0..<Int.random(in: 1...30, using: &random)).map { _ in
        UInt8.random(in: 0...255, using: &random)
      }
      if sent.count < 1_000, write(&line, packet) { sent += packet }
      if Bool.random(using: &random) { bench.pass(bytes: Int.random(in: 0...90, using: &random)) }
    }
    bench.pass(bytes: 100)
    #expect(got == bytes)
    #expect(bench.uarte.sent == sent)
    #expect(sent.count >= 1_000)
    #expect(bench.uarte.lost == 0)
    #expect(bench.faults == [])
  }
}
