import HeraldHAL

/// A serial NOR flash chip on an SPI bus with the command set common to all manufacturers (JEDEC JESD216;
/// Winbond W25Q16, Macronix MX25R16): pages of 256 bytes for programming, sectors of 4 KB for erasing,
/// addresses of 24 bits.
///
/// A sector of the chip is a page of `Flash`. Calls block until the chip has finished. Maximum times:
/// programming of 256 bytes 3 ms with a W25Q16, 10 ms with an MX25R16 in its low power mode; erasure 400 ms
/// and 240 ms.
///
/// `rest` puts the chip into deep power-down, and the next operation wakes it. The times are the longest of
/// the chips of boards/*/README.md.
public struct SerialNOR<Bus: SPIBus & ~Copyable>: Flash, ~Copyable {
  private var bus: Bus
  private let firstSector: Int
  /// Whether the chip was woken, and not put into deep power-down since.
  private var isAwake = false
  /// The size of a page in bytes: a sector of the chip.
  public var pageSize: Int { 4_096 }
  /// The number of pages of the log.
  public let pageCount: Int
  /// The size of a word in bytes: single bytes can be programmed.
  public var wordSize: Int { 1 }

  /// Uses the chip on `bus`, with the log in `sectorCount` sectors from `firstSector` on. A chip of 2 MB has
  /// 512 sectors.
  public init(_ bus: consuming Bus, firstSector: Int = 0, sectorCount: Int = 512) {
    self.bus = bus
    self.firstSector = firstSector
    pageCount = min(max(sectorCount, 0), max(4_096 &- firstSector, 0))
  }

  /// The JEDEC identification of a chip.
  public struct Identity: Equatable, BitwiseCopyable, Sendable {
    /// The manufacturer: 0xEF Winbond, 0xC2 Macronix.
    public var manufacturer: UInt8
    /// The memory type, defined by the manufacturer.
    public var type: UInt8
    /// The capacity as a power of two, in bytes.
    public var capacity: UInt8

    /// Initialises each member.
    public init(manufacturer: UInt8, type: UInt8, capacity: UInt8) {
      (self.manufacturer, self.type, self.capacity) = (manufacturer, type, capacity)
    }
  }

  /// Wakes the chip, which may be in deep power-down or busy with an operation begun before a restart, and
  /// returns its identification. Throws `hardware` if there is no chip, or if it is too small for the log.
  public mutating func start() throws(FlashError) -> Identity {
    try wake()
    try waitUntilReady()
    var bytes: [3 of UInt8] = .init(repeating: 0)
    var span = bytes.mutableSpan
    try receive([Command.readIdentity], &span)
    let identity = Identity(manufacturer: bytes[0], type: bytes[1], capacity: bytes[2])
    // Without a chip the bus reads as all ones or all zeros.
    let end = (firstSector &+ pageCount) &* pageSize
    guard bytes[0] != 0, bytes[0] != 0xFF, (12...24).contains(bytes[2]), 1 &<< Int(bytes[2]) >= end,
      firstSector >= 0
    else { throw .hardware }
    return identity
  }

  /// Puts the chip into deep power-down, unless it is. A chip that does not follow keeps its standby current.
  public mutating func rest() {
    guard isAwake else { return }
    isAwake = false
    let command: [1 of UInt8] = [Command.deepPowerDown]
    do throws(SPIError) {
      try bus.send(command.span, Span())
      // The chip must not be selected before.
      try bus.pause(microseconds: Self.enterTime)
    } catch {
      return
    }
  }

  /// Wakes the chip. One that is not in deep power-down ignores the command; so does a busy one.
  @inline(never)
  private mutating func wake() throws(FlashError) {
    guard !isAwake else { return }
    try send([Command.release])
    do throws(SPIError) { try bus.pause(microseconds: Self.releaseTime) } catch { throw .hardware }
    isAwake = true
  }

  /// The time from the command until the chip is in deep power-down and can be released, in microseconds: tDP
  /// of a P25Q16H 3, of a GD25Q16C 20; tDPDD of an MX25R 30.
  private static var enterTime: Int { 30 }
  /// The time from the release until the chip is ready: tRES1 of a P25Q16H 8, of a GD25Q16C 20; tRDP of an
  /// MX25R 35.
  private static var releaseTime: Int { 35 }

  public mutating func read(
    page: Int, offset: Int, into buffer: inout MutableSpan<UInt8>
  ) throws(FlashError) {
    let address = try address(page, offset, buffer.count)
    guard buffer.count > 0 else { return }
    try wake()
    try receive(Self.head(Command.read, address), &buffer)
  }

