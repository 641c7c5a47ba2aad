import HeraldChips
import Testing

private typealias Driver = NRF.ResetPin<ModelRegisters, ModelRegisters>

/// UICR behind its controller, with words at 0x200 and 0x204, and the rest erased. It has the flash's rules.
private func configuration(_ words: [UInt32] = [.max, .max]) -> NVMCModel {
  let model = NVMCModel(start: 0x1000_1000, pageSize: 4_096, pageCount: 1)
  model.words[0x80] = words[0]
  model.words[0x81] = words[1]
  return model
}

extension NVMCModel {
  /// What the driver does of a board with its button on pin 18; whether it wants a reset.
  fileprivate func connects() -> Bool {
    var driver = Driver(ModelRegisters(memory), controller: ModelRegisters(self))
    return driver.connect(18)
  }

  /// The same in a start of the chip.
  fileprivate func wantsReset() -> Bool {
    restart()
    return connects()
  }

  fileprivate var chosen: [UInt32] { [words[0x80], words[0x81]] }
  fileprivate var counts: [Int] { [writes[0x80], writes[0x81]] }
}

@Suite("nRF reset pin")
struct ResetPinTests {
  @Test("an erased chip gets its pin, each word in one write, and is reset once")
  func erased() {
    let model = configuration()
    #expect(model.wantsReset())
    #expect(model.chosen == [0x0000_0012, 0x0000_0012])
    #expect(!model.wantsReset())
    #expect(model.counts == [1, 1])
    #expect(model.words.count { $0 == .max } == 1_022)
    #expect(model.erasures == [0])
    #expect(model.access == 0)
    #expect(model.faults == [])
  }

  @Test(
    "it is finished where power went between the words",
    arguments: [[18, .max], [.max, 18]] as [[UInt32]])
  func half(words: [UInt32]) {
    let model = configuration(words)
    #expect(model.wantsReset())
    #expect(model.chosen == [18, 18])
    #expect(model.counts == words.map { $0 == 18 ? 0 : 1 })
    #expect(!model.wantsReset())
    #expect(model.faults == [])
  }

  @Test(
    "another pin, none, or what a torn write left is left alone",
    arguments: [
      [21, 21], [21, .max], [18, 21], [0x8000_0012, 18], [0x7FFF_FFFF, .max], [50, 50],
    ] as [[UInt32]])
  func chosen(words: [UInt32]) {
    let model = configuration(words)
    #expect(!model.wantsReset())
    #expect(model.chosen == words)
    #expect(model.counts == [0, 0])
    #expect(model.access == 0)
    #expect(model.faults == [])
  }

  @Test("power that goes in the midst of a write is no boot loop", arguments: 0..<2, 0..<50 as Range<UInt64>)
  func torn(step: Int, seed: UInt64) {
    let model = configuration()
    model.power.cut(afterSteps: step, seed: seed)
    #expect(!model.connects())
    let left = model.chosen
    #expect(left[step] != 18 && left[step] & 18 == 18)
    for _ in 0..<3 { #expect(!model.wantsReset()) }
    #expect(model.chosen == left)
    #expect(model.counts.allSatisfy { $0 <= 1 })
    #expect(model.faults == [])
  }

  @Test("a word that takes nothing is no boot loop", arguments: 0..<2)
  func dead(word: Int) {
    let model = configuration(word == 0 ? [.max, .max] : [18, .max])
    // Power that is away from before on: writes are done, and nothing comes of them.
    model.power.cut(afterSteps: 0, seed: 1)
    _ = model.power.step()
    for _ in 0..<3 { #expect(!model.connects()) }
    #expect(model.chosen == (word == 0 ? [.max, .max] : [18, .max]))
    #expect(model.access == 0)
    #expect(model.faults == [])
  }
}
