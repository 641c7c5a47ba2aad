import HeraldHAL
import Placeholders

/// The board's clock, which starts at reset and counts milliseconds.
public func boardClock() -> Instant { Instant(milliseconds: UInt64(wide: board_milliseconds())) }

/// The chip's random number generator.
public struct BoardRandom: RandomSource, ~Copyable {
  public init() {}
  /// The next 32 bits.
  public mutating func next() -> UInt32 { board_random() }
}

/// The flash behind the image.
public struct BoardFlash: Flash, ~Copyable {
  private let start: UInt32
  /// Bytes in a page.
  public let pageSize: Int
  /// The number of pages of the log.
  public let pageCount: Int
  /// The chip programs words of 32 bits.
  public var wordSize: Int { 4 }

  /// `pageCount` pages of `pageSize` bytes from address `start` on.
  public init(start: UInt32, pageSize: Int, pageCount: Int) {
    self.start = start
    self.pageSize = pageSize
    self.pageCount = pageCount
  }

  private func address(_ page: Int, _ offset: Int) -> UInt32 {
    start &+ UInt32(truncatingIfNeeded: page &* pageSize &+ offset)
  }

  public mutating func read(page: Int, offset: Int, into buffer: inout MutableSpan<UInt8>) throws(FlashError)
  {
    let address = address(page, offset)
    unsafe buffer.withUnsafeMutableBufferPointer { bytes in
      guard let to = bytes.baseAddress else { return }
      _ = unsafe board_flash_read(address, to, Int32(truncatingIfNeeded: bytes.count))
    }
  }

  /// Programs.
  public mutating func program(page: Int, offset: Int, _ bytes: Span<UInt8>) throws(FlashError) {
    let address = address(page, offset)
    unsafe bytes.withUnsafeBufferPointer { bytes in
      guard let from = bytes.baseAddress else { return }
      _ = unsafe board_flash_program(address, from, Int32(truncatingIfNeeded: bytes.count))
    }
  }

  /// Clears.
  public mutating func clear(page: Int, offset: Int, count: Int) throws(FlashError) {
    var place = 0
    while place < count {
      let zeros: [4 of UInt8] = [0, 0, 0, 0]
      try program(page: page, offset: offset &+ place, zeros.span)
      place &+= 4
    }
  }

  /// Erases.
  public mutating func erase(page: Int) throws(FlashError) {
    guard board_flash_erase(address(page, 0)) == 0 else { throw .hardware }
  }
}
