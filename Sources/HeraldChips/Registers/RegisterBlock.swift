/// The registers of one peripheral: 32-bit words at offsets from its base address.
///
/// On a chip this is `MappedRegisters`. In tests it is a model of the peripheral that follows the rules of
/// its manual and fails on misuse. Drivers are generic over the block, so that the same code runs in both.
public protocol RegisterBlock: ~Copyable {
  /// Reads the word at `offset` bytes, a multiple of four, from the base. Reading may have side effects, such
  /// as removing a byte from a FIFO.
  mutating func load(at offset: UInt32) -> UInt32

  /// Writes the word at `offset` bytes, a multiple of four, from the base.
  mutating func store(_ word: UInt32, at offset: UInt32)

  /// The address of `memory` for the peripheral's DMA. `memory` must have a fixed address in RAM, as DMA has
  /// no access to flash.
  mutating func busAddress(of memory: UnsafeRawBufferPointer) -> UInt32
}

/// The contents of a register, with its fields as properties.
public protocol RegisterValue: BitwiseCopyable, Sendable {
  /// The contents as a word.
  var bits: UInt32 { get }
  /// The value of the word `bits`.
  init(bits: UInt32)
}

extension UInt32: RegisterValue {
  /// The word.
  public var bits: UInt32 { self }
  /// The word.
  public init(bits: UInt32) { self = bits }
}

/// A register of a peripheral: its offset, and the type of its contents.
public struct Register<Value: RegisterValue>: BitwiseCopyable, Sendable {
  /// The offset in bytes from the base of the peripheral.
  public let offset: UInt32

  /// The register at `offset` bytes, a multiple of four, from the base.
  @inline(always)
  public init(_ offset: UInt32) { self.offset = offset }

  /// Element `index` of an array of registers whose elements are `stride` bytes apart.
  @inline(always)
  public func at(_ index: Int, stride: UInt32 = 4) -> Register {
    Register(offset &+ UInt32(truncatingIfNeeded: index) &* stride)
  }
}

extension RegisterBlock where Self: ~Copyable {
  /// The contents of `register`.
  @inline(always)
  public mutating func read<Value>(_ register: Register<Value>) -> Value {
    Value(bits: load(at: register.offset))
  }

  /// Writes `value` to `register`.
  @inline(always)
  public mutating func write<Value>(_ value: Value, to register: Register<Value>) {
    store(value.bits, at: register.offset)
  }
}
