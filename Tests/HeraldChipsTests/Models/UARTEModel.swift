/// The UARTE of the nRF52 and a device at the other end of the line (nRF52840 Product Specification,
/// "UARTE").
///
/// Rules that are kept, with the section each is from:
/// - "EasyDMA": buffers are in RAM; PTR and MAXCNT are taken at STARTRX and STARTTX, and may be changed for
///   the next buffer once RXSTARTED or TXSTARTED has come. Changed before, it is not said which of the two
///   the hardware takes.
/// - "Reception": a FIFO of six bytes before the memory; RXDRDY for each byte that is received, which is
///   likely to come before the byte is in memory; ENDRX when the buffer is full. RTS goes high when no more
///   than four further bytes fit, or when the receiver is stopped.
/// - "Transmission": ENDTX when the last byte has left. While CTS is high no byte leaves.
/// - "Pin configuration" and registers: PSEL, CONFIG, BAUDRATE only while disabled; ENABLE is 8.
final class UARTEModel: Peripheral {
  /// What the other side wants to send.
  var arriving: [UInt8] = []
  private(set) var sent: [UInt8] = []
  var isClearToSend = true
  /// Bytes that the FIFO had no room for.
  private(set) var lost = 0
  /// How many accesses of the driver the way of a byte from the FIFO to memory takes.
  var latency = 3
  /// How many accesses of the driver it takes until the receiver has started, and has taken the address of
  /// its buffer.
  var startingTime = 2
  /// Where an event at an offset goes: PPI.
  var onEvent: ((UInt32) -> Void)?
  let bus: ModelMemory

  private var isEnabled = false
  private var fifo: [UInt8] = []
  private var registers: [UInt32: UInt32] = [
    0x508: .max, 0x50C: .max, 0x510: .max, 0x514: .max, 0x524: 0x0400_0000, 0x534: 0, 0x538: 0, 0x544: 0,
    0x548: 0, 0x56C: 0,
  ]
  private var events: [UInt32: UInt32] = [0x108: 0, 0x110: 0, 0x120: 0, 0x124: 0, 0x14C: 0, 0x150: 0]
  private var interrupts: UInt32 = 0
  private var errors: UInt32 = 0
  private var wasStarted = false
  private var sinceRTS = 0
  private var receiving: (next: UInt32, end: UInt32)?
  private var starting = 0
  private var moving = 0
  private var transmitting: (next: UInt32, end: UInt32)?

  init(bus: ModelMemory) { self.bus = bus }

  private var hasFlowControl: Bool { (registers[0x56C] ?? 0) & 1 != 0 }

  /// Whether the interrupt line is up.
  var interruptIsPending: Bool {
    [(UInt32(2), UInt32(0x108)), (8, 0x120), (9, 0x124)].contains {
      interrupts & 1 << $0 != 0 && events[$1] != 0
    }
  }
  func setting(_ offset: UInt32) -> UInt32? { registers[offset] }

  private func raise(_ event: UInt32) {
    events[event] = 1
    onEvent?(event)
  }

  /// The time of one byte passes on the line, far longer than the way to memory.
  func passByte() {
    if var buffer = transmitting, isClearToSend || !hasFlowControl {
      if let byte = bus[buffer.next] {
        sent.append(byte)
      } else {
        fault("sent from \(hexadecimal(buffer.next))")
      }
      buffer.next += 1
      transmitting = buffer.next == buffer.end ? nil : buffer
      if transmitting == nil { raise(0x120) }
    }
    sinceRTS = hasFlowControl && (!wasStarted || fifo.count >= 2) ? sinceRTS + 1 : 0
    guard wasStarted, let byte = arriving.first, sinceRTS <= 1 else { return }
    arriving.removeFirst()
    if fifo.count == 6 {
      lost += 1
      errors |= 1
      events[0x124] = 1
      return
    }
    if fifo.isEmpty { moving = latency }
    fifo.append(byte)
    raise(0x108)
  }

