import HeraldHAL

extension NRF {
  /// The UART with EasyDMA of the nRF52 (nRF52840 Product Specification, "UARTE"), as a line to a Bluetooth
  /// controller.
  ///
  /// Bytes are received into the two halves of a buffer alternately. When a half is full, PPI starts the
  /// receiver on the other one without delay and disables that PPI channel, which is enabled again only after
  /// the next half has been read. Therefore no byte is lost between the halves, and none is overwritten if
  /// the loop reads late: the receiver then stops, and with flow control the hardware deasserts RTS. Bytes in
  /// a half that is not full are counted by a timer, as the UARTE reports their number only at the end.
  ///
  /// It requires a 32-bit TIMER, two PPI channels and a PPI group. While it receives, the 16 MHz clock runs.
  public struct UARTE<Block: RegisterBlock & ~Copyable>: ControllerTransport, ~Copyable {
    private var registers: Block
    private var counter: Block
    private var ppi: PPI<Block>
    private let wiring: UARTEWiring
    private let memory: UARTEMemory
    /// The number of bytes read, and the number of halves on which the receiver was started, alternately in
    /// `memory`. Both wrap at 2³².
    private var delivered: UInt32 = 0
    private var started: UInt32 = 0
    /// Whether PPI will start the receiver on the next half.
    private var isArmed = false
    private var isSending = false
    /// The errors since start.
    public var faults: SerialFaults { memory.faults }

    /// Uses the UARTE with these registers, a timer, and PPI, whose addresses are in `wiring`.
    public init(
      _ registers: consuming Block, counter: consuming Block, ppi: consuming Block, wiring: UARTEWiring,
      memory: UARTEMemory
    ) {
      self.registers = registers
      self.counter = counter
      self.ppi = PPI(ppi)
      self.wiring = wiring
      self.memory = memory
    }

    /// Configures the line and enables it. The pins must have been configured as inputs (RXD, CTS) and as
    /// outputs with high level (TXD, RTS). If there is no room for two halves, nothing is started.
    public mutating func start(_ pins: SerialPins, _ baudRate: BaudRate) {
      guard memory.half > 0 else { return }
      registers.write(0, to: Serial.enable)
      registers.configureLine(pins, baudRate.uarte)
      registers.write(8, to: Serial.enable)
      registers.clear(Serial.rxdReady)
      registers.clear(Serial.error)
      registers.clear(At.endTX)
      startCounting()
      ppi.connect(
        wiring.firstChannel, event: wiring.address &+ Serial.rxdReady.offset,
        task: wiring.counterAddress &+ TimerRegisters.count.offset)
      ppi.enable(wiring.firstChannel)
      // The second channel starts the receiver and disables its own group, and thereby itself.
      ppi.disable(nextHalf)
      ppi.connect(
        nextHalf, event: wiring.address &+ At.endRX.offset,
        task: wiring.address &+ Serial.startRX.offset, fork: ppi.disableTask(group: wiring.group))
      ppi.setGroup(wiring.group, 1 &<< UInt32(truncatingIfNeeded: nextHalf))
      registers.write(UInt32(truncatingIfNeeded: memory.half), to: At.receiveCount)
      startReceiver()
      registers.write(UARTEInterrupts.all, to: Serial.interruptSet)
    }

    public static var isAlwaysThere: Bool { true }

    /// Reads received bytes. Never returns -1: the line cannot be disconnected.
    public mutating func read(into buffer: inout MutableSpan<UInt8>) -> Int {
      if let errors = registers.takeErrors() {
        if errors.hasOverrun { memory.overruns.value &+= 1 }
        if errors.hasFraming { memory.framing.value &+= 1 }
      }
      noteSent()
      guard started > 0 else { return 0 }
      let received = count()
      keepReceiving(received)
      // Bytes beyond the halves that were started are in the receiver's FIFO.
      let inFIFO = max(0, Int32(bitPattern: received &- end))
      let ready = Int(truncatingIfNeeded: received &- UInt32(bitPattern: inFIFO) &- delivered)
      let taken = min(ready, buffer.count)
      for index in 0..<taken {
        let position = delivered &+ UInt32(truncatingIfNeeded: index)
        buffer[index] = memory.received[Int(truncatingIfNeeded: position & memory.mask)]
      }
      delivered &+= UInt32(truncatingIfNeeded: taken)
      if taken > 0 { keepReceiving(received) }
      return taken
    }

