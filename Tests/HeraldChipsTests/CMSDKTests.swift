import HeraldChips
import HeraldHAL
import Testing

/// The UART of the design kit (4.3): a byte each way, and what happens when nobody takes it.
private final class CMSDKUARTModel: RegisterBlock {
  private var received: UInt8?
  private var isSending = false
  private var hasOverrun = false
  private var control: UInt32 = 0
  private var pending: UInt32 = 0
  private var divisor: UInt32 = 0
  private(set) var sent: [UInt8] = []
  private(set) var violations: [String] = []

  var interrupts: Bool { pending & 3 != 0 }

  func load(at offset: UInt32) -> UInt32 {
    switch offset {
    case 0x000:
      defer { received = nil }
      if received == nil { violations.append("DATA read while there is none") }
      return UInt32(received ?? 0)
    case 0x004: return (isSending ? 1 : 0) | (received == nil ? 0 : 2) | (hasOverrun ? 8 : 0)
    case 0x008: return control
    case 0x00C: return pending
    case 0x010: return divisor
    default:
      violations.append("read of \(offset)")
      return 0
    }
  }

  func store(_ word: UInt32, at offset: UInt32) {
    switch offset {
    case 0x000:
      if isSending { violations.append("DATA written while a byte is on its way") }
      if control & 1 == 0 || divisor < 16 { violations.append("DATA written while sending is off") }
      isSending = true
      sent.append(UInt8(truncatingIfNeeded: word))
    case 0x004: if word & 8 != 0 { hasOverrun = false }
    case 0x008: control = word
    case 0x00C: pending &= ~word
    case 0x010:
      if control & 3 != 0 { violations.append("BAUDDIV written while the line is on") }
      divisor = word
    default: violations.append("write of \(offset)")
    }
  }

  func busAddress(of memory: UnsafeRawBufferPointer) -> UInt32 { 0 }

  /// A byte comes.
  func come(_ byte: UInt8) {
    guard control & 2 != 0 else { return }
    if received != nil { hasOverrun = true }
    received = byte
    if control & 8 != 0 { pending |= 2 }
  }

  /// The byte on its way has left.
  func leave() {
    guard isSending else { return }
    isSending = false
    if control & 4 != 0 { pending |= 1 }
  }
}

@Suite("UART of the design kit")
struct CMSDKUARTTests {
  private let model = CMSDKUARTModel()
  private let storage = UnsafeMutablePointer<SerialStorage<16, 8>>.allocate(capacity: 1)

  private func started() -> CMSDK.UART<CMSDKUARTModel> {
    storage.initialize(to: SerialStorage())
    var line = CMSDK.UART(model, queues: SerialQueues(storage))
    line.start(divisor: 25)
    return line
  }

  private func take(_ line: inout CMSDK.UART<CMSDKUARTModel>) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: 32)
    var room = bytes.mutableSpan
    let count = line.read(into: &room)
    return Array(bytes[0..<count])
  }

  private func send(_ bytes: ClosedRange<UInt8>, _ line: inout CMSDK.UART<CMSDKUARTModel>) -> Bool {
    let packet = Array(bytes)
    return line.write(packet.span)
  }

  @Test func bytesArriveInOrder() {
    var line = started()
    var handler = line.interrupt
    for byte in 1...10 as ClosedRange<UInt8> {
      model.come(byte)
      #expect(model.interrupts)
      handler.handle()
      #expect(!model.interrupts)
    }
    #expect(handler.queues.waiting == 10)
    let taken = take(&line)
    #expect(taken == Array(1...10))
    #expect(handler.queues.faults.overruns == 0)
    #expect(model.violations.isEmpty)
  }

  @Test func bytesThatNobodyTookInTimeAreCounted() {
    var line = started()
    var handler = line.interrupt
    model.come(1)
    model.come(2)
    handler.handle()
    #expect(handler.queues.faults.overruns == 1)
    for byte in 3...40 as ClosedRange<UInt8> {
      model.come(byte)
      handler.handle()
    }
    let taken = take(&line)
    #expect(taken == [2] + Array(3...17))
    #expect(handler.queues.faults.overruns == 1 + 23)
    #expect(model.violations.isEmpty)
  }

  @Test func packetsLeaveWholeOrNotAtAll() {
    var line = started()
    var handler = line.interrupt
    // One of the first five is on its way, four wait, and four more fit.
    let accepted = [send(1...5, &line), send(6...10, &line), send(6...9, &line)]
    #expect(accepted == [true, false, true])
    for _ in 0..<20 {
      model.leave()
      if model.interrupts { handler.handle() }
    }
    #expect(model.sent == Array(1...9))
    let last = send(11...11, &line)
    #expect(last)
    #expect(model.sent.last == 11)
    #expect(model.violations.isEmpty)
  }

  @Test func anInterruptWithoutCauseDoesNothing() {
    var line = started()
    var handler = line.interrupt
    handler.handle()
    let taken = take(&line)
    #expect(taken.isEmpty)
    #expect(model.sent.isEmpty)
    #expect(model.violations.isEmpty)
  }
}

