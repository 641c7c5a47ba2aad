/// The registers of one peripheral: words of 32 bits at offsets from its base address.
///
/// On a chip this is `MappedRegisters`. In a test it is a model of the peripheral that follows the rules of
/// its manual and faults on misuse, so that a driver, which is generic over its block, is the same code in
/// both places.
public protocol RegisterBlock: ~Copyable {
  /// Reads the word at `offset` bytes, a multiple of four, from the base. Reading may have effects, such as
  /// taking a byte out of a FIFO.
  mutating func load(at offset: UInt32) -> UInt32

  /// Writes the word at `offset` bytes, a multiple of four, from the base.
  mutating func store(_ word: UInt32, at offset: UInt32)

  /// The address under which the peripheral itself reaches `memory` (direct memory access). `memory` must
  /// have a fixed address in RAM: peripherals with direct memory access have no access to flash.
  mutating func busAddress(of memory: UnsafeRawBufferPointer) -> UInt32
}

/// The contents of a register, with its fields as properties.
public protocol RegisterValue: BitwiseCopyable, Sendable {
  /// All of it, as it is in the register.
  var bits: UInt32 { get }
  /// The value that a register with `bits` has.
  init(bits: UInt32)
}

extension UInt32: RegisterValue {
  /// The number itself.
  public var bits: UInt32 { self }
  /// The number itself.
  public init(bits: UInt32) { self = bits }
}

/// A register of a peripheral: its offset, and the type of its contents.
public struct Register<Value: RegisterValue>: BitwiseCopyable, Sendable {
  /// Bytes from the base of the peripheral.
  public let offset: UInt32

  /// The register `offset` bytes, a multiple of four, from the base.
  @inline(always)
  public init(_ offset: UInt32) { self.offset = offset }

  /// The register `index` places on, in an array of registers whose places are `stride` bytes apart.
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
