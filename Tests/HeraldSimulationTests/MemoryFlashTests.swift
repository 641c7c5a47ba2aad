import HeraldHAL
import HeraldSimulation
import Testing

@Suite("Flash in memory")
struct MemoryFlashTests {
  /// Programs a word at the start of page 0; why it is refused, if it is.
  private func refusal(_ flash: inout MemoryFlash, _ word: [UInt8], at offset: Int = 0) -> FlashError? {
    do throws(FlashError) {
      try flash.program(page: 0, offset: offset, word.span)
      return nil
    } catch {
      return error
    }
  }

  @Test("A word is programmed once after an erasure, even with bits that are clear already")
  func programsOnce() throws {
    var flash = MemoryFlash(pageSize: 16, pageCount: 2, wordSize: 4)
    let first = refusal(&flash, [0x12, 0xFF, 0xFF, 0xFF])
    let second = refusal(&flash, [0x12, 0xFF, 0xFF, 0xFF])
    let cleared = refusal(&flash, [0, 0, 0, 0])
    let next = refusal(&flash, [1, 2, 3, 4], at: 4)
    #expect(first == nil && second == .notErased && cleared == .notErased && next == nil)
    #expect(flash.image.bytes[0..<8] == [0x12, 0xFF, 0xFF, 0xFF, 1, 2, 3, 4])
    try flash.erase(page: 0)
    let again = refusal(&flash, [0, 0, 0, 0])
    #expect(again == nil && flash.image.bytes[0..<8] == [0, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF])
  }

  @Test("Once the power is gone everything fails until it is restored")
  func power() {
    var flash = MemoryFlash(pageSize: 16, pageCount: 2, wordSize: 4)
    flash.image.cutPower(afterSteps: 1, tearing: .all)
    let done = refusal(&flash, [1, 2, 3, 4])
    let cut = refusal(&flash, [5, 6, 7, 8], at: 4)
    #expect(done == nil && cut == .hardware && !flash.image.hasPower)
    let later = refusal(&flash, [9, 10, 11, 12], at: 8)
    #expect(later == .hardware)
    flash.image.restorePower()
    let restored = refusal(&flash, [9, 10, 11, 12], at: 8)
    #expect(restored == nil && flash.image.bytes[0..<12] == [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12])
  }
}
