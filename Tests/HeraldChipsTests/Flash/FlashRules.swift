import HeraldHAL
import Testing

/// What `Flash` promises, shown for any of them: one with erased pages, more than two of them.
func expectFlashRules<F: Flash & ~Copyable>(
  _ flash: inout F, sourceLocation: SourceLocation = #_sourceLocation
) throws {
  let word = flash.wordSize
  let last = flash.pageCount - 1
  let bytes = (0..<(64 * word)).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ 1) }
  // What is programmed is there, across the whole page, and nowhere else.
  let whole = (0..<flash.pageSize).map { UInt8(truncatingIfNeeded: $0 &* 7 ^ $0 >> 8) }
  try flash.program(page: 1, offset: 0, whole.span)
  #expect(try contents(&flash, page: 1) == whole, sourceLocation: sourceLocation)
  #expect(
    try contents(&flash, page: 0).allSatisfy { $0 == 0xFF }
      && contents(&flash, page: last).allSatisfy { $0 == 0xFF }, sourceLocation: sourceLocation)
  // Pieces at any word, read at any byte.
  try flash.program(page: 0, offset: 5 * word, bytes.span)
  try flash.program(page: last, offset: flash.pageSize - bytes.count, bytes.span)
  #expect(
    try contents(&flash, page: 0, 5 * word + 3, 41) == Array(bytes[3..<44]), sourceLocation: sourceLocation)
  #expect(
    try contents(&flash, page: last, flash.pageSize - 7, 7) == Array(bytes.suffix(7)),
    sourceLocation: sourceLocation)
  // Not twice, not outside, not between words; and what is refused changes nothing.
  let before = try contents(&flash, page: 0)
  #expect(
    refusal { () throws(FlashError) in try flash.program(page: 0, offset: 5 * word, bytes.span) }
      == .notErased, sourceLocation: sourceLocation)
  for (page, offset) in [(-1, 0), (last + 1, 0), (0, -word), (0, flash.pageSize), (0, flash.pageSize - word)]
  {
    #expect(
      refusal { () throws(FlashError) in try flash.program(page: page, offset: offset, bytes.span) }
        == .outOfRange, sourceLocation: sourceLocation)
  }
  #expect(
    refusal { () throws(FlashError) in try flash.erase(page: last + 1) } == .outOfRange,
    sourceLocation: sourceLocation)
  #expect(
    refusal { () throws(FlashError) in try flash.clear(page: 0, offset: 0, count: flash.pageSize + word) }
      == .outOfRange, sourceLocation: sourceLocation)
  if word > 1 {
    #expect(
      refusal { () throws(FlashError) in try flash.program(page: 0, offset: 1, bytes.span) } == .misaligned,
      sourceLocation: sourceLocation)
    #expect(
      refusal { () throws(FlashError) in try flash.clear(page: 0, offset: 0, count: 1) } == .misaligned,
      sourceLocation: sourceLocation)
  }
  #expect(try contents(&flash, page: 0) == before, sourceLocation: sourceLocation)
  // Cleared, programmed before or not, again and again.
  for _ in 0..<4 { try flash.clear(page: 0, offset: 4 * word, count: 2 * word) }
  var cleared = before
  for index in (4 * word)..<(6 * word) { cleared[index] = 0 }
  #expect(try contents(&flash, page: 0) == cleared, sourceLocation: sourceLocation)
  // Erased, and that page alone; then programmed again.
  try flash.erase(page: 0)
  #expect(try contents(&flash, page: 0).allSatisfy { $0 == 0xFF }, sourceLocation: sourceLocation)
  #expect(try contents(&flash, page: 1) == whole, sourceLocation: sourceLocation)
  try flash.program(page: 0, offset: 4 * word, bytes.span)
  #expect(
    try contents(&flash, page: 0, 4 * word, bytes.count) == bytes, sourceLocation: sourceLocation)
}

/// The bytes of a page.
func contents<F: Flash & ~Copyable>(_ flash: inout F, page: Int) throws -> [UInt8] {
  try contents(&flash, page: page, 0, flash.pageSize)
}

/// Some bytes of a page.
func contents<F: Flash & ~Copyable>(
  _ flash: inout F, page: Int, _ offset: Int, _ count: Int
) throws -> [UInt8] {
  var bytes = [UInt8](repeating: 0x55, count: count)
  var span = bytes.mutableSpan
  try flash.read(page: page, offset: offset, into: &span)
  return bytes
}

/// Why something is refused, if it is.
func refusal(_ operation: () throws(FlashError) -> Void) -> FlashError? {
  do throws(FlashError) {
    try operation()
    return nil
  } catch {
    return error
  }
}
