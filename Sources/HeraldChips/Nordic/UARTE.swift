import HeraldHAL

extension NRF {
  /// The UART with direct memory access of the nRF52 (nRF52840 Product Specification, "UARTE"), as a line to
  /// a Bluetooth controller.
  ///
  /// Received bytes go into the two halves of a buffer in turn. When a half is full, PPI starts the receiver
  /// on the other one in the same moment, and disables that channel: it works once, and is armed again only
  /// when the next half has been read. No byte is thus lost between the halves, and none is overwritten if
  /// the loop reads late: the receiver then stops, and with flow control the hardware raises RTS. Bytes in a
  /// half that is not full are counted by a timer, as the UARTE itself reports their number only at the end.
  ///
  /// It needs a TIMER of 32 bits, two channels and a group of PPI. While it receives, the 16 MHz clock runs.
  public struct UARTE<Block: RegisterBlock & ~Copyable>: ControllerTransport, ~Copyable {
    private var registers: Block
    private var counter: Block
    private var ppi: PPI<Block>
    private let wiring: UARTEWiring
    private let memory: UARTEMemory
    /// Bytes that were delivered; halves on which the receiver was started, which are in `memory` in turn.
    /// Both wrap at 2³².
    private var delivered: UInt32 = 0
    private var started: UInt32 = 0
    /// Whether PPI is to start the receiver on the next half.
    private var isArmed = false
    private var isSending = false
    /// The errors since start.
    public var faults: SerialFaults { memory.faults }

    /// The UARTE with these registers, a timer, and PPI, whose addresses are in `wiring`.
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

    /// Configures the line and switches it on. The pins are to be configured as inputs (RXD, CTS) and outputs
    /// that are high (TXD, RTS) before. Without room for two halves nothing is started.
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
      // The second channel starts the receiver, and then its group, which is itself, is switched off.
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

    /// Reads received bytes. The line is never lost.
    public mutating func read(into buffer: inout MutableSpan<UInt8>) -> Int {
      if let errors = registers.takeErrors() {
        if errors.hasOverrun { memory.overruns.value &+= 1 }
        if errors.hasFraming { memory.framing.value &+= 1 }
      }
      noteSent()
      guard started > 0 else { return 0 }
      let received = count()
      keepReceiving(received)
      // Beyond the halves that were started, bytes are in the receiver's FIFO.
      let inFIFO = max(0, Int32(bitPattern: received &- end))
      let ready = Int(truncatingIfNeeded: received &- UInt32(bitPattern: inFIFO) &- delivered)
      let taken = min(ready, buffer.count)
      for index in 0..<taken {
        let place = delivered &+ UInt32(truncatingIfNeeded: index)
        buffer[index] = memory.received[Int(truncatingIfNeeded: place & memory.mask)]
      }
      delivered &+= UInt32(truncatingIfNeeded: taken)
      if taken > 0 { keepReceiving(received) }
      return taken
    }

    /// As long as the memory for sending.
    public var longestPacket: Int { memory.sendCapacity }

    /// Sends a packet. One that is longer than the memory for sending is never accepted.
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
    /// How many bytes fit into the halves that were started, since the beginning.
    private var end: UInt32 { started &* UInt32(truncatingIfNeeded: memory.half) }

    /// Records that a packet was sent. In each round, not when the next one is to be sent: an event that is
    /// set keeps its interrupt pending, and the processor from sleeping.
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
      // The event before the count: a byte that comes after it sets the event again, and ends the sleep.
      registers.clear(Serial.rxdReady)
      counter.trigger(TimerRegisters.capture)
      let received = counter.read(TimerRegisters.compareValue)
      guard received != delivered else { return received }
      settle()
      return received
    }

    /// Waits until counted bytes are in memory. RXDRDY is likely to occur before its byte is in memory; the
    /// manual does not specify how long before. A transfer takes a few cycles of the 16 MHz bus, as is each
    /// of these reads; the FIFO holds six at most.
    private mutating func settle() {
      for _ in 0..<24 { _ = registers.read(Serial.rxdReady) }
    }

