/// The flash of an nRF51 or nRF52 and its controller (nRF51 Series Reference Manual, "NVMC"; nRF52840 Product
/// Specification, 4.3 "NVMC").
///
/// Rules that are kept:
/// - "Writing to flash": only with CONFIG.WEN at Wen, whole words at word addresses; a bit goes from 1 to 0
///   only; a word is written at most twice between erasures (n_WRITE of the product specifications).
/// - "Erasing a page": only with CONFIG.WEN at Een; the address is that of the first word of a page.
/// - "Partial erase of a page in flash" of the nRF52833 and nRF52840: CONFIG.WEN is at Een for each part, and
///   at Ren between two; ERASEPAGEPARTIALCFG is 1 to 127 ms. The page is erased when the durations of its
///   parts since its last write reach t_ERASEPAGE. Until then its content is undefined.
/// - READY: while it is 0 nothing may be written, erased or configured.
/// - Flash is not readable while it is written or erased: the processor waits. Here the model counts it as a
///   fault, as a processor that runs from RAM would not wait.
///
/// Power can go in the middle of a write or an erasure: `PowerCut`.
final class NVMCModel: Peripheral {
  let pageSize: Int
  /// What the flash holds, page after page.
  var words: [UInt32]
  /// Writes to each word since its page was erased.
  private(set) var writes: [Int]
  /// Erasures of each page.
  private(set) var erasures: [Int]
  /// Looks at READY until an operation has ended.
  var delay = 3
  let power = PowerCut()
  /// t_ERASEPAGE in milliseconds, of a chip with partial erasure; 0 for another.
  let erasureTime: Int
  /// The number of partial erasures.
  private(set) var parts = 0
  /// The duration of the partial erasures of each page since it was written.
  private var erased: [Int]
  private var partTime = 10
  /// CONFIG.WEN was at Ren after the last partial erasure.
  private var wasClosed = true
  /// The address of the first word.
  let start: UInt32
  /// CONFIG.WEN.
  private(set) var access: UInt32 = 0
  private var busy = 0

  init(start: UInt32, pageSize: Int, pageCount: Int, erasureTime: Int = 0) {
    self.erasureTime = erasureTime
    erased = Array(repeating: 0, count: pageCount)
    self.start = start
    self.pageSize = pageSize
    words = Array(repeating: .max, count: pageSize / 4 * pageCount)
    writes = Array(repeating: 0, count: words.count)
    erasures = Array(repeating: 0, count: pageCount)
  }

  /// The flash itself, as the processor sees it.
  private(set) lazy var memory = FlashArray(self)

  /// A restart of the chip: nothing is enabled, nothing is going on.
  func restart() {
    access = 0
    busy = 0
    partTime = 10
    wasClosed = true
    power.restore()
  }

  /// The bytes of a page.
  func bytes(page: Int) -> [UInt8] {
    words[(page * pageSize / 4)..<((page + 1) * pageSize / 4)].flatMap { word in
      (0..<4).map { UInt8(truncatingIfNeeded: word >> UInt32($0 * 8)) }
    }
  }

  override func value(at offset: UInt32) -> UInt32 {
    switch offset {
    case 0x400:
      busy = max(busy - 1, 0)
      return busy == 0 ? 1 : 0
    default: return super.value(at: offset)
    }
  }

  override func setValue(_ word: UInt32, at offset: UInt32) {
    if busy > 0 { fault("\(hexadecimal(offset)) was written while the controller is busy") }
    switch offset {
    case 0x504:
      if word > 2 { fault("CONFIG.WEN knows 0, 1 and 2") }
      access = word
      if word == 0 { wasClosed = true }
    case 0x51C where erasureTime > 0:
      if word < 1 || word > 127 { fault("ERASEPAGEPARTIALCFG is 1 to 127") }
      partTime = Int(word)
    case 0x508,
      0x518 where erasureTime > 0:
      if access != 2 { fault("an erasure without CONFIG.WEN at Een") }
      let place = Int(word &- start)
      guard word >= start, place % pageSize == 0, place / pageSize < erasures.count else {
        fault("an erasure at \(hexadecimal(word))")
        return
      }
      if offset == 0x508 {
        erase(page: place / pageSize)
      } else {
        erasePart(page: place / pageSize)
      }
    default: super.setValue(word, at: offset)
    }
  }

