import HeraldHAL

extension NRF {
  /// The I2C master with EasyDMA of the nRF52 (nRF52840 Product Specification, "TWIM"), with both lines on
  /// port 0.
  ///
  /// Calls block until the transfer is complete: 90 µs per byte at 100 kHz. Between transfers the master is
  /// disabled, and the lines are inputs. Each wait has a limit; a device that holds SDA low is released by
  /// nine pulses of SCL before the next transfer (UM10204, 3.1.16).
  public struct TWIM<Block: RegisterBlock & ~Copyable>: I2CBus, ~Copyable {
    private var registers: Block
    private var port: GPIO<Block>
    private let clock: UInt8
    private let data: UInt8
    private let pull: GPIO<Block>.Pull
    private let buffer: SharedBytes
    private let capacity: Int

    /// Uses the master with these registers (TWIM0, TWIM1), port 0 with the pins `clock` and `data` (0…31),
    /// and an exclusive buffer at a fixed address: the first half is sent from, the second received to.
    /// `pull`: the resistor of the chip on both lines, for a board that has none.
    public init<let capacity: Int>(
      _ registers: consuming Block, port: consuming GPIO<Block>, clock: UInt8, data: UInt8,
      pull: GPIO<Block>.Pull, buffer: UnsafeMutablePointer<[capacity of UInt8]>
    ) {
      self.registers = registers
      self.port = port
      (self.clock, self.data, self.pull) = (clock, data, pull)
      self.buffer = unsafe SharedBytes(UnsafeMutableRawPointer(buffer))
      self.capacity = min(capacity, 0xFF) / 2
    }

    /// Configures the bus for 100 kHz, which the internal resistors of about 13 kΩ allow.
    public mutating func start() {
      registers.write(0, to: At.enable)
      port.configure(clock, .openDrain(pull))
      port.configure(data, .openDrain(pull))
      registers.write(0, to: At.shortcuts)
      registers.write(PinSelect(Pin(clock)), to: At.selectClock)
      registers.write(PinSelect(Pin(data)), to: At.selectData)
      registers.write(0x0198_0000, to: At.frequency)
    }

    /// Disconnects both lines, for a bus whose devices are not powered. `start` connects them again.
    public mutating func stop() {
      registers.write(0, to: At.enable)
      port.configure(clock, .disconnected)
      port.configure(data, .disconnected)
    }

    /// Sends bytes, at most half as many as the buffer has.
    public mutating func send(_ bytes: Span<UInt8>, to address: UInt8) throws(I2CError) {
      try transfer(bytes, receiving: 0, address)
    }

    /// Sends and receives bytes, each at most half as many as the buffer has.
    public mutating func send(
      _ bytes: Span<UInt8>, to address: UInt8, receiving target: inout MutableSpan<UInt8>
    ) throws(I2CError) {
      guard target.count > 0 else { throw .badLength }
      try transfer(bytes, receiving: target.count, address)
      for index in 0..<target.count { target[index] = buffer[capacity &+ index] }
    }

    private typealias At = TWIMRegisters

    /// The maximum number of polls of an event. 255 bytes take 23 ms, and a poll at least 0.1 µs.
    private static var pollLimit: Int { 250_000 }

    @inline(never)
    private mutating func transfer(_ bytes: Span<UInt8>, receiving: Int, _ address: UInt8)
      throws(I2CError)
    {
      guard bytes.count > 0, bytes.count <= capacity, receiving <= capacity else { throw .badLength }
      try release()
      for index in 0..<bytes.count { buffer[index] = bytes[index] }
      registers.write(UInt32(address & 0x7F), to: At.address)
      registers.write(registers.busAddress(of: buffer.buffer(capacity)), to: At.sendPointer)
      registers.write(
        registers.busAddress(of: buffer.buffer(from: capacity, capacity)), to: At.receivePointer)
      registers.write(UInt32(truncatingIfNeeded: bytes.count), to: At.sendCount)
      registers.write(UInt32(truncatingIfNeeded: receiving), to: At.receiveCount)
      registers.write(
        receiving > 0 ? Shortcut.sentReceive | Shortcut.receivedStop : Shortcut.sentStop, to: At.shortcuts)
      registers.write(6, to: At.enable)
      defer { registers.write(0, to: At.enable) }
      registers.clear(At.stopped)
      registers.clear(At.error)
      // Cleared by writing ones.
      registers.write(7, to: At.errorSource)
      registers.trigger(At.startSending)
      for _ in 0..<Self.pollLimit {
        if registers.hasHappened(At.error) {
          // The master does not end the transfer itself.
          _ = end()
          throw .notAcknowledged
        }
        if registers.hasHappened(At.stopped) {
          let sent = registers.read(At.sentCount)
          let received = registers.read(At.receivedCount)
          guard sent == UInt32(truncatingIfNeeded: bytes.count),
            receiving == 0 || received == UInt32(truncatingIfNeeded: receiving)
          else { throw .timeout }
          return
        }
      }
      // A transfer in progress must not continue to write to the buffer.
      _ = end()
      throw .timeout
    }

    /// Ends a transfer. A master that does not stop is disabled by the caller.
    private mutating func end() -> Bool {
      registers.trigger(At.stop)
      for _ in 0..<Self.pollLimit where registers.hasHappened(At.stopped) { return true }
      return false
    }

    /// Makes a device that holds SDA low, as its last transfer was interrupted, send the rest of its byte.
    private mutating func release() throws(I2CError) {
      if port.isHigh(clock), port.isHigh(data) { return }
      for _ in 0..<9 where !port.isHigh(data) {
        port.configure(clock, .output(high: false))
        pause()
        port.configure(clock, .openDrain(pull))
        pause()
      }
      guard port.isHigh(clock), port.isHigh(data) else { throw .timeout }
      // A stop condition: SDA rises while SCL is high.
      port.configure(data, .output(high: false))
      pause()
      port.configure(data, .openDrain(pull))
      pause()
    }

    /// At least 5 µs: 64 MHz, three cycles or more for an access.
    private mutating func pause() {
      for _ in 0..<100 { _ = port.isHigh(clock) }
    }
  }

  private enum Shortcut {
    static var sentReceive: UInt32 { 1 &<< 7 }
    static var sentStop: UInt32 { 1 &<< 9 }
    static var receivedStop: UInt32 { 1 &<< 12 }
  }

  private enum TWIMRegisters {
    static var startSending: Register<Task> { Register(0x008) }
    static var stop: Register<Task> { Register(0x014) }
    static var stopped: Register<Event> { Register(0x104) }
    static var error: Register<Event> { Register(0x124) }
    static var shortcuts: Register<UInt32> { Register(0x200) }
    static var errorSource: Register<UInt32> { Register(0x4C4) }
    static var enable: Register<UInt32> { Register(0x500) }
    static var selectClock: Register<PinSelect> { Register(0x508) }
    static var selectData: Register<PinSelect> { Register(0x50C) }
    static var frequency: Register<UInt32> { Register(0x524) }
    static var receivePointer: Register<UInt32> { Register(0x534) }
    static var receiveCount: Register<UInt32> { Register(0x538) }
    static var receivedCount: Register<UInt32> { Register(0x53C) }
    static var sendPointer: Register<UInt32> { Register(0x544) }
    static var sendCount: Register<UInt32> { Register(0x548) }
    static var sentCount: Register<UInt32> { Register(0x54C) }
    static var address: Register<UInt32> { Register(0x588) }
  }
}
