/// RADIO, TIMER0, RTC0, PPI and CLOCK as a driver sees them, from 0x4000_0000: registers keep their values,
/// and the accesses are recorded. What the peripherals do is set by the test.
///
/// Rules that are kept: "RTC", "Compare": a value that is not at least two ahead of the counter is a fault,
/// as is one of more than 24 bits; a task is triggered by 1, an event cleared by 0.
final class RadioModel: Peripheral {
  /// An access: the offset and the word.
  struct Write: Equatable, CustomStringConvertible {
    let offset: UInt32
    let word: UInt32
    init(_ offset: UInt32, _ word: UInt32) { (self.offset, self.word) = (offset, word) }
    var description: String { "(\(hexadecimal(offset)), \(hexadecimal(word)))" }
  }

  /// The words written since the last call of `take`.
  private var writes: [Write] = []
  private var registers: [UInt32: UInt32] = [:]
  /// TIMER0, which CAPTURE2 copies.
  var timer: UInt32 = 0
  /// COUNTER of RTC0, 24 bits.
  var counter: UInt32 = 0
  let bus = ModelMemory()

  /// The words written, in order, without the clearing of events; and forgets them.
  func take() -> [Write] {
    defer { writes = [] }
    return writes.filter { !($0.offset & 0xF00 == 0x100 && $0.word == 0) }
  }
  /// The word in a register.
  func word(_ offset: UInt32) -> UInt32 { registers[offset] ?? 0 }
  /// Sets a register, or an event to 1.
  func set(_ offset: UInt32, _ word: UInt32 = 1) { registers[offset] = word }

  override func value(at offset: UInt32) -> UInt32 {
    offset == 0xB504 ? counter & 0xFF_FFFF : word(offset)
  }

  override func setValue(_ word: UInt32, at offset: UInt32) {
    writes.append(Write(offset, word))
    registers[offset] = word
    let place = offset & 0xFFF
    if place < 0x100, word != 1 { fault("\(hexadecimal(word)) for the task at \(hexadecimal(offset))") }
    if 0x100..<0x200 ~= place, word != 0 { fault("the event at \(hexadecimal(offset)) was set") }
    switch offset {
    case 0x8048: registers[0x8548] = timer
    case 0x800C: timer = 0
    case 0xB540, 0xB544:
      if word > 0xFF_FFFF { fault("CC has 24 bits") }
      if (word &- counter) & 0xFF_FFFF < 2 { fault("a compare value of RTC0 that is too near") }
    default: break
    }
  }
}
