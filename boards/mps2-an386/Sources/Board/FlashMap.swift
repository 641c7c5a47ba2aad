import HeraldHAL
import Startup

/// The memory of the log and of the settings: the PSRAM of the board, which an emulator stores in a file. It
/// follows the rules of flash: pages of 4,096 bytes are erased to ones, words of four bytes are programmed
/// once, and `clear` only clears bits.
public struct FlashMap: Flash, ~Copyable {
  private let start: UInt32
  /// The number of pages.
  public let pageCount: Int

  /// The memory from `start` on.
  init(start: UInt32, bytes: UInt32) {
    self.start = start
    pageCount = Int(bytes) / 4096
  }

  /// The size of a page: 4,096 bytes.
  public var pageSize: Int { 4096 }
  /// The size of a word: 4 bytes.
  public var wordSize: Int { 4 }

  private func word(_ page: Int, _ offset: Int, _ count: Int) throws(FlashError) -> UnsafeMutablePointer<
    UInt32
  > {
    guard page >= 0, page < pageCount, offset >= 0, offset <= pageSize &- count else { throw .outOfRange }
    guard offset & 3 == 0, count & 3 == 0 else { throw .misaligned }
    let address = UInt(start) &+ UInt(bitPattern: page &* pageSize &+ offset)
    guard let place = UnsafeMutablePointer<UInt32>(bitPattern: address) else { throw .outOfRange }
    return unsafe place
  }

  public mutating func read(page: Int, offset: Int, into buffer: inout MutableSpan<UInt8>) throws(FlashError)
  {
    guard page >= 0, page < pageCount, offset >= 0, offset <= pageSize &- buffer.count else {
      throw .outOfRange
    }
    let address = UInt(start) &+ UInt(bitPattern: page &* pageSize &+ offset)
    guard let place = UnsafePointer<UInt8>(bitPattern: address) else { throw .outOfRange }
    for index in 0..<buffer.count { buffer[index] = unsafe place[index] }
  }

  /// Programs erased words.
  public mutating func program(page: Int, offset: Int, _ bytes: Span<UInt8>) throws(FlashError) {
    let words = unsafe try word(page, offset, bytes.count)
    for index in 0..<(bytes.count &>> 2) where unsafe words[index] != .max { throw .notErased }
    for index in 0..<(bytes.count &>> 2) {
      let at = index &* 4
      unsafe words[index] =
        UInt32(bytes[at]) | UInt32(bytes[at &+ 1]) &<< 8 | UInt32(bytes[at &+ 2]) &<< 16
        | UInt32(bytes[at &+ 3]) &<< 24
    }
  }

  /// Clears words.
  public mutating func clear(page: Int, offset: Int, count: Int) throws(FlashError) {
    let words = unsafe try word(page, offset, count)
    for index in 0..<(count &>> 2) { unsafe words[index] = 0 }
  }

  /// Erases a page.
  public mutating func erase(page: Int) throws(FlashError) {
    let words = unsafe try word(page, 0, pageSize)
    for index in 0..<(pageSize &>> 2) { unsafe words[index] = .max }
  }
}