    /// Makes the receiver continue with the next half, now or when this one is full, if that half has been
    /// read.
    private mutating func keepReceiving(_ received: UInt32) {
      if isArmed, !ppi.isEnabled(nextHalf) {
        // The channel was triggered.
        isArmed = false
        started &+= 1
      }
      let isFull = Int32(bitPattern: received &- end) >= 0
      if isArmed, isFull {
        // The half became full just before the connection was switched on.
        ppi.disable(nextHalf)
        isArmed = false
        startReceiver()
        return
      }
      // The next half is where the one before this was, which has to have been read.
      let free = Int32(bitPattern: delivered &- (end &- UInt32(truncatingIfNeeded: memory.half))) >= 0
      guard !isArmed, free else { return }
      if isFull {
        startReceiver()
      } else if registers.hasHappened(At.rxStarted) {
        // The address may be changed once the receiver has latched the one before.
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
      // Bytes waiting in the FIFO are moved now.
      settle()
    }

    private mutating func setReceivePointer() {
      let offset = started & 1 == 0 ? 0 : memory.half
      registers.write(
        registers.busAddress(of: memory.received.buffer(from: offset, memory.half)), to: At.receivePointer)
    }
  }

  /// Whether bytes have begun to arrive at a UARTE, for the code that decides when to read them: each of them
  /// has an interrupt of its own, which ends a sleep, and a packet is better processed as a whole.
  public struct UARTEArrivals<Block: RegisterBlock & ~Copyable>: ~Copyable {
    private var registers: Block

    /// Of the UARTE with these registers, which a `UARTE` drives.
    public init(_ registers: consuming Block) { self.registers = registers }

    /// Whether a byte was received since the line was last read.
    public var hasBegun: Bool { mutating get { registers.hasHappened(SerialRegisters.rxdReady) } }

    /// Disables the interrupts of single bytes, or enables them again. Bytes are stored nevertheless, as long
    /// as the line is read before half of that is full.
    public mutating func hold(_ isHeld: Bool) {
      registers.write(
        UARTEInterrupts.rxdReady, to: isHeld ? SerialRegisters.interruptClear : SerialRegisters.interruptSet)
    }
  }

  /// Which UARTE, timer and parts of PPI a `UARTE` works with.
  public struct UARTEWiring: BitwiseCopyable, Sendable {
    /// Address of the UARTE.
    public var address: UInt32
    /// Address of the TIMER that counts.
    public var counterAddress: UInt32
    /// The first of two channels of PPI, 0…18.
    public var firstChannel: Int
    /// The group of PPI, 0…5.
    public var group: Int

    /// UARTE0 (0x4000_2000, interrupt 2) with TIMER1, channels 0 and 1 and group 0.
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
  /// for the longest packet: 50 at least. A variable of this type must be in RAM (EasyDMA).
  public struct UARTEStorage<let incoming: Int, let outgoing: Int>: ~Copyable {
    private var overruns: UInt32 = 0
    private var framing: UInt32 = 0
    private var received: [incoming of UInt8] = .init(repeating: 0)
    private var toSend: [outgoing of UInt8] = .init(repeating: 0)

    /// Zeros.
    public init() {}
  }

  /// The receive and send buffers of a UARTE, accessed by direct memory access.
  public struct UARTEMemory: BitwiseCopyable, @unchecked Sendable {
    let overruns: SharedWord
    let framing: SharedWord
    let received: SharedBytes
    let toSend: SharedBytes
    /// Bytes in a half: a power of two, or 0 if there is no room for two halves.
    let half: Int
    /// The longest packet.
    let sendCapacity: Int

    /// The memory in `storage`, which has a fixed address and is used for nothing else.
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
      // Counts have 16 bits.
      self.half = min(half, 0x8000)
      sendCapacity = min(outgoing, 0xFFFF)
    }

    /// The errors since start.
    public var faults: SerialFaults { SerialFaults(overruns: overruns.value, framing: framing.value) }

    /// From a count of bytes to a place in the two halves.
    var mask: UInt32 { UInt32(truncatingIfNeeded: half &* 2 &- 1) }
  }

  /// Bits of INTENSET and INTENCLR.
  private enum UARTEInterrupts {
    static var rxdReady: UInt32 { 1 &<< 2 }
    static var endTX: UInt32 { 1 &<< 8 }
    static var error: UInt32 { 1 &<< 9 }
    static var all: UInt32 { rxdReady | endTX | error }
  }

  /// The registers of the UARTE that the UART does not have.
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
