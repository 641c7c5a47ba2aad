import HeraldEmbedded
import HeraldHCI

extension CMSDK {
  /// The APB UART (4.3): one byte each way, no FIFO, no flow control. As a line of bytes, and so as a line to a Bluetooth controller.
  ///
  /// With a single byte of room somebody has to be quick: the interrupt handler (`UARTInterrupt`) moves bytes between it and two queues,
  /// and the loop works on the queues. Bytes that come while the receiving queue is full are lost, and counted.
  public struct UART<Block: RegisterBlock>: HCITransport, ~Copyable {
    private var registers: Block
    private let memory: UARTMemory

    /// The UART with these registers, which keeps its queues in `memory`.
    public init(_ registers: Block, memory: UARTMemory) {
      self.registers = registers
      self.memory = memory
    }

    /// Switches the line on, at `clock / divisor` bits a second; `divisor` is 16 or more.
    public mutating func start(divisor: UInt32) {
      registers.write(UARTControl.off, to: UARTRegisters.control)
      registers.write(divisor, to: UARTRegisters.divisor)
      registers.write(UARTState.overruns, to: UARTRegisters.state)
      registers.write(UARTInterrupts.all, to: UARTRegisters.interrupts)
      registers.write(UARTControl.on, to: UARTRegisters.control)
    }

    /// What the vector table's entries for this UART are to call `handle` of.
    public var interrupt: UARTInterrupt<Block> { UARTInterrupt(registers, memory: memory) }

    /// Takes what has arrived. The line is never gone.
    public mutating func read(into buffer: inout MutableSpan<UInt8>) -> Int {
      memory.received.take(into: &buffer)
    }

    /// Queues bytes to be sent: all of them or none. More than the sending queue holds are never taken.
    public mutating func write(_ bytes: Span<UInt8>) -> Bool {
      guard memory.toSend.append(bytes) else { return false }
      // While a byte is on its way the handler takes the next one when that has left, and looks for it after this append. If none
      // is, the handler does not touch the queue or the flag until one has left: sending begins here.
      if memory.isSending.value == 0, let byte = memory.toSend.take() {
        memory.isSending.value = 1
        registers.write(UInt32(byte), to: UARTRegisters.data)
      }
      return true
    }
  }

  /// The queues that a UART and its interrupt handler share.
  ///
  /// The handler alone appends to `received` and counts losses; the loop alone appends to `toSend`. From `toSend` takes whoever
  /// `isSending` names: the loop while it is 0, the handler while it is 1. The loop alone sets it to 1, the handler alone to 0.
  public struct UARTMemory: BitwiseCopyable, @unchecked Sendable {
    let received: ByteRing
    let toSend: ByteRing
    let isSending: SharedWord
    private let lost: SharedWord

    /// The queues in `storage`, which stays where it is and is used for nothing else.
    public init<let incoming: Int, let outgoing: Int>(
      _ storage: UnsafeMutablePointer<UARTStorage<incoming, outgoing>>
    ) {
      let start = UnsafeMutableRawPointer(storage)
      unsafe isSending = SharedWord(start)
      unsafe lost = SharedWord(start + 4)
      toSend = unsafe ByteRing(start + 8, bytes: outgoing)
      received = unsafe ByteRing(start + 8 + MemoryLayout<ByteRingStorage<outgoing>>.stride, bytes: incoming)
      isSending.value = 0
      lost.value = 0
    }

    /// How many bytes have arrived that were not taken. To be asked with interrupts held, before the processor sleeps.
    public var waiting: Int { received.count }
    /// How often bytes were lost.
    public var overruns: UInt32 { lost.value }
    /// Counts a loss. The handler's.
    func countLoss() { lost.value &+= 1 }
  }

  /// The memory of a `UARTMemory`: `incoming` and `outgoing` bytes, powers of two. The longest packet has to fit into the latter.
  public struct UARTStorage<let incoming: Int, let outgoing: Int>: ~Copyable {
    private var isSending: UInt32 = 0
    private var overruns: UInt32 = 0
    private var toSend = ByteRingStorage<outgoing>()
    private var received = ByteRingStorage<incoming>()

    /// Empty queues.
    public init() {}
  }

  /// The interrupt handler of a UART, for its receive and its transmit interrupt: moves what has come and what goes, and no more.
  public struct UARTInterrupt<Block: RegisterBlock> {
    private var registers: Block
    /// What it shares with the loop.
    public let memory: UARTMemory

    init(_ registers: Block, memory: UARTMemory) {
      self.registers = registers
      self.memory = memory
    }

    /// Serves the interrupt.
    public mutating func handle() {
      let happened = registers.read(UARTRegisters.interrupts)
      // Cleared first: what happens from here on sets it again.
      registers.write(happened, to: UARTRegisters.interrupts)
      let state = registers.read(UARTRegisters.state)
      if state & UARTState.receiveOverrun != 0 {
        registers.write(UARTState.receiveOverrun, to: UARTRegisters.state)
        memory.countLoss()
      }
      if state & UARTState.received != 0 {
        let byte = registers.read(UARTRegisters.data)
        if !memory.received.append(UInt8(truncatingIfNeeded: byte)) { memory.countLoss() }
      }
      guard memory.isSending.value != 0, registers.read(UARTRegisters.state) & UARTState.sending == 0 else {
        return
      }
      if let byte = memory.toSend.take() {
        registers.write(UInt32(byte), to: UARTRegisters.data)
      } else {
        memory.isSending.value = 0
      }
    }
  }

  private enum UARTRegisters {
    static var data: Register<UInt32> { Register(0x000) }
    static var state: Register<UInt32> { Register(0x004) }
    static var control: Register<UInt32> { Register(0x008) }
    /// Which interrupts are pending; a one written clears one.
    static var interrupts: Register<UInt32> { Register(0x00C) }
    static var divisor: Register<UInt32> { Register(0x010) }
  }

  /// Bits of STATE. Those of the overruns are cleared by writing ones.
  private enum UARTState {
    static var sending: UInt32 { 1 }
    static var received: UInt32 { 2 }
    static var receiveOverrun: UInt32 { 8 }
    static var overruns: UInt32 { 12 }
  }

  /// Values of CTRL.
  private enum UARTControl {
    static var off: UInt32 { 0 }
    /// Sending, receiving, and the interrupts of both.
    static var on: UInt32 { 15 }
  }

  private enum UARTInterrupts {
    static var all: UInt32 { 15 }
  }
}
