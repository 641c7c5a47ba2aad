import HeraldHAL

extension NRF {
  /// The chip's internal flash, accessed through the non-volatile memory controller (nRF51 Series Reference
  /// Manual, "NVMC"; nRF52840 Product Specification, 4.3 "NVMC"), as the memory of the log.
  ///
  /// While a word is written or a page erased the processor is halted, unless it executes from RAM. A word
  /// may be written twice between erasures: once by `program`, once by `clear`.
  ///
  /// With a radio in the same processor, `pause` reserves the time of each operation between two events of
  /// the radio. Words are then written in groups, and a page is erased in parts of 1 ms where the chip
  /// permits it. After a loss of power between two parts the content of the page is undefined, as it is after
  /// a loss of power during an undivided erasure.
  public struct NVMC<
    Chip: NVMCChip, Block: RegisterBlock & ~Copyable, Memory: RegisterBlock & ~Copyable,
    Pause: RadioPause & ~Copyable
  >: Flash, ~Copyable {
    private var registers: Block
    private var memory: Memory
    private var pause: Pause
    private let start: UInt32
    @inline(__always) public static var canSeal: Bool { Chip.canSeal }
    /// The size of a page in bytes: 1,024 on an nRF51, 4,096 on an nRF52.
    public let pageSize: Int
    /// The number of pages of the log.
    public let pageCount: Int
    /// The size of a word in bytes: the controller writes 32 bits.
    public var wordSize: Int { 4 }

    /// Uses the controller with these registers, and `pageCount` pages of flash from address `start` on.
    /// `memory` is the flash: a block whose first word is at address `start`. `pause` belongs to the radio of
    /// the chip; it is `NoRadioPause` if the program does not use that.
    public init(
      _ registers: consuming Block, memory: consuming Memory, pause: consuming Pause, start: UInt32,
      pageSize: Int, pageCount: Int
    ) {
      self.registers = registers
      self.memory = memory
      self.pause = pause
      self.start = start
      self.pageSize = pageSize
      self.pageCount = pageCount
    }

    /// Reads bytes. The flash is read in whole words.
    public mutating func read(
      page: Int, offset: Int, into buffer: inout MutableSpan<UInt8>
    ) throws(FlashError) {
      let first = try flashAddress(page, offset, buffer.count)
      var word: UInt32 = 0
      for index in 0..<buffer.count {
        let at = first &+ UInt32(truncatingIfNeeded: index)
        if index == 0 || at & 3 == 0 { word = memory.load(at: at & ~3) }
        buffer[index] = UInt8(truncatingIfNeeded: word &>> ((at & 3) &* 8))
      }
    }

    /// Programs erased words, and verifies them.
    public mutating func program(page: Int, offset: Int, _ bytes: Span<UInt8>) throws(FlashError) {
      let first = try wordAddress(page, offset, bytes.count)
      for index in stride(from: 0, to: bytes.count, by: 4) {
        guard memory.load(at: first &+ UInt32(truncatingIfNeeded: index)) == .max else { throw .notErased }
      }
      var group = WordGroup()
      defer { close(&group) }
      for index in stride(from: 0, to: bytes.count, by: 4) {
        let word =
          UInt32(bytes[index]) | UInt32(bytes[index &+ 1]) &<< 8 | UInt32(bytes[index &+ 2]) &<< 16
          | UInt32(bytes[index &+ 3]) &<< 24
        try write(word, at: first &+ UInt32(truncatingIfNeeded: index), &group)
      }
    }

    /// Sets words to zero. Words that are already zero are not written, as they may have been written twice.
    public mutating func clear(page: Int, offset: Int, count: Int) throws(FlashError) {
      let first = try wordAddress(page, offset, count)
      var group = WordGroup()
      defer { close(&group) }
      for index in stride(from: 0, to: count, by: 4) {
        let at = first &+ UInt32(truncatingIfNeeded: index)
        if memory.load(at: at) != 0 { try write(0, at: at, &group) }
      }
    }

    /// Erases a page.
    public mutating func erase(page: Int) throws(FlashError) {
      let address = start &+ (try flashAddress(page, 0, pageSize))
      guard Pause.isRequired, Chip.partialErasures > 0 else { return try erase(address, At.erasePage) }
      // 1 ms.
      registers.write(1, to: At.partialErasureTime)
      for _ in 0..<Chip.partialErasures { try erase(address, At.erasePagePartially) }
    }

    /// Erases a page, or a part of it. Erasing is permitted for each part separately, as the manual requires.
    private mutating func erase(_ address: UInt32, _ register: Register<UInt32>) throws(FlashError) {
      pause.begin(microseconds: Chip.erasureTime)
      defer {
        disable()
        pause.end()
      }
      try enable(.erase)
      registers.write(address, to: register)
      try waitUntilReady()
    }

    private typealias At = NVMCRegisters

    /// The maximum number of reads of READY before the controller is considered failed: far longer than an
    /// erasure.
    private static var pollLimit: Int { 2_000_000 }

    @inline(never)
    private func flashAddress(_ page: Int, _ offset: Int, _ count: Int) throws(FlashError) -> UInt32 {
      guard page >= 0, page < pageCount, offset >= 0, offset <= pageSize &- count else { throw .outOfRange }
      return UInt32(truncatingIfNeeded: page &* pageSize &+ offset)
    }

    private func wordAddress(_ page: Int, _ offset: Int, _ count: Int) throws(FlashError) -> UInt32 {
      let first = try flashAddress(page, offset, count)
      guard offset & 3 == 0, count & 3 == 0 else { throw .misaligned }
      return first
    }

    /// The words that can still be written in the current pause of the radio; 0 outside of one.
    private struct WordGroup {
      static var size: UInt32 { 16 }
      var left: UInt32 = 0
    }

    @inline(never)
    private mutating func write(_ word: UInt32, at address: UInt32, _ group: inout WordGroup)
      throws(FlashError)
    {
      // The word is erased: writing all ones would only count as one of its two writes.
      guard word != .max else { return }
      if group.left == 0 {
        pause.begin(microseconds: WordGroup.size &* Chip.wordTime)
        group.left = WordGroup.size
        try enable(.write)
      }
      memory.store(word, at: address)
      try waitUntilReady()
      guard memory.load(at: address) == word else { throw .hardware }
      if Pause.isRequired {
        group.left &-= 1
        if group.left == 0 { endGroup() }
      }
    }

    private mutating func close(_ group: inout WordGroup) {
      if group.left > 0 { endGroup() }
    }

    private mutating func endGroup() {
      disable()
      pause.end()
    }

    private mutating func enable(_ access: NVMCAccess) throws(FlashError) {
      try waitUntilReady()
      registers.write(access, to: At.configuration)
    }

    /// Sets read-only access, so that erroneous writes do not change the flash.
    private mutating func disable() { registers.write(.read, to: At.configuration) }

    private mutating func waitUntilReady() throws(FlashError) {
      for _ in 0..<Self.pollLimit where registers.read(At.ready) & 1 != 0 { return }
      throw .hardware
    }
  }