  /// The time of an access of the driver passes: a byte moves on.
  func step() {
    if starting > 0 {
      starting -= 1
      if starting == 0 { events[0x14C] = 1 }
    }
    guard var buffer = receiving, !fifo.isEmpty else { return }
    moving -= 1
    guard moving <= 0 else { return }
    moving = latency
    bus[buffer.next] = fifo.removeFirst()
    buffer.next += 1
    if buffer.next < buffer.end {
      receiving = buffer
    } else {
      receiving = nil
      raise(0x110)
    }
  }

  /// A task, from the driver or from PPI.
  func trigger(_ offset: UInt32) {
    if !isEnabled { fault("a task was started while the UARTE is disabled") }
    let (pointer, count) =
      offset == 0 ? (registers[0x534], registers[0x538]) : (registers[0x544], registers[0x548])
    guard let pointer, let count, count > 0 else { return fault("started without a buffer") }
    if bus[pointer] == nil || bus[pointer + count - 1] == nil { fault("a buffer that is not in RAM") }
    if offset == 0 {
      if receiving != nil { fault("STARTRX while the buffer before is not full") }
      receiving = (pointer, pointer + count)
      wasStarted = true
      starting = startingTime
    } else {
      if transmitting != nil { fault("STARTTX while sending") }
      transmitting = (pointer, pointer + count)
    }
  }

  override func value(at offset: UInt32) -> UInt32 {
    if let event = events[offset] { return event }
    if offset == 0x480 { return errors }
    return super.value(at: offset)
  }

  override func setValue(_ word: UInt32, at offset: UInt32) {
    switch offset {
    case 0x000, 0x008: trigger(offset)
    case 0x304: interrupts |= word
    case 0x308: interrupts &= ~word
    case 0x480: errors &= ~word
    case 0x500:
      if word != 0, word != 8 { fault("ENABLE knows 0 and 8") }
      isEnabled = word == 8
    case 0x508, 0x50C, 0x510, 0x514, 0x524, 0x56C:
      if isEnabled { fault("\(hexadecimal(offset)) was written while the UARTE is enabled") }
      registers[offset] = word
    case 0x534, 0x538:
      if starting > 0 { fault("a buffer was named before RXSTARTED") }
      registers[offset] = word
    case 0x544, 0x548:
      if transmitting != nil { fault("a buffer was named while sending") }
      registers[offset] = word
    default:
      guard events[offset] != nil else { return super.setValue(word, at: offset) }
      if word != 0 { fault("an event was set by the driver") }
      events[offset] = 0
    }
  }
}

/// PPI (nRF52840 Product Specification, "PPI"): "channels", each with an event, a task and a second task
/// (fork); groups, whose tasks switch their channels on and off, also on an event that one of them serves.
final class PPIModel: Peripheral {
  /// What tasks of other peripherals do, by address.
  var tasks: [UInt32: () -> Void] = [:]
  private var enabled: UInt32 = 0
  private var registers: [UInt32: UInt32] = [:]

  /// An event at an address.
  func event(_ address: UInt32) {
    let channels = (0..<20).filter {
      enabled & 1 << UInt32($0) != 0 && registers[0x510 + 8 * UInt32($0)] == address
    }
    for channel in channels {
      for task in [registers[0x514 + 8 * UInt32(channel)], registers[0x910 + 4 * UInt32(channel)]] {
        guard let task, task != 0 else { continue }
        if task >= 0x4001_F000, task < 0x4001_F030 {
          let mask = registers[0x800 + 4 * ((task - 0x4001_F000) / 8)] ?? 0
          if task % 8 == 0 { enabled |= mask } else { enabled &= ~mask }
        } else if let action = tasks[task] {
          action()
        } else {
          fault("a task at \(hexadecimal(task)), where there is none")
        }
      }
    }
  }

  override func value(at offset: UInt32) -> UInt32 {
    (0x500...0x508).contains(offset) ? enabled : super.value(at: offset)
  }

  override func setValue(_ word: UInt32, at offset: UInt32) {
    switch offset {
    case 0x504: enabled |= word
    case 0x508: enabled &= ~word
    case 0x510..<0x5B0, 0x800..<0x818, 0x910..<0x960: registers[offset] = word
    default: super.setValue(word, at: offset)
    }
  }
}
