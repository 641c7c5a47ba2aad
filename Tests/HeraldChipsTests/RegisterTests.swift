import HeraldChips
import Testing

/// Registers as plain memory, and a list of what was written in which order.
private struct RecordedRegisters: RegisterBlock {
  var words: [UInt32: UInt32] = [:]
  var stores: [(offset: UInt32, word: UInt32)] = []

  func load(at offset: UInt32) -> UInt32 { words[offset] ?? 0 }
  mutating func store(_ word: UInt32, at offset: UInt32) {
    words[offset] = word
    stores.append((offset, word))
  }
  func busAddress(of memory: UnsafeRawBufferPointer) -> UInt32 { 0 }
}

@Suite("Registers")
struct RegisterTests {
  private struct Speed: RegisterValue, Equatable {
    let bits: UInt32
  }

  @Test func aRegisterIsReadAndWrittenAsTheTypeItHolds() {
    var block = RecordedRegisters()
    let speed = Register<Speed>(0x524)
    block.write(Speed(bits: 0x0027_5000), to: speed)
    #expect(block.stores.map(\.offset) == [0x524])
    #expect(block.read(speed) == Speed(bits: 0x0027_5000))
  }

  @Test func anArrayOfRegistersHasAStride() {
    #expect(Register<UInt32>(0x700).at(3).offset == 0x70C)
    #expect(Register<UInt32>(0x600).at(2, stride: 0x14).offset == 0x628)
  }
}
