// The module of volatile accesses exists for chips only; on Linux nothing has registers.
#if hasFeature(Embedded)
  import _Volatile

  /// The registers of a peripheral of this chip, at a fixed address. Each access happens exactly once and in the order written.
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

    /// The address of `memory`: peripherals see it where the processor does.
    @inline(always)
    public func busAddress(of memory: UnsafeRawBufferPointer) -> UInt32 {
      UInt32(UInt(bitPattern: memory.baseAddress))
    }
  }
#endif
