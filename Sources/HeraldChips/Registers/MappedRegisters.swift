// The module of volatile accesses exists for chips only.
#if hasFeature(Embedded)
  import _Volatile

  /// The registers of a peripheral of this chip, at a fixed address. Each access occurs exactly once and in
  /// program order.
  public struct MappedRegisters: RegisterBlock, BitwiseCopyable, Sendable {
    /// The address of the first register.
    public let base: UInt32

    /// Uses the peripheral whose first register is at `address`.
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

  /// The registers of a peripheral of this chip whose address is part of the type: the value takes no memory,
  /// and the address is a constant in the code. `page` is the address of the first register in units of 256
  /// bytes.
  public struct FixedRegisters<let page: Int>: RegisterBlock, BitwiseCopyable, Sendable {
    /// Uses the peripheral at that address.
    @inline(always)
    public init() {}

    @usableFromInline
    var mapped: MappedRegisters { MappedRegisters(at: UInt32(truncatingIfNeeded: page) &<< 8) }

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