    /// The maximum length of a packet in bytes: the size of the transmit buffer.
    public var longestPacket: Int { memory.sendCapacity }

    /// Sends a packet. A packet longer than the transmit buffer is never accepted.
    public mutating func write(_ packet: Span<UInt8>) -> Bool {
      noteSent()
      guard !isSending, started > 0, packet.count <= memory.sendCapacity else { return false }
      guard packet.count > 0 else { return true }
      for index in 0..<packet.count { memory.toSend[index] = packet[index] }
      registers.write(
        registers.busAddress(of: memory.toSend.buffer(packet.count)), to: At.sendPointer)
      registers.write(UInt32(truncatingIfNeeded: packet.count), to: At.sendCount)
      registers.trigger(Serial.startTX)
      isSending = true
      return true
    }

    private typealias At = UARTERegisters
    private typealias Serial = SerialRegisters

    /// The PPI channel that starts the receiver on the next half.
    private var nextHalf: Int { wiring.firstChannel &+ 1 }
    /// The total capacity in bytes of the halves that were started.
    private var end: UInt32 { started &* UInt32(truncatingIfNeeded: memory.half) }

    /// Records that a packet was sent. Called in each round, not only before the next packet, as an event
    /// that is set keeps its interrupt pending and prevents sleep.
    private mutating func noteSent() {
      guard isSending, registers.hasHappened(At.endTX) else { return }
      registers.clear(At.endTX)
      isSending = false
    }

    private mutating func startCounting() {
      counter.trigger(TimerRegisters.stop)
      counter.write(2, to: TimerRegisters.mode)
      counter.write(3, to: TimerRegisters.bitMode)
      counter.trigger(TimerRegisters.clear)
      counter.trigger(TimerRegisters.start)
    }

    /// The number of bytes received since the start. All of them are in memory, or in the FIFO if the
    /// receiver is stopped.
    private mutating func count() -> UInt32 {
      // The event is cleared before the count is read: a byte received later sets it again and ends the
      // sleep.
      registers.clear(Serial.rxdReady)
      counter.trigger(TimerRegisters.capture)
      let received = counter.read(TimerRegisters.compareValue)
      guard received != delivered else { return received }
      settle()
      return received
    }

    /// Waits until counted bytes are in memory. RXDRDY may occur before its byte is in memory; the manual
    /// does not specify the delay. A transfer takes a few cycles of the 16 MHz bus, as does each of these
    /// reads; the FIFO contains at most six bytes.
    private mutating func settle() {
      for _ in 0..<24 { _ = registers.read(Serial.rxdReady) }
    }

    /// Ensures that the receiver continues with the next half, now or when the current one is full, if that
    /// half has been read.
    private mutating func keepReceiving(_ received: UInt32) {
      if isArmed, !ppi.isEnabled(nextHalf) {
        // The channel was triggered, and has disabled itself.
        isArmed = false
        started &+= 1
      }
      let isFull = Int32(bitPattern: received &- end) >= 0
      if isArmed, isFull {
        // The half became full just before the channel was enabled.
        ppi.disable(nextHalf)
        isArmed = false
        startReceiver()
        return
      }
      // The next half was used before the current one, and must have been read.
      let free = Int32(bitPattern: delivered &- (end &- UInt32(truncatingIfNeeded: memory.half))) >= 0
      guard !isArmed, free else { return }
      if isFull {
        startReceiver()
      } else if registers.hasHappened(At.rxStarted) {
        // The address may be changed after the receiver has latched the previous one.
        registers.clear(At.rxStarted)
        setReceivePointer()
        ppi.enable(nextHalf)
        isArmed = true
      }
    }

    private mutating func startReceiver() {
      registers.clear(At.rxStarted)
      setReceivePointer()
      registers.trigger(Serial.startRX)
      started &+= 1
      // Bytes in the FIFO are transferred now.
      settle()
    }

    private mutating func setReceivePointer() {
      let offset = started & 1 == 0 ? 0 : memory.half
      registers.write(
        registers.busAddress(of: memory.received.buffer(from: offset, memory.half)), to: At.receivePointer)
    }
  }

  /// Detects that bytes are arriving at a UARTE, for code that decides when to read them: each byte causes an
  /// interrupt that ends a sleep, whereas a packet is more efficiently processed as a whole.
  public struct UARTEArrivals<Block: RegisterBlock & ~Copyable>: ~Copyable {
    private var registers: Block

    /// Uses the UARTE with these registers, which is driven by a `UARTE`.
    public init(_ registers: consuming Block) { self.registers = registers }

