/// The UART of the nRF51 and a device at the other end of the line (nRF51 Series Reference Manual, "UART").
///
/// Rules that are kept, with the section each is from:
/// - "Resource sharing", "Pin configuration": PSEL registers are written only while the UART is disabled.
/// - "Transmission": a byte is written to TXD after STARTTX, and the next one after TXDRDY. While CTS is high
///   no byte leaves.
/// - "Reception": a FIFO of six bytes; RXDRDY when a byte moves up to RXD, which happens when the one before
///   was read. RTS goes high when no more than four further bytes fit. A byte that finds the FIFO full is
///   lost, and OVERRUN says so.
/// - "Using the UART without flow control": CTS counts as low, RTS is not looked at.
/// - ERRORSRC: a bit is cleared by writing one to it.
final class UARTModel: Peripheral {
  /// What the other side wants to send. It begins when RTS is low, or without flow control at any time.
  var arriving: [UInt8] = []
  /// What has been sent to the other side.
  private(set) var sent: [UInt8] = []
  /// Whether the other side lets us send.
  var isClearToSend = true
  /// Bytes that the other side sent and the FIFO had no room for.
  private(set) var lost = 0
  /// Whether the other side heeds RTS: it does not stop within the byte it is sending, nor before so many
  /// more.
  var slowness = 1

  private var isEnabled = false
  private var isReceiving = false
  private var isTransmitting = false
  private var fifo: [UInt8] = []
  private var outgoing: UInt8?
  private var events: [UInt32: UInt32] = [0x108: 0, 0x11C: 0, 0x124: 0, 0x144: 0]
  private var registers: [UInt32: UInt32] = [
    0x508: .max, 0x50C: .max, 0x510: .max, 0x514: .max, 0x524: 0x0400_0000, 0x56C: 0,
  ]
  private var interrupts: UInt32 = 0
  private var errors: UInt32 = 0
  private var sinceRTS = 0

  private var hasFlowControl: Bool { (registers[0x56C] ?? 0) & 1 != 0 }
  private var rtsIsHigh: Bool { !isReceiving || fifo.count >= 2 }

  /// Whether the interrupt line is up.
  var interruptIsPending: Bool {
    let raised = [(UInt32(2), UInt32(0x108)), (7, 0x11C), (9, 0x124)]
    return raised.contains { bit, event in interrupts & 1 << bit != 0 && events[event] != 0 }
  }

  /// What a register was set to.
  func setting(_ offset: UInt32) -> UInt32? { registers[offset] }

  /// The time of one byte passes on the line.
  func passByte() {
    if isTransmitting, let byte = outgoing, isClearToSend || !hasFlowControl {
      sent.append(byte)
      outgoing = nil
      events[0x11C] = 1
    }
    sinceRTS = rtsIsHigh && hasFlowControl ? sinceRTS + 1 : 0
    guard isReceiving, let byte = arriving.first, sinceRTS <= slowness else { return }
    arriving.removeFirst()
    if fifo.count == 6 {
      lost += 1
      errors |= 1
      events[0x124] = 1
    } else {
      fifo.append(byte)
      if fifo.count == 1 { events[0x108] = 1 }
    }
  }

  /// Somebody holds the line low: a byte without a stop bit.
  func breakLine() {
    errors |= 0b1100
    events[0x124] = 1
  }

  override func value(at offset: UInt32) -> UInt32 {
    switch offset {
    case 0x108, 0x11C, 0x124, 0x144: return events[offset] ?? 0
    case 0x480: return errors
    case 0x518:
      guard !fifo.isEmpty else {
        fault("RXD was read with nothing in it")
        return 0
      }
      let byte = fifo.removeFirst()
      if !fifo.isEmpty { events[0x108] = 1 }
      return UInt32(byte)
    default: return super.value(at: offset)
    }
  }

  override func setValue(_ word: UInt32, at offset: UInt32) {
    switch offset {
    case 0x000, 0x008:
      guard word == 1 else { return }
      if !isEnabled { fault("a task was started while the UART is disabled") }
      if offset == 0 { isReceiving = true } else { isTransmitting = true }
      if registers[offset == 0 ? 0x514 : 0x50C] == .max { fault("started without a pin") }
    case 0x108, 0x11C, 0x124, 0x144:
      if word != 0 { fault("an event was set by the driver") }
      events[offset] = 0
    case 0x304: interrupts |= word
    case 0x308: interrupts &= ~word
    case 0x480: errors &= ~word
    case 0x500:
      if word != 0, word != 4 { fault("ENABLE knows 0 and 4") }
      isEnabled = word == 4
      if !isEnabled { (isReceiving, isTransmitting) = (false, false) }
    case 0x508, 0x50C, 0x510, 0x514, 0x524, 0x56C:
      if isEnabled { fault("\(hexadecimal(offset)) was written while the UART is enabled") }
      registers[offset] = word
    case 0x51C:
      if !isTransmitting { fault("TXD was written before STARTTX") }
      if outgoing != nil { fault("TXD was written before the byte before had left") }
      outgoing = UInt8(truncatingIfNeeded: word)
    default: super.setValue(word, at: offset)
    }
  }
}
