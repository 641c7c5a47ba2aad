/// A TIMER in timer or counter mode (nRF51 Series Reference Manual, "TIMER"; nRF52840 Product Specification,
/// "TIMER").
///
/// Rules that are kept:
/// - "Operation": MODE, BITMODE and PRESCALER are written only while the timer stands.
/// - "Capture": the counter is read by way of CAPTURE and CC alone.
/// - "Compare": an event when the counter comes to equal CC; none when CC is written after that.
/// - Register overview: PRESCALER 0…9, 16 MHz / 2ⁿ; after reset 4; BITMODE after reset 16 bits.
final class TimerModel: Peripheral {
  /// What each access of the driver takes, in ticks of 16 MHz.
  var ticksPerAccess: UInt64 = 4
  private var isRunning = false
  /// In ticks of 16 MHz, or events counted.
  private var total: UInt64 = 0
  private var mode: UInt32 = 0
  private var bitMode: UInt32 = 0
  private var prescaler: UInt32 = 4
  private var compareValues: [UInt32] = [0, 0, 0, 0]
  /// A bit for each.
  private var events: UInt32 = 0
  private var interrupts: UInt32 = 0

  private var mask: UInt32 {
    switch bitMode {
    case 0: 0xFFFF
    case 1: 0xFF
    case 2: 0xFF_FFFF
    default: .max
    }
  }
  private var counter: UInt32 {
    UInt32(truncatingIfNeeded: mode == 0 ? total >> UInt64(prescaler) : total) & mask
  }

  /// Whether the interrupt line is up.
  var interruptIsPending: Bool { interrupts >> 16 & events != 0 }

  /// Time passes.
  func pass(microseconds: UInt64) { advance(microseconds * 16) }

  /// A task from another peripheral: one more was counted.
  func count() {
    guard isRunning, mode != 0 else { return }
    total += 1
    noteMatches(of: total - 1)
  }

  private func advance(_ ticks: UInt64) {
    guard isRunning, mode == 0 else { return }
    let before = total
    total += ticks
    noteMatches(of: before)
  }

  /// Compares as if the counter had been looked at in each of its places between `before` and now.
  private func noteMatches(of before: UInt64) {
    let shift = mode == 0 ? UInt64(prescaler) : 0
    let (from, to) = (before >> shift, total >> shift)
    let period = UInt64(mask) + 1
    let next = from + 1
    let place = next % period
    for index in 0..<4 {
      let first = next + (UInt64(compareValues[index]) + period - place) % period
      if first <= to { events |= 1 << UInt32(index) }
    }
  }

  override func value(at offset: UInt32) -> UInt32 {
    advance(ticksPerAccess)
    switch offset {
    case 0x140, 0x144, 0x148, 0x14C: return events >> ((offset - 0x140) / 4) & 1
    case 0x540, 0x544, 0x548, 0x54C: return compareValues[Int(offset - 0x540) / 4]
    default: return super.value(at: offset)
    }
  }

  override func setValue(_ word: UInt32, at offset: UInt32) {
    advance(ticksPerAccess)
    switch offset {
    case 0x000: isRunning = true
    case 0x004: isRunning = false
    case 0x00C: total = 0
    case 0x040, 0x044, 0x048, 0x04C: compareValues[Int(offset - 0x40) / 4] = counter
    case 0x140, 0x144, 0x148, 0x14C: events &= ~(1 << ((offset - 0x140) / 4))
    case 0x304: interrupts |= word
    case 0x308: interrupts &= ~word
    case 0x504, 0x508, 0x510:
      if isRunning { fault("\(hexadecimal(offset)) was written while the timer runs") }
      if offset == 0x504 { mode = word }
      if offset == 0x508 { bitMode = word & 3 }
      if offset == 0x510 {
        if word > 9 { fault("PRESCALER goes to 9") }
        prescaler = min(word, 9)
      }
    case 0x540, 0x544, 0x548, 0x54C: compareValues[Int(offset - 0x540) / 4] = word & mask
    default: super.setValue(word, at: offset)
    }
  }
}
