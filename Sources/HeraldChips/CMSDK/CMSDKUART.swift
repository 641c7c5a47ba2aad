import HeraldHAL

extension CMSDK {
  /// The APB UART (4.3): one byte each way, no FIFO, no flow control. Used as a byte line, including that to
  /// a Bluetooth controller.
  ///
  /// With a single byte of buffer the latency is short: the interrupt handler (`UARTInterrupt`) moves bytes
  /// between it and two queues, and the loop works on the queues. Bytes received while the receiving queue is
  /// full are lost, and counted.
  public struct UART<Block: RegisterBlock>: ControllerTransport, ~Copyable {
    private var registers: Block
    private let queues: SerialQueues

    /// Uses the UART with these registers and queues.
    public init(_ registers: Block, queues: SerialQueues) {
      self.registers = registers
      self.queues = queues
    }

    /// Enables the line at `clock / divisor` bit/s; `divisor` is at least 16.
    public mutating func start(divisor: UInt32) {
      registers.write(UARTControl.off, to: UARTRegisters.control)
      registers.write(divisor, to: UARTRegisters.divisor)
      registers.write(UARTState.overruns, to: UARTRegisters.state)
      registers.write(UARTInterrupts.all, to: UARTRegisters.interrupts)
      registers.write(UARTControl.on, to: UARTRegisters.control)
    }

    /// The interrupt handler: the vector table's entries for this UART must call its `handle`.
    public var interrupt: UARTInterrupt<Block> { UARTInterrupt(registers, queues: queues) }

    public static var isAlwaysThere: Bool { true }

    /// Reads received bytes. Never returns -1: the line cannot be disconnected.
    public mutating func read(into buffer: inout MutableSpan<UInt8>) -> Int {
      queues.received.take(into: &buffer)
    }

    /// Queues bytes to be sent: all of them or none. More bytes than the capacity of the transmit queue are
    /// never accepted.
    public mutating func write(_ bytes: Span<UInt8>) -> Bool {
      guard let sending = queues.send(bytes) else { return false }
      if case .begins(let byte) = sending { registers.write(UInt32(byte), to: UARTRegisters.data) }
      return true
    }
  }

  /// The interrupt handler of a UART, for its receive and its transmit interrupt. It only moves received and
  /// outgoing bytes.
  public struct UARTInterrupt<Block: RegisterBlock> {
    private var registers: Block
    /// The queues shared with the loop.
    public let queues: SerialQueues

    init(_ registers: Block, queues: SerialQueues) {
      self.registers = registers
      self.queues = queues
    }

    /// Handles the interrupt.
    public mutating func handle() {
      let happened = registers.read(UARTRegisters.interrupts)
      // Cleared before the bytes are moved, so that a later event sets it again.
      registers.write(happened, to: UARTRegisters.interrupts)
      let state = registers.read(UARTRegisters.state)
      if state & UARTState.receiveOverrun != 0 {
        registers.write(UARTState.receiveOverrun, to: UARTRegisters.state)
        queues.countOverrun()
      }
      if state & UARTState.received != 0 {
        let byte = registers.read(UARTRegisters.data)
        if !queues.received.append(UInt8(truncatingIfNeeded: byte)) { queues.countOverrun() }
      }
      guard queues.isUnderWay, registers.read(UARTRegisters.state) & UARTState.sending == 0,
        let byte = queues.next()
      else { return }
      registers.write(UInt32(byte), to: UARTRegisters.data)
    }
  }

  private enum UARTRegisters {
    static var data: Register<UInt32> { Register(0x000) }
    static var state: Register<UInt32> { Register(0x004) }
    static var control: Register<UInt32> { Register(0x008) }
    /// INTSTATUS and INTCLEAR: pending interrupts, cleared by writing ones.
    static var interrupts: Register<UInt32> { Register(0x00C) }
    static var divisor: Register<UInt32> { Register(0x010) }
  }

  /// Bits of STATE. The overrun bits are cleared by writing ones.
  private enum UARTState {
    static var sending: UInt32 { 1 }
    static var received: UInt32 { 2 }
    static var receiveOverrun: UInt32 { 8 }
    static var overruns: UInt32 { 12 }
  }

  /// Values of CTRL.
  private enum UARTControl {
    static var off: UInt32 { 0 }
    /// Transmission, reception, and the interrupts of both.
    static var on: UInt32 { 15 }
  }

  private enum UARTInterrupts {
    static var all: UInt32 { 15 }
  }
}
