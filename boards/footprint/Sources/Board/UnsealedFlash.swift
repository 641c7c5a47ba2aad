import HeraldHAL

/// A flash memory whose log cannot be sealed: the image has no code for it.
public struct UnsealedFlash<Base: Flash & ~Copyable>: Flash, ~Copyable {
  private var base: Base

  public static var canSeal: Bool { false }
  /// Bytes in a page.
  public var pageSize: Int { base.pageSize }
  /// The number of pages of the log.
  public var pageCount: Int { base.pageCount }
  /// The smallest number of bytes that can be programmed.
  public var wordSize: Int { base.wordSize }

  public mutating func read(page: Int, offset: Int, into buffer: inout MutableSpan<UInt8>) throws(FlashError)
  {
    try base.read(page: page, offset: offset, into: &buffer)
  }

  /// Programs.
  public mutating func program(page: Int, offset: Int, _ bytes: Span<UInt8>) throws(FlashError) {
    try base.program(page: page, offset: offset, bytes)
  }

  /// Clears.
  public mutating func clear(page: Int, offset: Int, count: Int) throws(FlashError) {
    try base.clear(page: page, offset: offset, count: count)
  }

  /// Erases.
  public mutating func erase(page: Int) throws(FlashError) { try base.erase(page: page) }
}

extension UnsealedFlash where Base == BoardFlash {
  /// `pageCount` pages of `pageSize` bytes from address `start` on.
  public init(start: UInt32, pageSize: Int, pageCount: Int) {
    base = BoardFlash(start: start, pageSize: pageSize, pageCount: pageCount)
  }
}