  /// CONFIG.WEN: the permitted operations.
  struct NVMCAccess: RegisterValue {
    let bits: UInt32
    static var read: NVMCAccess { NVMCAccess(bits: 0) }
    static var write: NVMCAccess { NVMCAccess(bits: 1) }
    static var erase: NVMCAccess { NVMCAccess(bits: 2) }
  }

  enum NVMCRegisters {
    static var ready: Register<UInt32> { Register(0x400) }
    static var configuration: Register<NVMCAccess> { Register(0x504) }
    /// ERASEPAGE; on the nRF51 ERASEPCR1, for the code region that is not protected.
    static var erasePage: Register<UInt32> { Register(0x508) }
    /// ERASEPAGEPARTIAL and ERASEPAGEPARTIALCFG, the duration of a part in milliseconds: 1…127.
    static var erasePagePartially: Register<UInt32> { Register(0x518) }
    static var partialErasureTime: Register<UInt32> { Register(0x51C) }
  }
}

/// The flash of Nordic's chips. The times are those for which the processor is halted, in microseconds at the
/// most: those of the product specification, with the deviation of the oscillator that is in use (the
/// internal one of an nRF52 deviates by up to 8 %), and with the instructions around the operation.
public protocol NVMCChip {
  /// Whether its flash has room for the code that seals a log.
  static var canSeal: Bool { get }
  /// The number of partial erasures of 1 ms after which a page is erased; 0 if the chip has no partial
  /// erasure.
  static var partialErasures: Int { get }
  /// The time of a partial erasure, or of a page if the chip has none.
  static var erasureTime: UInt32 { get }
  /// The time of the write of a word.
  static var wordTime: UInt32 { get }
}

extension NVMCChip {
  /// Nordic's chips have room for the code of sealed logs.
  @inline(__always) public static var canSeal: Bool { true }
}

extension NRF.NRF51822: NVMCChip {
  /// No management link brings it an owner's key, either.
  @inline(__always) public static var canSeal: Bool { false }
  public static var partialErasures: Int { 0 }
  /// t_ERASEPAGE is 22.3 ms.
  public static var erasureTime: UInt32 { 23_500 }
  /// t_WRITE is 46.3 µs.
  public static var wordTime: UInt32 { 55 }
}

extension NRF.NRF52: NVMCChip {
  /// t_ERASEPAGE is 85 ms on the nRF52840 and 87.5 ms on the nRF52833. It has to be reached even if the
  /// internal oscillator, which determines the time, is 8 % too fast.
  public static var partialErasures: Int { 95 }
  /// 1 ms, of which t_ERASEPAGEPARTIAL,acc is 1.05 times.
  public static var erasureTime: UInt32 { 1_160 }
  /// t_WRITE is 41 µs on the nRF52840 and 42.5 µs on the nRF52833.
  public static var wordTime: UInt32 { 48 }
}
