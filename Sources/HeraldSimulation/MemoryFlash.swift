import HeraldHAL

/// Flash in memory that enforces the rules of flash and simulates a loss of power at any step.
///
/// The contents are stored in `image` and outlive the `MemoryFlash`: a test keeps the image, cuts the power,
/// and mounts again.
public struct MemoryFlash: Flash, ~Copyable {
  /// The contents, power and counters.
  public let image: FlashImage

  /// Creates a flash with these contents.
  public init(_ image: FlashImage) { self.image = image }

  /// Creates a flash of erased pages.
  public init(pageSize: Int, pageCount: Int, wordSize: Int) {
    self.init(FlashImage(pageSize: pageSize, pageCount: pageCount, wordSize: wordSize))
  }

  /// The size of a page in bytes.
  public var pageSize: Int { image.pageSize }
  /// The number of pages.
  public var pageCount: Int { image.pageCount }
  /// The size of a word in bytes.
  public var wordSize: Int { image.wordSize }

  /// Whether the supply is sufficient for changes, as the test has set it.
  public mutating func isReady() -> Bool { image.hasSufficientSupply }

  /// Reads bytes. Reading is not a step.
  public mutating func read(
    page: Int, offset: Int, into buffer: inout MutableSpan<UInt8>
  ) throws(FlashError) {
    let start = try image.locate(page: page, offset: offset, count: buffer.count)
    guard image.hasPower else { throw .hardware }
    for index in 0..<buffer.count { buffer[index] = image.bytes[start + index] }
  }

  /// Programs erased words. Each word is one step.
  public mutating func program(page: Int, offset: Int, _ bytes: Span<UInt8>) throws(FlashError) {
    let start = try image.locateWords(page: page, offset: offset, count: bytes.count)
    image.programs += 1
    var word = 0
    while word < bytes.count {
      for index in word..<(word + wordSize) where image.bytes[start + index] != 0xFF { throw .notErased }
      let outcome = try image.step(page: page)
      image.note(page: page, offset: offset + word, bytes, from: word)
      for index in word..<(word + wordSize) {
        image.bytes[start + index] = image.worn(bytes[index], from: 0xFF, outcome, index - word, of: wordSize)
      }
      try image.finish(outcome)
      word += wordSize
    }
  }

  /// Sets words to zero, whether erased or programmed. Each word is one step.
  public mutating func clear(page: Int, offset: Int, count: Int) throws(FlashError) {
    let start = try image.locateWords(page: page, offset: offset, count: count)
    var word = 0
    while word < count {
      let outcome = try image.step(page: page)
      image.journal?.append(.word(page, offset + word, Array(repeating: 0, count: wordSize)))
      for index in 0..<wordSize {
        let address = start + word + index
        image.bytes[address] = image.worn(0, from: image.bytes[address], outcome, index, of: wordSize)
      }
      try image.finish(outcome)
      word += wordSize
    }
  }

  /// Erases a page. This is one step.
  public mutating func erase(page: Int) throws(FlashError) {
    let start = try image.locate(page: page, offset: 0, count: pageSize)
    let outcome = try image.step(page: page)
    image.journal?.append(.erasure(page))
    image.erasures[page] += 1
    for index in 0..<pageSize {
      image.bytes[start + index] = image.worn(
        0xFF, from: image.bytes[start + index], outcome, index, of: pageSize)
    }
    try image.finish(outcome)
  }
}

/// The contents and the power supply of a `MemoryFlash`.
///
/// A step is one word programmed or cleared, or one page erased. If power is cut at step n, the steps before
/// it are completed, step n is completed in part, and every operation after it fails until `restorePower`.
public final class FlashImage {
  /// The size of a page in bytes.
  public let pageSize: Int
  /// The number of pages.
  public let pageCount: Int
  /// The size of a word in bytes.
  public let wordSize: Int
  /// All bytes, page after page. Tests may change them.
  public var bytes: [UInt8]
  /// The number of erasures of each page.
  public internal(set) var erasures: [Int]
  /// The number of steps executed.
  public internal(set) var steps = 0
  /// The number of calls of `program`.
  public internal(set) var programs = 0
  /// Whether power is on; operations fail without it.
  public private(set) var hasPower = true
  /// Whether the supply is sufficient for changes. If not, the flash is not ready; it is changed nevertheless
  /// if a program does not ask.
  public var hasSufficientSupply = true
  /// Pages on which every programming, clearing and erasure fails, as on worn-out pages.
  public var brokenPages: Set<Int> = []

