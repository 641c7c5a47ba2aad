import HeraldHAL

extension NRF {
  /// The chip's internal flash, accessed through the non-volatile memory controller (nRF51 Series Reference
  /// Manual, "NVMC"; nRF52840 Product Specification, 4.3 "NVMC"), as the memory of the log.
  ///
  /// While a word is written (at most 46 µs on an nRF51, 41 µs on an nRF52840) or a page erased (23 ms and 85
  /// ms) the processor is halted, unless it executes from RAM. A word may be written twice between erasures:
  /// once by `program`, once by `clear`.
  public struct NVMC<Block: RegisterBlock & ~Copyable, Memory: RegisterBlock & ~Copyable>: Flash, ~Copyable {
    private var registers: Block
    private var memory: Memory
    private let start: UInt32
    /// The size of a page in bytes: 1,024 on an nRF51, 4,096 on an nRF52.
    public let pageSize: Int
    /// The number of pages of the log.
    public let pageCount: Int
    /// The size of a word in bytes: the controller writes 32 bits.
    public var wordSize: Int { 4 }

    /// Uses the controller with these registers, and `pageCount` pages of flash from address `start` on.
    /// `memory` is the flash: a block whose first word is at address `start`.
    public init(
      _ registers: consuming Block, memory: consuming Memory, start: UInt32, pageSize: Int, pageCount: Int
    ) {
      self.registers = registers
      self.memory = memory
      self.start = start
      self.pageSize = pageSize
      self.pageCount = pageCount
    }

    /// Reads bytes. The flash is read in whole words.
    public mutating func read(
      page: Int, offset: Int, into buffer: inout MutableSpan<UInt8>
    ) throws(FlashError) {
      let place = try place(page, offset, buffer.count)
      var word: UInt32 = 0
      for index in 0..<buffer.count {
        let at = place &+ UInt32(truncatingIfNeeded: index)
        if index == 0 || at & 3 == 0 { word = memory.load(at: at & ~3) }
        buffer[index] = UInt8(truncatingIfNeeded: word &>> ((at & 3) &* 8))
      }
    }

    /// Programs erased words, and verifies them.
    public mutating func program(page: Int, offset: Int, _ bytes: Span<UInt8>) throws(FlashError) {
      let place = try wordPlace(page, offset, bytes.count)
      for index in stride(from: 0, to: bytes.count, by: 4) {
        guard memory.load(at: place &+ UInt32(truncatingIfNeeded: index)) == .max else { throw .notErased }
      }
      try enable(.write)
      defer { disable() }
      for index in stride(from: 0, to: bytes.count, by: 4) {
        let word =
          UInt32(bytes[index]) | UInt32(bytes[index &+ 1]) &<< 8 | UInt32(bytes[index &+ 2]) &<< 16
          | UInt32(bytes[index &+ 3]) &<< 24
        try write(word, at: place &+ UInt32(truncatingIfNeeded: index))
      }
    }

    /// Sets words to zero. Words that are already zero are not written, as they may have been written twice.
    public mutating func clear(page: Int, offset: Int, count: Int) throws(FlashError) {
      let place = try wordPlace(page, offset, count)
      try enable(.write)
      defer { disable() }
      for index in stride(from: 0, to: count, by: 4) {
        let at = place &+ UInt32(truncatingIfNeeded: index)
        if memory.load(at: at) != 0 { try write(0, at: at) }
      }
    }

    /// Erases a page.
    public mutating func erase(page: Int) throws(FlashError) {
      let place = try place(page, 0, pageSize)
      try enable(.erase)
      defer { disable() }
      registers.write(start &+ place, to: At.erasePage)
      try waitUntilReady()
    }

    private typealias At = NVMCRegisters

    /// The maximum number of reads of READY before the controller is considered failed: far longer than an
    /// erasure.
    private static var pollLimit: Int { 2_000_000 }

    @inline(never)
    private func place(_ page: Int, _ offset: Int, _ count: Int) throws(FlashError) -> UInt32 {
      guard page >= 0, page < pageCount, offset >= 0, offset <= pageSize &- count else { throw .outOfRange }
      return UInt32(truncatingIfNeeded: page &* pageSize &+ offset)
    }

    private func wordPlace(_ page: Int, _ offset: Int, _ count: Int) throws(FlashError) -> UInt32 {
      let place = try place(page, offset, count)
      guard offset & 3 == 0, count & 3 == 0 else { throw .misaligned }
      return place
    }

    private mutating func write(_ word: UInt32, at place: UInt32) throws(FlashError) {
      // The word is erased: writing all ones would only count as one of its two writes.
      guard word != .max else { return }
      memory.store(word, at: place)
      try waitUntilReady()
      guard memory.load(at: place) == word else { throw .hardware }
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
  }
}
