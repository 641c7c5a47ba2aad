import HeraldHAL

extension NRF {
  /// The UART of the nRF51, without DMA (nRF51 Series Reference Manual, "UART"), as a line to a Bluetooth
  /// controller.
  ///
  /// Its FIFO of six bytes is full after 60 µs at 1 Mbaud. Therefore the interrupt handler (`UARTInterrupt`)
  /// moves bytes between it and two queues, and the loop uses the queues. With flow control no bytes are lost
  /// when the receive queue is full: the handler leaves the bytes in the FIFO, the hardware deasserts RTS,
  /// and the other side waits. Without flow control, bytes received then are lost and counted.
  public struct UART<Block: RegisterBlock>: ControllerTransport, ~Copyable {
    private var registers: Block
    private let queues: SerialQueues

    /// Uses the UART with these registers and queues.
    public init(_ registers: Block, queues: SerialQueues) {
      self.registers = registers
      self.queues = queues
    }

    /// Configures the line and enables it. The pins must have been configured as inputs (RXD, CTS) and as
    /// outputs with high level (TXD, RTS).
    public mutating func start(_ pins: SerialPins, _ baudRate: BaudRate) {
      typealias At = SerialRegisters
      // Pins, baud rate and flow control may be set only while the UART is disabled.
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

    /// The interrupt handler: the vector table's entry for this UART must call its `handle`.
    public var interrupt: UARTInterrupt<Block> { UARTInterrupt(registers, queues: queues) }

    public static var readsAll: Bool { true }

    public static var isAlwaysThere: Bool { true }

    /// Reads received bytes. Never returns -1: the line cannot be disconnected.
    public mutating func read(into buffer: inout MutableSpan<UInt8>) -> Int {
      let count = queues.received.take(into: &buffer)
      // The handler disables its receive interrupt when there is no room. There may be room now.
      registers.write(UARTInterrupts.all, to: SerialRegisters.interruptSet)
      return count
    }

    /// Queues a packet to be sent. A packet longer than the transmit queue is never accepted.
    public mutating func write(_ packet: Span<UInt8>) -> Bool {
      guard let sending = queues.send(packet) else { return false }
      if case .begins(let byte) = sending { registers.write(UInt32(byte), to: UARTRegisters.txd) }
      return true
    }

    /// The errors since start.
    public var faults: SerialFaults { queues.faults }
  }

  /// The interrupt handler of a UART. It only moves received and outgoing bytes.
  public struct UARTInterrupt<Block: RegisterBlock> {
    private var registers: Block
    private let queues: SerialQueues

    /// Uses the UART with these registers and queues.
    @inline(__always)
    public init(_ registers: Block, queues: SerialQueues) {
      self.registers = registers
      self.queues = queues
    }

    /// If `isHeld`, disables the receive interrupt: received bytes stay in the FIFO until `receive` is
    /// called, which must be before there are six. Otherwise enables it again.
    public mutating func hold(_ isHeld: Bool) {
      let mask = UARTInterrupts.rxdReady
      registers.write(mask, to: isHeld ? SerialRegisters.interruptClear : SerialRegisters.interruptSet)
    }

    /// Whether a byte is in the FIFO.
    public var hasByte: Bool {
      mutating get { registers.hasHappened(SerialRegisters.rxdReady) }
    }

    /// Handles the interrupt.
    public mutating func handle() {
      typealias At = SerialRegisters
      if let errors = registers.takeErrors() {
        if errors.hasOverrun { queues.countOverrun() }
        if errors.hasFraming { queues.countFraming() }
      }
      receive()
      if registers.hasHappened(At.txdReady) {
        registers.clear(At.txdReady)
        if let byte = queues.next() { registers.write(UInt32(byte), to: UARTRegisters.txd) }
      }
    }

    /// Moves bytes from the FIFO to the queue, as far as there is room. Returns whether to call again: there
    /// were bytes, and room for them.
    ///
    /// Time-critical: called several times for each packet, with a loop for each byte. The loop contains only
    /// what cannot be moved out of it.
    @inline(__always) @discardableResult
    public mutating func receive() -> Bool {
      typealias At = SerialRegisters
      guard registers.hasHappened(At.rxdReady) else { return false }
      var next: UInt32
      let end: UInt32
      (next, end) = queues.received.appending
      repeat {
        guard next != end else {
          // The byte stays in the FIFO and the event stays set, so that enabling the interrupt is sufficient
          // to continue.
          registers.write(UARTInterrupts.rxdReady, to: At.interruptClear)
          queues.received.publish(next)
          return false
        }
        // The event is cleared before the byte is read: reading lets the next byte move up, which sets the
        // event again. The following read is of the same peripheral, so that no other read is required to
        // complete the write.
        registers.write(.clear, to: At.rxdReady)
        let byte = registers.read(UARTRegisters.rxd)
        queues.received.put(UInt8(truncatingIfNeeded: byte), at: next)
        next &+= 1
      } while registers.hasHappened(At.rxdReady)
      queues.received.publish(next)
      return true
    }
  }

  /// The registers that only the UART without DMA has.
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