/// A timer of the design kit (4.4), which counts down and begins again.
private final class CMSDKTimerModel: RegisterBlock {
  var value: UInt32 = 0
  var reload: UInt32 = 0
  var control: UInt32 = 0
  var pending: UInt32 = 0

  func load(at offset: UInt32) -> UInt32 {
    switch offset {
    case 0x000: control
    case 0x004: value
    case 0x008: reload
    default: pending
    }
  }
  func store(_ word: UInt32, at offset: UInt32) {
    switch offset {
    case 0x000: control = word
    case 0x004: value = word
    case 0x008: reload = word
    default: pending &= ~word
    }
  }
  func busAddress(of memory: UnsafeRawBufferPointer) -> UInt32 { 0 }

  func pass(_ ticks: UInt64) {
    guard control & 1 != 0, reload > 0 else { return }
    if ticks < UInt64(value) {
      value -= UInt32(ticks)
      return
    }
    if control & 8 != 0 { pending = 1 }
    let over = (ticks - UInt64(value)) % (UInt64(reload) + 1)
    value = over == 0 ? 0 : UInt32(UInt64(reload) + 1 - over)
  }
}

@Suite("Clock of two timers of the design kit")
struct CMSDKTimerTests {
  private let counter = CMSDKTimerModel()
  private let alarm = CMSDKTimerModel()

  private func started() -> CMSDK.TimerClock<CMSDKTimerModel, CMSDKTimerModel> {
    var clock = CMSDK.TimerClock(counter: counter, alarm: alarm, hertz: 25_000_000)
    clock.start()
    return clock
  }

  @Test func countsMillisecondsThroughManyTurnsOfItsCounter() {
    var clock = started()
    var ticks: UInt64 = 0
    for step in 0..<400 as Range<UInt64> {
      let passed = 1_777_777_777 + step * 3
      counter.pass(passed)
      ticks += passed
      let now = clock.now().milliseconds
      #expect(now == ticks / 25_000)
    }
  }

  @Test func wakesAtTheDeadlineAndNotBefore() {
    var clock = started()
    counter.pass(12_345)
    let sleeps = clock.wake(at: Instant(milliseconds: 40))
    #expect(sleeps)
    alarm.pass(40 * 25_000 - 12_345 - 1)
    #expect(alarm.pending == 0)
    alarm.pass(1)
    #expect(alarm.pending == 1)
    clock.acknowledge()
    #expect(alarm.pending == 0)
    #expect(alarm.control == 0)
  }

  @Test func doesNotSleepForAMomentThatHasCome() {
    var clock = started()
    counter.pass(25_000 * 7)
    let sleeps = [clock.wake(at: Instant(milliseconds: 7)), clock.wake(at: .start)]
    #expect(sleeps == [false, false])
  }

  @Test func wakesInTimeToSeeItsCounterGoRound() {
    var clock = started()
    let sleeps = clock.wake(at: .never)
    #expect(sleeps)
    #expect(alarm.value < UInt32.max / 2 + 1)
  }
}

/// The watchdog of the design kit (4.6), locked unless unlocked.
private final class CMSDKWatchdogModel: RegisterBlock {
  var isLocked = false
  var ticks: UInt32 = 0
  var control: UInt32 = 0
  var feeds = 0
  private(set) var violations = 0

  func load(at offset: UInt32) -> UInt32 { 0 }
  func store(_ word: UInt32, at offset: UInt32) {
    if offset == 0xC00 {
      isLocked = word != 0x1ACC_E551
      return
    }
    if isLocked { violations += 1 }
    switch offset {
    case 0x000: ticks = word
    case 0x008: control = word
    case 0x00C: feeds += 1
    default: violations += 1
    }
  }
  func busAddress(of memory: UnsafeRawBufferPointer) -> UInt32 { 0 }
}

@Suite("Watchdog of the design kit")
struct CMSDKWatchdogTests {
  @Test func interruptsThenResetsAndIsLockedInBetween() {
    let model = CMSDKWatchdogModel()
    var watchdog = CMSDK.Watchdog(model)
    watchdog.start(ticks: 1_000)
    #expect(model.ticks == 1_000)
    #expect(model.control == 3)
    #expect(model.isLocked)
    let feeds = model.feeds
    watchdog.feed()
    #expect(model.feeds == feeds + 1)
    #expect(model.isLocked)
    #expect(model.violations == 0)
  }
}