  private func erase(page: Int) {
    let outcome = power.step()
    guard outcome != .nothing else { return }
    erasures[page] += 1
    for index in (page * pageSize / 4)..<((page + 1) * pageSize / 4) {
      words[index] |= outcome == .all ? .max : power.mask()
      if outcome == .all { writes[index] = 0 }
    }
    busy = delay
  }

  private func erasePart(page: Int) {
    if !wasClosed { fault("a partial erasure without CONFIG.WEN at Ren after the last one") }
    wasClosed = false
    let outcome = power.step()
    guard outcome != .nothing else { return }
    parts += 1
    let isFirst = erased[page] == 0
    let wasErased = erased[page] >= erasureTime
    erased[page] += outcome == .all ? partTime : 0
    let isErased = erased[page] >= erasureTime
    busy = delay
    guard isFirst || isErased != wasErased || outcome == .some else { return }
    if isErased, !wasErased { erasures[page] += 1 }
    for index in (page * pageSize / 4)..<((page + 1) * pageSize / 4) {
      words[index] = isErased && outcome == .all ? .max : power.mask()
      if isErased, outcome == .all { writes[index] = 0 }
    }
  }

  fileprivate func write(_ word: UInt32, at offset: UInt32) {
    if access != 1 { fault("a write without CONFIG.WEN at Wen") }
    if busy > 0 { fault("a write while the controller is busy") }
    let index = Int(offset) / 4
    guard offset % 4 == 0, index < words.count else { return fault("a write at \(hexadecimal(offset))") }
    let outcome = power.step()
    guard outcome != .nothing else { return }
    writes[index] += 1
    erased[index * 4 / pageSize] = 0
    if writes[index] > 2 { fault("a word was written \(writes[index]) times without an erasure") }
    words[index] &= outcome == .all ? word : word | power.mask()
    busy = delay
  }

  fileprivate func read(at offset: UInt32) -> UInt32 {
    if busy > 0 { fault("the flash was read while the controller is busy") }
    guard offset % 4 == 0, Int(offset) / 4 < words.count else {
      fault("a read at \(hexadecimal(offset))")
      return 0
    }
    return words[Int(offset) / 4]
  }

  /// The flash as a block of words.
  final class FlashArray: Peripheral {
    private unowned let controller: NVMCModel
    fileprivate init(_ controller: NVMCModel) { self.controller = controller }
    override func value(at offset: UInt32) -> UInt32 { controller.read(at: offset) }
    override func setValue(_ word: UInt32, at offset: UInt32) { controller.write(word, at: offset) }
    override func fault(_ what: String) { controller.fault(what) }
  }
}

/// The power of a memory, which may go in the middle of an operation.
final class PowerCut {
  /// What becomes of an operation.
  enum Outcome: Equatable {
    /// All of it.
    case all
    /// Some of the bits that were to change have changed.
    case some
    /// Nothing: there is no power.
    case nothing
  }

  /// Operations so far.
  private(set) var steps = 0
  /// Whether there is power.
  private(set) var isOn = true
  private var cutAt: Int?
  private var random = Seeded(1)

  /// Cuts the power in the middle of the operation that comes after `steps` more.
  func cut(afterSteps steps: Int, seed: UInt64) {
    cutAt = self.steps + steps
    random = Seeded(seed)
  }

  /// Power is back, and stays.
  func restore() {
    isOn = true
    cutAt = nil
  }

  /// An operation begins.
  func step() -> Outcome {
    guard isOn else { return .nothing }
    defer { steps += 1 }
    guard steps == cutAt else { return .all }
    isOn = false
    return .some
  }

  /// Bits that are as they were, in an operation that was cut: any.
  func mask() -> UInt32 { UInt32(truncatingIfNeeded: random.next()) }
}
