/// No memory at all, for devices that keep nothing.
public struct NoFlash: Flash, BitwiseCopyable, Sendable {
  public init() {}
  /// 0.
  public var pageSize: Int { 0 }
  /// 0.
  public var pageCount: Int { 0 }
  /// 1.
  public var wordSize: Int { 1 }
  /// There is nothing to read.
  public mutating func read(page: Int, offset: Int, into buffer: inout MutableSpan<UInt8>) throws(FlashError)
  {
    throw .outOfRange
  }
  /// There is nowhere to write to.
  public mutating func program(page: Int, offset: Int, _ bytes: Span<UInt8>) throws(FlashError) {
    throw .outOfRange
  }
  /// There is nowhere to write to.
  public mutating func clear(page: Int, offset: Int, count: Int) throws(FlashError) { throw .outOfRange }
  /// There is nothing to erase.
  public mutating func erase(page: Int) throws(FlashError) { throw .outOfRange }
}
