/// The supply voltage of a flash memory. Below a minimum, an operation may change other bits than it should.
public protocol FlashSupply: ~Copyable {
  /// Whether the voltage is sufficient at the time of the call.
  mutating func isSufficient() -> Bool
  /// To be called before an operation. `false` if the voltage is too low: the operation is not to be
  /// executed, and `end` is not called.
  mutating func begin() -> Bool
  /// The operation has ended.
  mutating func end()
}

/// A flash memory that is changed only while its supply is sufficient. It is read in any case.
public struct GuardedFlash<Base: Flash & ~Copyable, Supply: FlashSupply & ~Copyable>: Flash, ~Copyable {
  private var base: Base
  private var supply: Supply

  /// `base`, on `supply`.
  public init(_ base: consuming Base, on supply: consuming Supply) {
    self.base = base
    self.supply = supply
  }

  @inline(__always) public static var canSeal: Bool { Base.canSeal }
  public var pageSize: Int { base.pageSize }
  public var pageCount: Int { base.pageCount }
  public var wordSize: Int { base.wordSize }

  public mutating func isReady() -> Bool { supply.isSufficient() }

  public mutating func read(
    page: Int, offset: Int, into buffer: inout MutableSpan<UInt8>
  ) throws(FlashError) {
    try base.read(page: page, offset: offset, into: &buffer)
  }

  /// - Throws: `supply` if the voltage is too low; nothing is changed. Otherwise as the memory itself.
  public mutating func program(page: Int, offset: Int, _ bytes: Span<UInt8>) throws(FlashError) {
    guard supply.begin() else { throw .supply }
    defer { supply.end() }
    try base.program(page: page, offset: offset, bytes)
  }

  /// - Throws: `supply` if the voltage is too low; nothing is changed. Otherwise as the memory itself.
  public mutating func clear(page: Int, offset: Int, count: Int) throws(FlashError) {
    guard supply.begin() else { throw .supply }
    defer { supply.end() }
    try base.clear(page: page, offset: offset, count: count)
  }

  /// - Throws: `supply` if the voltage is too low; nothing is changed. Otherwise as the memory itself.
  public mutating func erase(page: Int) throws(FlashError) {
    guard supply.begin() else { throw .supply }
    defer { supply.end() }
    try base.erase(page: page)
  }
  /// With any supply: nothing is changed.
  public mutating func rest() { base.rest() }
}