  /// The executed steps. Recording is enabled by setting it to an empty array.
  public var journal: [Step]?

  /// A recorded step.
  public enum Step: Equatable, Sendable {
    /// A word was programmed or cleared: the page, the offset, and the bytes written.
    case word(Int, Int, [UInt8])
    /// A page was erased.
    case erasure(Int)
  }

  private var cutAt: Int?
  private var tearing = Tearing.nothing
  private var random: UInt64 = 0

  /// The result of the interrupted step.
  public enum Tearing: Equatable, Sendable {
    /// The bytes are unchanged.
    case nothing
    /// Some of the bits to be changed have changed, selected by a generator with this seed.
    case some(seed: UInt64)
    /// The bytes of one range have changed: from one eighth of the step to another, 0…8.
    case stretch(from: Int, to: Int)
    /// The operation completed, but its result was lost.
    case all
  }

  enum Outcome: Equatable {
    case done
    case cut
  }

  /// Creates an image of erased pages.
  public init(pageSize: Int, pageCount: Int, wordSize: Int) {
    self.pageSize = pageSize
    self.pageCount = pageCount
    self.wordSize = wordSize
    bytes = Array(repeating: 0xFF, count: pageSize * pageCount)
    erasures = Array(repeating: 0, count: pageCount)
  }

  /// A copy with the same contents, power on, and counters of zero.
  public func copy() -> FlashImage {
    let copy = FlashImage(pageSize: pageSize, pageCount: pageCount, wordSize: wordSize)
    copy.bytes = bytes
    return copy
  }

  /// Cuts the power after `steps` further steps: 0 interrupts the next one.
  public func cutPower(afterSteps steps: Int, tearing: Tearing) {
    cutAt = self.steps + steps
    self.tearing = tearing
    if case .some(let seed) = tearing { random = seed }
  }

  /// Restores the power and cancels a scheduled cut.
  public func restorePower() {
    hasPower = true
    cutAt = nil
  }

  /// Applies a step of a journal to the contents, completely or as `tearing` specifies.
  public func apply(_ step: Step, tearing: Tearing = .all) {
    self.tearing = tearing
    if case .some(let seed) = tearing { random = seed }
    switch step {
    case .word(let page, let offset, let new):
      let start = page * pageSize + offset
      for index in 0..<new.count {
        // Programming can only clear bits.
        let old = bytes[start + index]
        bytes[start + index] = worn(old & new[index], from: old, .cut, index, of: new.count)
      }
    case .erasure(let page):
      for index in 0..<pageSize {
        let address = page * pageSize + index
        bytes[address] = worn(0xFF, from: bytes[address], .cut, index, of: pageSize)
      }
    }
  }

  func note(page: Int, offset: Int, _ bytes: Span<UInt8>, from start: Int) {
    guard journal != nil else { return }
    var word: [UInt8] = []
    for index in start..<(start + wordSize) { word.append(bytes[index]) }
    journal?.append(.word(page, offset, word))
  }

  func locate(page: Int, offset: Int, count: Int) throws(FlashError) -> Int {
    guard (0..<pageCount).contains(page), offset >= 0, count >= 0, offset <= pageSize - count else {
      throw .outOfRange
    }
    return page * pageSize + offset
  }

  func locateWords(page: Int, offset: Int, count: Int) throws(FlashError) -> Int {
    let start = try locate(page: page, offset: offset, count: count)
    guard offset % wordSize == 0, count % wordSize == 0 else { throw .misaligned }
    return start
  }

  func step(page: Int) throws(FlashError) -> Outcome {
    guard hasPower, !brokenPages.contains(page) else { throw .hardware }
    let outcome: Outcome = steps == cutAt ? .cut : .done
    steps += 1
    return outcome
  }

  func finish(_ outcome: Outcome) throws(FlashError) {
    guard outcome == .cut else { return }
    hasPower = false
    throw .hardware
  }

  /// The value of a byte after a step: `old` is the value before, `new` the value after a completed step,
  /// `index` its position among the `count` bytes of the step.
  func worn(_ new: UInt8, from old: UInt8, _ outcome: Outcome, _ index: Int, of count: Int) -> UInt8 {
    guard outcome == .cut else { return new }
    switch tearing {
    case .nothing: return old
    case .all: return new
    case .stretch(let from, let to): return from * count <= 8 * index && 8 * index < to * count ? new : old
    case .some:
      random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      let mask = UInt8(truncatingIfNeeded: random >> 40)
      return (old & ~mask) | (new & mask)
    }
  }
}