    /// Whether a byte was received since the line was last read.
    public var hasBegun: Bool { mutating get { registers.hasHappened(SerialRegisters.rxdReady) } }

    /// Disables or enables the interrupts of single bytes. Bytes are received in either case, provided that
    /// the line is read before half of the buffer is full.
    public mutating func hold(_ isHeld: Bool) {
      registers.write(
        UARTEInterrupts.rxdReady, to: isHeld ? SerialRegisters.interruptClear : SerialRegisters.interruptSet)
    }
  }

  /// The UARTE, timer, and PPI channels and group used by a `UARTE`.
  public struct UARTEWiring: BitwiseCopyable, Sendable {
    /// The address of the UARTE.
    public var address: UInt32
    /// The address of the TIMER that counts bytes.
    public var counterAddress: UInt32
    /// The first of two PPI channels, 0…18.
    public var firstChannel: Int
    /// The PPI group, 0…5.
    public var group: Int

    /// By default UARTE0 (0x4000_2000, interrupt 2) with TIMER1, channels 0 and 1 and group 0.
    public init(
      address: UInt32 = 0x4000_2000, counterAddress: UInt32 = 0x4000_9000, firstChannel: Int = 0,
      group: Int = 0
    ) {
      self.address = address
      self.counterAddress = counterAddress
      self.firstChannel = firstChannel
      self.group = group
    }
  }

  /// The memory of a `UARTEMemory`: `incoming` bytes, a power of two of at least 2, in two halves; `outgoing`
  /// bytes for the longest packet, at least 50. A variable of this type must be in RAM (EasyDMA).
  public struct UARTEStorage<let incoming: Int, let outgoing: Int>: ~Copyable {
    private var overruns: UInt32 = 0
    private var framing: UInt32 = 0
    private var received: [incoming of UInt8] = .init(repeating: 0)
    private var toSend: [outgoing of UInt8] = .init(repeating: 0)

    /// Creates zeroed storage.
    public init() {}
  }

  /// The receive and transmit buffers of a UARTE, accessed by EasyDMA.
  public struct UARTEMemory: BitwiseCopyable, @unchecked Sendable {
    let overruns: SharedWord
    let framing: SharedWord
    let received: SharedBytes
    let toSend: SharedBytes
    /// The size of a half in bytes: a power of two, or 0 if there is no room for two halves.
    let half: Int
    /// The maximum length of a packet in bytes.
    let sendCapacity: Int

    /// Uses the memory in `storage`, which must have a fixed address and no other user.
    public init<let incoming: Int, let outgoing: Int>(
      _ storage: UnsafeMutablePointer<UARTEStorage<incoming, outgoing>>
    ) {
      let start = UnsafeMutableRawPointer(storage)
      unsafe overruns = SharedWord(start)
      unsafe framing = SharedWord(start + 4)
      unsafe received = SharedBytes(start + 8)
      unsafe toSend = SharedBytes(start + 8 + incoming)
      var half = incoming >= 2 ? 1 : 0
      while half > 0, half <= incoming &>> 2 { half = half &* 2 }
      // EasyDMA counts have 16 bits.
      self.half = min(half, 0x8000)
      sendCapacity = min(outgoing, 0xFFFF)
    }

    /// The errors since start.
    public var faults: SerialFaults { SerialFaults(overruns: overruns.value, framing: framing.value) }

    /// The mask that converts a byte count to an offset in the two halves.
    var mask: UInt32 { UInt32(truncatingIfNeeded: half &* 2 &- 1) }
  }

  /// Bits of INTENSET and INTENCLR.
  private enum UARTEInterrupts {
    static var rxdReady: UInt32 { 1 &<< 2 }
    static var endTX: UInt32 { 1 &<< 8 }
    static var error: UInt32 { 1 &<< 9 }
    static var all: UInt32 { rxdReady | endTX | error }
  }

  /// The registers that only the UARTE has.
  private enum UARTERegisters {
    static var endRX: Register<Event> { Register(0x110) }
    static var endTX: Register<Event> { Register(0x120) }
    static var rxStarted: Register<Event> { Register(0x14C) }
    static var receivePointer: Register<UInt32> { Register(0x534) }
    static var receiveCount: Register<UInt32> { Register(0x538) }
    static var sendPointer: Register<UInt32> { Register(0x544) }
    static var sendCount: Register<UInt32> { Register(0x548) }
  }
}