  /// Programs erased bytes, a page of the chip at a time, and verifies them.
  public mutating func program(page: Int, offset: Int, _ bytes: Span<UInt8>) throws(FlashError) {
    let address = try address(page, offset, bytes.count)
    try wake()
    guard try holds(address, bytes.count, nil) else { throw .notErased }
    var done = 0
    while done < bytes.count {
      // A program command wraps at the end of a page of the chip.
      let start = address &+ UInt32(truncatingIfNeeded: done)
      let count = min(bytes.count &- done, Self.programSize &- Int(truncatingIfNeeded: start & 0xFF))
      let piece = bytes.extracting(done..<(done &+ count))
      try change(Self.head(Command.pageProgram, start), piece)
      guard try holds(start, count, piece) else { throw .hardware }
      done &+= count
    }
  }

  /// Sets bytes to zero: programming only clears bits.
  public mutating func clear(page: Int, offset: Int, count: Int) throws(FlashError) {
    let address = try address(page, offset, count)
    try wake()
    let zeros: [64 of UInt8] = .init(repeating: 0)
    var done = 0
    while done < count {
      let start = address &+ UInt32(truncatingIfNeeded: done)
      let piece = min(count &- done, 64 &- Int(truncatingIfNeeded: start & 63))
      try change(Self.head(Command.pageProgram, start), zeros.span.extracting(0..<piece))
      guard try holds(start, piece, zeros.span.extracting(0..<piece)) else { throw .hardware }
      done &+= piece
    }
  }

  /// Erases a sector.
  public mutating func erase(page: Int) throws(FlashError) {
    let address = try address(page, 0, pageSize)
    try wake()
    try change(Self.head(Command.sectorErase, address), Span())
  }

  private enum Command {
    static var pageProgram: UInt8 { 0x02 }
    static var read: UInt8 { 0x03 }
    static var readStatus: UInt8 { 0x05 }
    static var writeEnable: UInt8 { 0x06 }
    static var sectorErase: UInt8 { 0x20 }
    static var readIdentity: UInt8 { 0x9F }
    static var release: UInt8 { 0xAB }
    static var deepPowerDown: UInt8 { 0xB9 }
  }

  private static var programSize: Int { 256 }

  /// The maximum number of status reads before the chip is considered failed. A read takes 2 µs at 8 MHz: at
  /// least one second in total.
  private static var pollLimit: Int { 500_000 }

  private func address(_ page: Int, _ offset: Int, _ count: Int) throws(FlashError) -> UInt32 {
    guard page >= 0, page < pageCount, offset >= 0, offset <= pageSize &- count else { throw .outOfRange }
    return UInt32(truncatingIfNeeded: (firstSector &+ page) &* pageSize &+ offset)
  }

  private static func head(_ command: UInt8, _ address: UInt32) -> [4 of UInt8] {
    [
      command, UInt8(truncatingIfNeeded: address &>> 16), UInt8(truncatingIfNeeded: address &>> 8),
      UInt8(truncatingIfNeeded: address),
    ]
  }

  /// Executes a command that changes the memory: write enable, the command, and the wait for completion.
  private mutating func change(_ head: [4 of UInt8], _ body: Span<UInt8>) throws(FlashError) {
    try send([Command.writeEnable])
    guard try status() & Status.writeEnabled != 0 else { throw .hardware }
    do throws(SPIError) { try bus.send(head.span, body) } catch { throw .hardware }
    try waitUntilReady()
    // The chip clears the write enable latch on completion. If it is still set, the command was not received.
    guard try status() & Status.writeEnabled == 0 else { throw .hardware }
  }

  private enum Status {
    static var busy: UInt8 { 1 }
    static var writeEnabled: UInt8 { 2 }
  }

  private mutating func status() throws(FlashError) -> UInt8 {
    var bytes: [1 of UInt8] = [0xFF]
    var span = bytes.mutableSpan
    try receive([Command.readStatus], &span)
    return bytes[0]
  }

  private mutating func waitUntilReady() throws(FlashError) {
    for _ in 0..<Self.pollLimit {
      if try status() & Status.busy == 0 { return }
    }
    throw .hardware
  }

  /// Whether `count` bytes from `address` on are equal to `expected`; if that is `nil`, whether they are all
  /// ones.
  private mutating func holds(_ address: UInt32, _ count: Int, _ expected: Span<UInt8>?) throws(FlashError)
    -> Bool
  {
    var bytes: [64 of UInt8] = .init(repeating: 0)
    var done = 0
    while done < count {
      let piece = min(count &- done, 64)
      var whole = bytes.mutableSpan
      var span = whole._mutatingExtracting(0..<piece)
      try receive(Self.head(Command.read, address &+ UInt32(truncatingIfNeeded: done)), &span)
      for index in 0..<piece {
        guard bytes[index] == expected?[done &+ index] ?? 0xFF else { return false }
      }
      done &+= piece
    }
    return true
  }

  private mutating func send<let count: Int>(_ bytes: [count of UInt8]) throws(FlashError) {
    do throws(SPIError) { try bus.send(bytes.span, Span()) } catch { throw .hardware }
  }

  private mutating func receive<let count: Int>(
    _ head: [count of UInt8], _ buffer: inout MutableSpan<UInt8>
  ) throws(FlashError) {
    do throws(SPIError) { try bus.send(head.span, receiving: &buffer) } catch { throw .hardware }
  }
}
