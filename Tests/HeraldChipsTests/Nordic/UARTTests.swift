import HeraldChips
import HeraldHCI
import Testing

/// A UART on a model whose interrupts come whenever the driver touches a register.
private final class Bench {
  let model = UARTModel()
  let storage = UnsafeMutablePointer<SerialStorage<64, 32>>.allocate(capacity: 1)
  let queues: SerialQueues
  /// Bytes that pass on the line for each access of the driver.
  var bytesPerAccess = 0

  init() {
    storage.initialize(to: SerialStorage())
    queues = SerialQueues(storage)
  }

  deinit { storage.deallocate() }

  func line(flowControl: Bool = true) -> NRF.UART<ModelRegisters> {
    var line = NRF.UART(ModelRegisters(model), queues: queues)
    var pins = NRF.SerialPins(rxd: NRF.Pin(25), txd: NRF.Pin(24))
    if flowControl { (pins.rts, pins.cts) = (NRF.Pin(3), NRF.Pin(2)) }
    line.start(pins, .baud1M)
    var interrupt = line.interrupt
    model.meanwhile = { [unowned self] in
      for _ in 0..<bytesPerAccess { model.passByte() }
      if model.interruptIsPending { interrupt.handle() }
    }
    return line
  }

  /// Time in which the processor does nothing but serve interrupts.
  func pass(bytes: Int) {
    for _ in 0..<bytes {
      model.passByte()
      model.elapse()
    }
  }
}

private func read(_ line: inout NRF.UART<ModelRegisters>, atMost count: Int = 64) -> [UInt8] {
  var bytes = [UInt8](repeating: 0, count: count)
  var span = bytes.mutableSpan
  let taken = line.read(into: &span)
  return Array(bytes.prefix(taken))
}

private func write(_ line: inout NRF.UART<ModelRegisters>, _ packet: [UInt8]) -> Bool {
  line.write(packet.span)
}

@Suite("nRF51 UART")
struct UARTTests {
  @Test("the line is configured while it is disabled, by the manual's numbers")
  func configuration() {
    let bench = Bench()
    _ = bench.line()
    #expect(bench.model.setting(0x508) == 3)
    #expect(bench.model.setting(0x50C) == 24)
    #expect(bench.model.setting(0x510) == 2)
    #expect(bench.model.setting(0x514) == 25)
    #expect(bench.model.setting(0x524) == 0x1000_0000)
    #expect(bench.model.setting(0x56C) == 1)
    let plain = Bench()
    _ = plain.line(flowControl: false)
    #expect(plain.model.setting(0x508) == .max)
    #expect(plain.model.setting(0x56C) == 0)
    #expect(bench.model.faults + plain.model.faults == [])
  }

  @Test("packets leave whole and in order, and the one that does not fit is refused whole")
  func sending() {
    let bench = Bench()
    var line = bench.line()
    let packets: [[UInt8]] = [[1, 3, 12, 0], Array(10..<30), Array(40..<60)]
    #expect(write(&line, packets[0]))
    #expect(write(&line, packets[1]))
    #expect(!write(&line, packets[2]))
    bench.model.isClearToSend = false
    bench.pass(bytes: 50)
    #expect(bench.model.sent == [])
    bench.model.isClearToSend = true
    bench.pass(bytes: 15)
    #expect(write(&line, packets[2]))
    bench.pass(bytes: 60)
    #expect(bench.model.sent == packets.flatMap(\.self))
    #expect(!write(&line, [UInt8](repeating: 0, count: 33)))
    #expect(bench.model.faults == [])
  }

  @Test("with flow control nothing is lost, however long the loop does not look")
  func flowControl() {
    let bench = Bench()
    var line = bench.line()
    let bytes = (0..<500).map { UInt8(truncatingIfNeeded: $0) }
    bench.model.arriving = bytes
    var got: [UInt8] = []
    for _ in 0..<100 where got.count < bytes.count {
      bench.pass(bytes: 200)
      got += read(&line)
    }
    #expect(got == bytes)
    #expect(bench.model.lost == 0)
    let faults = line.faults
    #expect(faults == SerialFaults())
    #expect(bench.model.faults == [])
  }

  @Test("with a full queue the handler rests until the loop has taken something")
  func rest() {
    let bench = Bench()
    var line = bench.line()
    bench.model.arriving = (0..<100).map { UInt8($0) }
    bench.pass(bytes: 100)
    #expect(!bench.model.interruptIsPending)
    #expect(read(&line, atMost: 10) == Array(0..<10))
    bench.pass(bytes: 10)
    #expect(read(&line) == Array(10..<74))
  }

  @Test("held bytes wait for somebody to look, and then interrupt again")
  func held() {
    let bench = Bench()
    var line = bench.line()
    var service = line.interrupt
    service.hold(true)
    bench.model.arriving = [1, 2, 3, 4, 5]
    bench.pass(bytes: 4)
    #expect(!bench.model.interruptIsPending)
    #expect(bench.queues.waiting == 0)
    let isThere = service.hasByte
    let isFirst = service.receive()
    let isMore = service.receive()
    #expect((isThere, isFirst, isMore) == (true, true, false))
    #expect(bench.queues.waiting > 0)
    let isLeft = service.hasByte
    #expect(!isLeft)
    service.hold(false)
    bench.pass(bytes: 3)
    #expect(read(&line) == [1, 2, 3, 4, 5])
    #expect(bench.model.faults == [])
  }

