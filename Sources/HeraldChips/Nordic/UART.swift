import HeraldHCI

extension NRF {
  /// The UART of the nRF51, a byte at a time (nRF51 Series Reference Manual, "UART"), as a line to a Bluetooth controller.
  ///
  /// It has a FIFO of six bytes, which at 1 Mbaud is full after 60 µs. So an interrupt handler (`UARTInterrupt`) moves bytes between it and two
  /// queues, and the loop works on the queues. With flow control nothing is lost when the receiving queue is full: the handler leaves the
  /// bytes in the FIFO, the hardware raises RTS, and the other side waits. Without it, bytes that then come are lost and counted.
  public struct UART<Block: RegisterBlock>: HCITransport, ~Copyable {
    private var registers: Block
    private let memory: UARTMemory

    /// The UART with these registers, which keeps its queues in `memory`.
    public init(_ registers: Block, memory: UARTMemory) {
      self.registers = registers
      self.memory = memory
    }

    /// Configures the line and switches it on. The pins are to be configured as inputs (RXD, CTS) and outputs that are high (TXD, RTS)
    /// before.
    public mutating func start(_ pins: SerialPins, _ baudRate: BaudRate) {
      typealias At = SerialRegisters
      // Pins, speed and flow control may only be set while it is disabled.
      registers.write(0, to: At.enable)
      registers.configureLine(pins, baudRate.uart)
      registers.write(4, to: At.enable)
      registers.clear(At.rxdReady)
      registers.clear(At.txdReady)
      registers.clear(At.error)
      registers.write(UARTInterrupts.all, to: At.interruptSet)
      registers.trigger(At.startTX)
      registers.trigger(At.startRX)
    }

    /// What the vector table's entry for this UART is to call `handle` of.
    public var interrupt: UARTInterrupt<Block> { UARTInterrupt(registers, memory: memory) }

    /// Takes what has arrived. The line is never gone.
    public mutating func read(into buffer: inout MutableSpan<UInt8>) -> Int {
      let count = memory.received.take(into: &buffer)
      // The handler switches receiving off when there is no room. There may be now.
      registers.write(UARTInterrupts.all, to: SerialRegisters.interruptSet)
      return count
    }

    /// Queues a packet to be sent. One that is longer than the sending queue is never taken.
    public mutating func write(_ packet: Span<UInt8>) -> Bool {
      guard memory.toSend.append(packet) else { return false }
      // While a byte is on its way the handler takes the next one when it has left, and looks for it after this append. If none is,
      // the handler does not touch the queue or the flag until one has left: sending begins here.
      if memory.isSending.value == 0, let byte = memory.toSend.take() {
        memory.isSending.value = 1
        registers.write(UInt32(byte), to: UARTRegisters.txd)
      }
      return true
    }

    /// What has gone wrong since start.
    public var faults: SerialFaults { memory.faults }
  }

  /// The queues that a UART and its interrupt handler share.
  ///
  /// The handler alone appends to `received` and writes the counters of faults; the loop alone appends to `toSend`. From `toSend` takes whoever
  /// `isSending` names: the loop while it is 0, the handler while it is 1. The loop alone sets it to 1, the handler alone to 0.
  public struct UARTMemory: BitwiseCopyable, @unchecked Sendable {
    let received: ByteRing
    let toSend: ByteRing
    let isSending: SharedWord
    let overruns: SharedWord
    let framing: SharedWord

    /// The queues in `storage`, which stays where it is and is used for nothing else.
    public init<let incoming: Int, let outgoing: Int>(
      _ storage: UnsafeMutablePointer<UARTStorage<incoming, outgoing>>
    ) {
      let start = UnsafeMutableRawPointer(storage)
      unsafe isSending = SharedWord(start)
      unsafe overruns = SharedWord(start + 4)
      unsafe framing = SharedWord(start + 8)
      toSend = unsafe ByteRing(start + 12, bytes: outgoing)
      received = unsafe ByteRing(start + 12 + MemoryLayout<ByteRingStorage<outgoing>>.stride, bytes: incoming)
    }

    /// What has gone wrong since start.
    public var faults: SerialFaults { SerialFaults(overruns: overruns.value, framing: framing.value) }

    /// Whether bytes have arrived that were not taken. To be asked with interrupts masked, before the processor sleeps.
    public var hasInput: Bool { !received.isEmpty }
  }

  /// The memory of a `UARTMemory`: `incoming` and `outgoing` bytes, powers of two. The longest packet has to fit into the latter.
  public struct UARTStorage<let incoming: Int, let outgoing: Int>: ~Copyable {
    private var isSending: UInt32 = 0
    private var overruns: UInt32 = 0
    private var framing: UInt32 = 0
    private var toSend = ByteRingStorage<outgoing>()
    private var received = ByteRingStorage<incoming>()

    /// Empty queues.
    public init() {}
  }

  /// The interrupt handler of a UART: moves what has come and what goes, and no more.
  public struct UARTInterrupt<Block: RegisterBlock> {
    private var registers: Block
    private let memory: UARTMemory

    init(_ registers: Block, memory: UARTMemory) {
      self.registers = registers
      self.memory = memory
    }

    /// Serves the interrupt. Takes at most as many bytes as there is room for.
    public mutating func handle() {
      typealias At = SerialRegisters
      if let errors = registers.takeErrors() {
        if errors.hasOverrun { memory.overruns.value &+= 1 }
        if errors.hasFraming { memory.framing.value &+= 1 }
      }
      while registers.hasHappened(At.rxdReady) {
        guard memory.received.room > 0 else {
          // The byte stays in the FIFO and the event stays set, so that switching the interrupt on again is enough to go on.
          registers.write(UARTInterrupts.rxdReady, to: At.interruptClear)
          break
        }
        // The event before the byte: taking the byte lets the next one move up, and that sets the event again.
        registers.clear(At.rxdReady)
        let byte = registers.read(UARTRegisters.rxd)
        _ = memory.received.append(UInt8(truncatingIfNeeded: byte))
      }
      if registers.hasHappened(At.txdReady) {
        registers.clear(At.txdReady)
        if let byte = memory.toSend.take() {
          registers.write(UInt32(byte), to: UARTRegisters.txd)
        } else {
          memory.isSending.value = 0
        }
      }
    }
  }

  /// What only the UART without direct memory access has.
  private enum UARTRegisters {
    static var rxd: Register<UInt32> { Register(0x518) }
    static var txd: Register<UInt32> { Register(0x51C) }
  }

  /// Bits of INTENSET and INTENCLR.
  private enum UARTInterrupts {
    static var rxdReady: UInt32 { 1 &<< 2 }
    static var txdReady: UInt32 { 1 &<< 7 }
    static var error: UInt32 { 1 &<< 9 }
    static var all: UInt32 { rxdReady | txdReady | error }
  }
}
