import HeraldHAL

extension NRF {
  /// The UART of the nRF51, a byte at a time (nRF51 Series Reference Manual, "UART"), as a line to a
  /// Bluetooth controller.
  ///
  /// It has a FIFO of six bytes, which at 1 Mbaud is full after 60 µs. An interrupt handler therefore
  /// (`UARTInterrupt`) moves bytes between it and two queues, and the loop works on the queues. With flow
  /// control no bytes are lost when the receiving queue is full: the handler leaves the bytes in the FIFO,
  /// the hardware raises RTS, and the other side waits. Without it, bytes received then are lost and counted.
  public struct UART<Block: RegisterBlock>: ControllerTransport, ~Copyable {
    private var registers: Block
    private let queues: SerialQueues

    /// The UART with these registers and queues.
    public init(_ registers: Block, queues: SerialQueues) {
      self.registers = registers
      self.queues = queues
    }

    /// Configures the line and switches it on. The pins are to be configured as inputs (RXD, CTS) and outputs
    /// that are high (TXD, RTS) before.
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
    public var interrupt: UARTInterrupt<Block> { UARTInterrupt(registers, queues: queues) }

    public static var readsAll: Bool { true }

    public static var isAlwaysThere: Bool { true }

    /// Reads received bytes. The line is never lost.
    public mutating func read(into buffer: inout MutableSpan<UInt8>) -> Int {
      let count = queues.received.take(into: &buffer)
      // The handler disables reception when there is no room. There may be room now.
      registers.write(UARTInterrupts.all, to: SerialRegisters.interruptSet)
      return count
    }

    /// Queues a packet to be sent. One that is longer than the sending queue is never accepted.
    public mutating func write(_ packet: Span<UInt8>) -> Bool {
      guard let sending = queues.send(packet) else { return false }
      if case .begins(let byte) = sending { registers.write(UInt32(byte), to: UARTRegisters.txd) }
      return true
    }

    /// The errors since start.
    public var faults: SerialFaults { queues.faults }
  }

  /// The interrupt handler of a UART: moves received and outgoing bytes only.
  public struct UARTInterrupt<Block: RegisterBlock> {
    private var registers: Block
    private let queues: SerialQueues

    /// The handler for the UART with these registers and queues.
    @inline(__always)
    public init(_ registers: Block, queues: SerialQueues) {
      self.registers = registers
      self.queues = queues
    }

    /// Leaves received bytes in the FIFO until `receive` is called, which has to be before there are six, or
    /// lets them interrupt again.
    public mutating func hold(_ isHeld: Bool) {
      let mask = UARTInterrupts.rxdReady
      registers.write(mask, to: isHeld ? SerialRegisters.interruptClear : SerialRegisters.interruptSet)
    }

    /// Whether a byte is in the FIFO.
    public var hasByte: Bool {
      mutating get { registers.hasHappened(SerialRegisters.rxdReady) }
    }

    /// Serves the interrupt.
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

    /// Moves bytes from the FIFO to the queue, at most as many bytes as there is room for. Returns whether to
    /// try again: there were bytes, and room for them.
    ///
    /// It runs several times for each packet, and its loop for each byte: the loop contains only what cannot
    /// be moved out of it.
    @inline(__always) @discardableResult
    public mutating func receive() -> Bool {
      typealias At = SerialRegisters
      guard registers.hasHappened(At.rxdReady) else { return false }
      var next: UInt32
      let end: UInt32
      (next, end) = queues.received.appending
      repeat {
        guard next != end else {
          // The byte stays in the FIFO and the event stays set, so that enabling the interrupt again is
          // enough to continue.
          registers.write(UARTInterrupts.rxdReady, to: At.interruptClear)
          queues.received.publish(next)
          return false
        }
        // The event before the byte: taking the byte lets the next one move up, and that sets the event
        // again. The read behind it is of the same peripheral: it needs no other one to have the write
        // arrive.
        registers.write(.clear, to: At.rxdReady)
        let byte = registers.read(UARTRegisters.rxd)
        queues.received.put(UInt8(truncatingIfNeeded: byte), at: next)
        next &+= 1
      } while registers.hasHappened(At.rxdReady)
      queues.received.publish(next)
      return true
    }
  }

  /// The registers that only the UART without direct memory access has.
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
