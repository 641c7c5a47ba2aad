// The module of volatile accesses exists for chips only; Linux has no registers.
#if hasFeature(Embedded)
  import _Volatile

  /// The registers of a peripheral of this chip, at a fixed address. Each access happens exactly once and in
  /// the order written.
  public struct MappedRegisters: RegisterBlock, BitwiseCopyable, Sendable {
    /// Where the first register is.
    public let base: UInt32

    /// The peripheral whose first register is at `address`.
    @inline(always)
    public init(at address: UInt32) { base = address }

    @usableFromInline
    func register(_ offset: UInt32) -> VolatileMappedRegister<UInt32> {
      unsafe VolatileMappedRegister<UInt32>(unsafeBitPattern: UInt(base &+ offset))
    }

    /// Reads the word at `offset`.
    @inline(always)
    public func load(at offset: UInt32) -> UInt32 { register(offset).load() }

    /// Writes the word at `offset`.
    @inline(always)
    public func store(_ word: UInt32, at offset: UInt32) { register(offset).store(word) }

    /// The address of `memory`: peripherals use the same address as the processor.
    @inline(always)
    public func busAddress(of memory: UnsafeRawBufferPointer) -> UInt32 {
      UInt32(UInt(bitPattern: memory.baseAddress))
    }
  }

  /// The registers of a peripheral of this chip whose address is part of the type: it takes no memory, and
  /// code that uses it has it as a constant. `place` is the address of the first register in units of 256
  /// bytes.
  public struct FixedRegisters<let place: Int>: RegisterBlock, BitwiseCopyable, Sendable {
    /// The peripheral at that address.
    @inline(always)
    public init() {}

    @usableFromInline
    var mapped: MappedRegisters { MappedRegisters(at: UInt32(truncatingIfNeeded: place) &<< 8) }

    /// Reads the word at `offset`.
    @inline(always)
    public func load(at offset: UInt32) -> UInt32 { mapped.load(at: offset) }

    /// Writes the word at `offset`.
    @inline(always)
    public func store(_ word: UInt32, at offset: UInt32) { mapped.store(word, at: offset) }

    /// The address of `memory`: peripherals use the same address as the processor.
    @inline(always)
    public func busAddress(of memory: UnsafeRawBufferPointer) -> UInt32 { mapped.busAddress(of: memory) }
  }
#endif
