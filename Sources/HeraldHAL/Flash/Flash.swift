/// The hardware abstraction of a flash memory: pages that are erased to all ones as a whole and then
/// programmed word by word, each word once between two erasures (clearing further bits of a programmed word
/// is a separate call).
///
/// Calls are synchronous. An erasure may take up to 100 ms; the caller chooses the time.
public protocol Flash: ~Copyable {
  /// Whether a log in this memory can be sealed for an owner (docs/log-format.md), which takes 3 KB of code.
  /// Images for chips without the room for it have none of this code.
  static var canSeal: Bool { get }
  /// Bytes in a page, the unit of erasure: a multiple of `wordSize`.
  var pageSize: Int { get }
  /// How many pages there are, numbered from 0.
  var pageCount: Int { get }
  /// Bytes in a word, the unit of programming: 1, 2, 4 or 8. Offsets and lengths of `program` are multiples
  /// of it.
  var wordSize: Int { get }
  /// Whether the memory may be changed at the time of the call. `false` while its supply is too low: the
  /// caller keeps what it has, and asks again later.
  mutating func isReady() -> Bool

  /// Reads `buffer.count` bytes from `offset` of `page`.
  mutating func read(page: Int, offset: Int, into buffer: inout MutableSpan<UInt8>) throws(FlashError)
  /// Programs erased words of `page` from `offset` on.
  mutating func program(page: Int, offset: Int, _ bytes: Span<UInt8>) throws(FlashError)
  /// Sets all bits of the given words to zero, erased or not: the way to wipe a secret, or void a header,
  /// without an erasure.
  mutating func clear(page: Int, offset: Int, count: Int) throws(FlashError)
  /// Erases a page: all its bits become ones.
  mutating func erase(page: Int) throws(FlashError)
  /// To be called when no operation follows at once: the memory may reduce its current until the next one,
  /// which then takes some microseconds longer.
  mutating func rest()
}

extension Flash where Self: ~Copyable {
  /// By default a log can be sealed.
  @inline(__always) public static var canSeal: Bool { true }
  /// Always.
  public mutating func isReady() -> Bool { true }
  /// No effect.
  public mutating func rest() {}
}

/// Why a flash operation failed.
public enum FlashError: Error, BitwiseCopyable, Sendable {
  /// The page, offset or length is outside the memory.
  case outOfRange
  /// The offset or length is not a multiple of the word size.
  case misaligned
  /// A word was to be programmed that is not erased.
  case notErased
  /// The hardware reported a failure, or the power went.
  case hardware
  /// The supply is too low for the operation; nothing was changed.
  case supply
}