  @Test(
    "a queue that is full while bytes are held takes what there is room for, and says that there is no use in looking"
  )
  func heldAndFull() {
    let bench = Bench()
    var line = bench.line()
    bench.model.arriving = (0..<70).map { UInt8($0) }
    bench.pass(bytes: 70)
    var service = line.interrupt
    service.hold(true)
    #expect(read(&line, atMost: 3) == [0, 1, 2])
    service.hold(true)
    let isTaken = service.receive()
    #expect(!isTaken)
    #expect(bench.queues.waiting == 64)
    service.hold(false)
    #expect(read(&line) == Array(3..<67))
    bench.pass(bytes: 3)
    #expect(read(&line) == [67, 68, 69])
    #expect(bench.model.lost == 0)
    #expect(bench.model.faults == [])
  }

  @Test("without flow control, what a loop that looks too late loses is counted, and the rest arrives")
  func overrun() {
    let bench = Bench()
    var line = bench.line(flowControl: false)
    bench.model.arriving = (0..<100).map { UInt8($0) }
    bench.pass(bytes: 100)
    // 64 in the queue, 6 in the FIFO.
    #expect(bench.model.lost == 30)
    let overruns = line.faults.overruns
    #expect(overruns == 30)
    #expect(read(&line) == Array(0..<64))
    #expect(read(&line) == Array(64..<70))
    bench.model.arriving = [200, 201]
    bench.pass(bytes: 3)
    #expect(read(&line) == [200, 201])
    bench.model.breakLine()
    bench.pass(bytes: 1)
    let framing = line.faults.framing
    #expect(framing == 1)
    #expect(bench.model.faults == [])
  }

  @Test("both directions at once, with interrupts between any two accesses of the loop", arguments: 1...16)
  func both(seed: UInt64) {
    let bench = Bench()
    var random = Seeded(seed)
    bench.bytesPerAccess = Int.random(in: 0...2, using: &random)
    var line = bench.line()
    bench.model.arriving = (0..<2_000).map { _ in UInt8.random(in: 0...255, using: &random) }
    let arriving = bench.model.arriving
    var (got, sent): ([UInt8], [UInt8]) = ([], [])
    for _ in 0..<3_000 {
      got += read(&line, atMost: Int.random(in: 1...40, using: &random))
      let packet = (0..<Int.random(in: 1...20, using: &random)).map { _ in
        UInt8.random(in: 0...255, using: &random)
      }
      if sent.count < 2_000, write(&line, packet) { sent += packet }
      bench.model.isClearToSend = Bool.random(using: &random)
      bench.pass(bytes: Int.random(in: 0...8, using: &random))
    }
    bench.model.isClearToSend = true
    bench.pass(bytes: 100)
    #expect(got == arriving)
    #expect(bench.model.sent == sent)
    #expect(sent.count >= 2_000)
    let faults = line.faults
    #expect(faults == SerialFaults())
    #expect(bench.model.faults == [])
  }
}

private func append(_ bytes: [UInt8], to ring: ByteRing) -> Bool { ring.append(bytes.span) }

@Suite("Ring between an interrupt and the loop")
struct ByteRingTests {
  @Test("counters that go round, and a capacity that is a power of two")
  func goingRound() {
    let storage = UnsafeMutablePointer<ByteRingStorage<24>>.allocate(capacity: 1)
    storage.initialize(to: ByteRingStorage())
    defer { storage.deallocate() }
    // A queue that has carried 2³² − 5 bytes.
    let words = UnsafeMutableRawPointer(storage)
    let ring = ByteRing(storage)
    words.storeBytes(of: 0xFFFF_FFFB, as: UInt32.self)
    words.storeBytes(of: 0xFFFF_FFFB, toByteOffset: 4, as: UInt32.self)
    #expect(ring.capacity == 16)
    #expect(append(Array(0..<12), to: ring))
    #expect(!append(Array(0..<5), to: ring))
    #expect(ring.append(12))
    #expect(ring.count == 13)
    for index in 0..<13 { #expect(ring.take() == UInt8(index)) }
    #expect(ring.take() == nil)
    #expect(words.load(as: UInt32.self) == 8)
  }

  @Test("made again, for the same storage, it is the same queue")
  func madeAgain() {
    let storage = UnsafeMutablePointer<ByteRingStorage<16>>.allocate(capacity: 1)
    storage.initialize(to: ByteRingStorage())
    defer { storage.deallocate() }
    #expect(append([1, 2, 3], to: ByteRing(storage)))
    #expect(ByteRing(storage).take() == 1)
    #expect(ByteRing(storage).count == 2)
  }

  @Test("without room nothing is queued")
  func empty() {
    let storage = UnsafeMutablePointer<ByteRingStorage<0>>.allocate(capacity: 1)
    storage.initialize(to: ByteRingStorage())
    defer { storage.deallocate() }
    let ring = ByteRing(storage)
    #expect(!ring.append(1))
    #expect(ring.take() == nil)
  }
}
