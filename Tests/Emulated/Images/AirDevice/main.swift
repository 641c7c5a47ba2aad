import HeraldBluetooth
import HeraldChips
import HeraldHAL
import HeraldLinkLayer
import Startup

// Advertises, scans actively, and returns each received payload to its sender: the link layer on the radio of
// the chip, with nothing above it. Of two such devices, the one with the lower address connects to the other
// and sends it a payload, which they return to each other from then on.

nonisolated(unsafe) var link = LinkLayer<Radio, 2>(radio: makeRadio(), seed: 1)
nonisolated(unsafe) var flash = unsafe makeFlash(&link)
/// What the test reads: the numbers of received advertisements and scan responses, of connections that were
/// opened and that were closed, of received payloads, and of late operations of the radio. They are the
/// program's part of the retained words. The test writes `pages`: how often a page is to be erased and
/// written.
enum Count: Int {
  case reports = 8
  case opened
  case closed
  case payloads
  case pages
  case late

  static func clear() { for place in 8..<14 { unsafe startup_retained_words()?[place] = 0 } }
  var value: UInt32 {
    get { unsafe startup_retained_words()?[rawValue] ?? 0 }
    nonmutating set { unsafe startup_retained_words()?[rawValue] = newValue }
  }
  func increment() { unsafe startup_retained_words()?[rawValue] &+= 1 }
}

/// The address, whose last byte is that of the chip's number.
let own = DeviceAddress(high: 0xC0FF, low: 0xEE00_0000 | chipNumber(), kind: .random)
/// Whether a connection to another device was requested.
nonisolated(unsafe) var isConnecting = false
/// The payload to be returned.
nonisolated(unsafe) var echo = Echo()
nonisolated(unsafe) var control = CortexM.SystemControl(CortexM.SystemControlRegisters())

/// The handler of RADIO and RTC0, which have the highest priority.
@_cdecl("IRQ1_Handler") func radioInterrupted() {
  if link.radioInterrupt() { control.pend(Interrupt.procedures) }
}
@_cdecl("IRQ11_Handler") func counterInterrupted() { radioInterrupted() }
/// The handler of the software interrupt below them.
@_cdecl("IRQ20_Handler") func proceduresInterrupted() { link.procedures() }

Count.clear()
control.setPriority(Interrupt.radio, 0)
control.setPriority(Interrupt.counter, 0)
control.setPriority(Interrupt.procedures, 1)
control.enable(Interrupt.radio)
control.enable(Interrupt.counter)
control.enable(Interrupt.procedures)
begin()
while true {
  // With the interrupt of `procedures` disabled, the host's calls are on its level.
  control.disable(Interrupt.procedures)
  serve()
  // An interrupt that occurs from here on is pending and ends the sleep.
  startup_hold_interrupts()
  control.enable(Interrupt.procedures)
  startup_wait_for_interrupt()
  startup_let_interrupts()
  writeFlash()
}

/// Starts advertising and scanning.
func begin() {
  control.disable(Interrupt.procedures)
  let data: InlineArray<_, UInt8> = [2, 1, 6, 5, 9, 0x63, 0x68, 0x69, 0x70]
  let response: InlineArray<_, UInt8> = [6, 8, 0x72, 0x61, 0x64, 0x69, 0x6F]
  try? link.advertise(.connectable, as: own, every: 100, data: data.span, response: response.span)
  try? link.scan(active: true, as: own, every: 60, for: 30)
}

/// Erases and writes a page, if the test has requested it.
func writeFlash() {
  Count.late.value = link.counters.late
  guard Count.pages.value > 0 else { return }
  Count.pages.value &-= 1
  let bytes: InlineArray<256, UInt8> = .init(repeating: 0x5A)
  try? flash.erase(page: 0)
  try? flash.program(page: 0, offset: 0, bytes.span)
}

/// Connects to the device of an advertisement if it is such a one with a higher address.
func consider(_ report: ReceivedPDU) {
  let bytes = report.bytes
  guard !isConnecting, bytes[0] & 15 == 0,
    let other = DeviceAddress(onAir: bytes.span.extracting(2..<8), kind: .random), other.high == own.high,
    other.low &>> 8 == own.low &>> 8, other.low > own.low
  else { return }
  isConnecting = (try? link.connect(to: other, as: own, interval: 16, timeout: 200)) != nil
}

/// Takes what the link layer has received.
func serve() {
  while let report = link.takeReport() {
    Count.reports.increment()
    consider(report)
  }
  while let event = link.takeEvent() {
    switch event {
    case .opened(let connection, let role, _):
      Count.opened.increment()
      if role == .central { echo.begin(connection) }
    case .closed:
      Count.closed.increment()
      isConnecting = false
      begin()
    case .connectFailed: isConnecting = false
    default: break
    }
  }
  // The queue for transmission may be full: the next payload is taken when there is room.
  while echo.send() {
    guard link.takePayload({ connection, isStart, payload in echo.fill(connection, isStart, payload) }) else {
      return
    }
    Count.payloads.increment()
  }
}

/// A payload that is returned to its sender.
struct Echo {
  var connection = 0
  var isStart = false
  var count = 0
  var bytes: [27 of UInt8] = .init(repeating: 0)

  /// A first payload of one byte.
  mutating func begin(_ connection: Int) { (self.connection, isStart, count) = (connection, true, 1) }

  mutating func fill(_ connection: Int, _ isStart: Bool, _ payload: Span<UInt8>) {
    self.connection = connection
    self.isStart = isStart
    count = min(payload.count, 27)
    for index in 0..<count { bytes[index] = payload[index] }
  }

  /// Queues the payload, if there is one; `false` if there is no room for it.
  mutating func send() -> Bool {
    guard count > 0 else { return true }
    do throws(RadioError) {
      try link.send(bytes.span.extracting(first: count), isStart: isStart, on: connection)
    } catch .busy {
      return false
    } catch {}
    count = 0
    return true
  }
}
