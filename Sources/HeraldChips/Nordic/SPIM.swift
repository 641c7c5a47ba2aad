import HeraldHAL

extension NRF {
  /// The SPI master with EasyDMA of the nRF52 (nRF52840 Product Specification, "SPIM"), as a bus with one
  /// chip and its chip select pin.
  ///
  /// Data passes through a buffer in RAM, as EasyDMA has no access to flash. Calls block until the transfer
  /// is complete: 1 µs per byte at 8 MHz.
  public struct SPIM<Block: RegisterBlock & ~Copyable>: SPIBus, ~Copyable {
    private var registers: Block
    private var port: GPIO<Block>
    private let chipSelect: UInt8
    private let buffer: SharedBytes
    private let capacity: Int

    /// Uses the master with these registers (SPIM0…SPIM2), the GPIO port of the chip select pin (active low),
    /// and an exclusive buffer at a fixed address, of which 64 to 256 bytes are suitable.
    public init<let capacity: Int>(
      _ registers: consuming Block, port: consuming GPIO<Block>, chipSelect: UInt8,
      buffer: UnsafeMutablePointer<[capacity of UInt8]>
    ) {
      self.registers = registers
      self.port = port
      self.chipSelect = chipSelect
      self.buffer = unsafe SharedBytes(UnsafeMutableRawPointer(buffer))
      self.capacity = min(capacity, 0xFF)
    }

    /// Configures the bus for 8 MHz and mode 0, and enables it. SCK and MOSI must have been configured as
    /// outputs with low level and MISO as an input; the chip select pin is configured here.
    public mutating func start(clock: Pin, out: Pin, in input: Pin) {
      port.configure(chipSelect, .output(high: true))
      registers.write(0, to: At.enable)
      registers.write(PinSelect(clock), to: At.selectClock)
      registers.write(PinSelect(out), to: At.selectOut)
      registers.write(PinSelect(input), to: At.selectIn)
      registers.write(0x8000_0000, to: At.frequency)
      registers.write(0, to: At.configuration)
      registers.write(0xFF, to: At.overRead)
      registers.write(7, to: At.enable)
    }

    /// Sends `head` and then `body`.
    public mutating func send(_ head: Span<UInt8>, _ body: Span<UInt8>) throws(SPIError) {
      port.set(chipSelect, false)
      defer { port.set(chipSelect, true) }
      try send(head)
      try send(body)
    }

    /// Sends `head` and then receives bytes until `target` is full.
    public mutating func send(
      _ head: Span<UInt8>, receiving target: inout MutableSpan<UInt8>
    ) throws(SPIError) {
      port.set(chipSelect, false)
      defer { port.set(chipSelect, true) }
      try send(head)
      var done = 0
      while done < target.count {
        let count = min(target.count &- done, capacity)
        try transfer(sending: 0, receiving: count)
        for index in 0..<count { target[done &+ index] = buffer[index] }
        done &+= count
      }
    }

    /// The time of as many bytes, which are clocked without a selected chip.
    public mutating func pause(microseconds: Int) throws(SPIError) {
      var left = microseconds
      while left > 0 {
        let count = min(left, capacity)
        try transfer(sending: 0, receiving: count)
        left &-= count
      }
    }

    private typealias At = SPIMRegisters

    /// The maximum number of polls of END: 255 bytes take 255 µs at 8 MHz.
    private static var pollLimit: Int { 20_000 }

    private mutating func send(_ bytes: Span<UInt8>) throws(SPIError) {
      var done = 0
      while done < bytes.count {
        let count = min(bytes.count &- done, capacity)
        for index in 0..<count { buffer[index] = bytes[done &+ index] }
        try transfer(sending: count, receiving: 0)
        done &+= count
      }
    }

    private mutating func transfer(sending: Int, receiving: Int) throws(SPIError) {
      guard max(sending, receiving) > 0 else { throw .noAnswer }
      registers.write(registers.busAddress(of: buffer.buffer(max(sending, 1))), to: At.sendPointer)
      registers.write(UInt32(truncatingIfNeeded: sending), to: At.sendCount)
      registers.write(registers.busAddress(of: buffer.buffer(max(receiving, 1))), to: At.receivePointer)
      registers.write(UInt32(truncatingIfNeeded: receiving), to: At.receiveCount)
      registers.clear(At.end)
      registers.trigger(At.start)
      for _ in 0..<Self.pollLimit where registers.hasHappened(At.end) { return }
      // A transfer in progress must not continue to write to the buffer.
      registers.trigger(At.stop)
      for _ in 0..<Self.pollLimit where registers.hasHappened(At.stopped) { break }
      registers.clear(At.stopped)
      throw .noAnswer
    }
  }

  private enum SPIMRegisters {
    static var start: Register<Task> { Register(0x010) }
    static var stop: Register<Task> { Register(0x014) }
    static var stopped: Register<Event> { Register(0x104) }
    static var end: Register<Event> { Register(0x118) }
    static var enable: Register<UInt32> { Register(0x500) }
    static var selectClock: Register<PinSelect> { Register(0x508) }
    static var selectOut: Register<PinSelect> { Register(0x50C) }
    static var selectIn: Register<PinSelect> { Register(0x510) }
    static var frequency: Register<UInt32> { Register(0x524) }
    static var receivePointer: Register<UInt32> { Register(0x534) }
    static var receiveCount: Register<UInt32> { Register(0x538) }
    static var sendPointer: Register<UInt32> { Register(0x544) }
    static var sendCount: Register<UInt32> { Register(0x548) }
    static var configuration: Register<UInt32> { Register(0x554) }
    static var overRead: Register<UInt32> { Register(0x5C0) }
  }
}
