import HeraldChips
import HeraldHAL
import Testing

private typealias Driver<Chip: NVMCChip, Pause: RadioPause> = NRF.NVMC<
  Chip, ModelRegisters, ModelRegisters, Pause
>

/// The operations of the flash between `begin` and `end`, by the accesses to a model.
private struct RecordedPause: RadioPause {
  /// Shared with a test.
  final class Record {
    var requested: [UInt32] = []
    var isOpen = false
    var isWrong = false
  }

  let record = Record()
  static var isRequired: Bool { true }

  mutating func begin(microseconds: UInt32) {
    if record.isOpen { record.isWrong = true }
    record.isOpen = true
    record.requested.append(microseconds)
  }

  mutating func end() {
    if !record.isOpen { record.isWrong = true }
    record.isOpen = false
  }
}

extension NVMCModel {
  fileprivate func driver() -> Driver<NRF.NRF51822, NoRadioPause> {
    NRF.NVMC(
      ModelRegisters(self), memory: ModelRegisters(memory), pause: NoRadioPause(), start: start,
      pageSize: pageSize, pageCount: erasures.count)
  }

  fileprivate func driver<Chip: NVMCChip>(of chip: Chip.Type, _ pause: RecordedPause) -> Driver<
    Chip, RecordedPause
  > {
    NRF.NVMC(
      ModelRegisters(self), memory: ModelRegisters(memory), pause: pause, start: start, pageSize: pageSize,
      pageCount: erasures.count)
  }
}

@Suite("nRF NVMC")
struct NVMCTests {
  @Test("what Flash promises, with the pages of both series", arguments: [1_024, 4_096])
  func rules(pageSize: Int) throws {
    let model = NVMCModel(start: 0x1C000, pageSize: pageSize, pageCount: 4)
    var flash = model.driver()
    try expectFlashRules(&flash)
    #expect(model.faults == [])
    #expect(model.erasures == [1, 0, 0, 0])
  }

  @Test("words are little-endian in the flash")
  func byteOrder() throws {
    let model = NVMCModel(start: 0, pageSize: 1_024, pageCount: 3)
    var flash = model.driver()
    try flash.program(page: 2, offset: 8, [0x11, 0x22, 0x33, 0x44].span)
    #expect(model.words[2 * 256 + 2] == 0x4433_2211)
  }

  @Test("words of ones are not written, and zeros not cleared again: both would count")
  func writesThatCount() throws {
    let model = NVMCModel(start: 0, pageSize: 1_024, pageCount: 3)
    var flash = model.driver()
    try flash.program(page: 0, offset: 0, [0xFF, 0xFF, 0xFF, 0xFF, 1, 2, 3, 4].span)
    #expect(Array(model.writes[0..<2]) == [0, 1])
    try flash.clear(page: 0, offset: 0, count: 8)
    try flash.clear(page: 0, offset: 0, count: 8)
    #expect(Array(model.writes[0..<2]) == [1, 2])
    #expect(model.faults == [])
  }

  @Test("nothing can be written or erased but by an operation")
  func closed() throws {
    let model = NVMCModel(start: 0, pageSize: 1_024, pageCount: 3)
    var flash = model.driver()
    try flash.program(page: 0, offset: 0, [1, 2, 3, 4].span)
    #expect(model.access == 0)
    try flash.clear(page: 0, offset: 0, count: 4)
    #expect(model.access == 0)
    try flash.erase(page: 0)
    #expect(model.access == 0)
  }

  @Test("a bit that does not change is a failure, not a record")
  func wornOut() {
    let model = NVMCModel(start: 0, pageSize: 1_024, pageCount: 3)
    var flash = model.driver()
    model.power.cut(afterSteps: 0, seed: 1)
    #expect(
      refusal { () throws(FlashError) in try flash.program(page: 0, offset: 0, [0, 0, 0, 0].span) }
        == .hardware)
  }

  @Test("the log on an nRF51's flash, with the power cut in each operation")
  func logWithPowerCuts() throws {
    var models: [NVMCModel] = []
    try expectLogSurvivesPowerCuts(every: 29, upTo: 860) {
      let model = NVMCModel(start: 0x18000, pageSize: 1_024, pageCount: 3)
      models.append(model)
      return (
        model.power,
        {
          model.restart()
          return model.driver()
        }
      )
    }
    #expect(Set(models.flatMap(\.faults)) == [])
    #expect(models.contains { $0.erasures.allSatisfy { $0 >= 1 } })
  }

  @Test("beside a radio, a page of an nRF52 is erased in parts of 1 ms", arguments: [85, 88])
  func partialErasure(needed: Int) throws {
    // 88: the 87.5 ms of the nRF52833 in whole milliseconds.
    let model = NVMCModel(start: 0x7_0000, pageSize: 4_096, pageCount: 3, erasureTime: needed)
    let pause = RecordedPause()
    var flash = model.driver(of: NRF.NRF52.self, pause)
    try flash.program(page: 1, offset: 0, [UInt8](repeating: 0, count: 4_096).span)
    pause.record.requested = []
    try flash.erase(page: 1)
    #expect(try contents(&flash, page: 1).allSatisfy { $0 == 0xFF })
    #expect(model.erasures == [0, 1, 0] && model.parts == 95 && model.access == 0)
    #expect(pause.record.requested == [UInt32](repeating: 1_160, count: 95))
    #expect(!pause.record.isOpen && !pause.record.isWrong)
    try expectFlashRules(&flash)
    #expect(model.faults == [])
  }

  @Test("beside a radio, a page of an nRF51 is erased in one pause")
  func undividedErasure() throws {
    let model = NVMCModel(start: 0x18000, pageSize: 1_024, pageCount: 3)
    let pause = RecordedPause()
    var flash = model.driver(of: NRF.NRF51822.self, pause)
    try expectFlashRules(&flash)
    pause.record.requested = []
    try flash.erase(page: 1)
    #expect(pause.record.requested == [23_500])
    #expect(!pause.record.isOpen && !pause.record.isWrong && model.faults == [])
  }

  @Test("beside a radio, words are written in groups of 16, each of which has a pause")
  func groups() throws {
    let model = NVMCModel(start: 0, pageSize: 1_024, pageCount: 3)
    let pause = RecordedPause()
    var flash = model.driver(of: NRF.NRF51822.self, pause)
    var isOutside = false
    model.memory.meanwhile = { if model.access != 0, !pause.record.isOpen { isOutside = true } }
    try flash.program(page: 0, offset: 0, [UInt8](repeating: 5, count: 33 * 4).span)
    #expect(pause.record.requested == [880, 880, 880])
    #expect(!pause.record.isOpen && !pause.record.isWrong && model.access == 0)
    pause.record.requested = []
    try flash.clear(page: 0, offset: 0, count: 16 * 4)
    #expect(pause.record.requested == [880])
    // Words that are not written require no pause.
    try flash.program(page: 1, offset: 0, [UInt8](repeating: 0xFF, count: 64).span)
    #expect(pause.record.requested == [880])
    #expect(!isOutside && !pause.record.isOpen && !pause.record.isWrong && model.faults == [])
  }

  @Test("a write that fails ends its pause")
  func pauseOfFailure() {
    let model = NVMCModel(start: 0, pageSize: 1_024, pageCount: 3)
    let pause = RecordedPause()
    var flash = model.driver(of: NRF.NRF51822.self, pause)
    model.power.cut(afterSteps: 2, seed: 1)
    #expect(
      refusal { () throws(FlashError) in
        try flash.program(page: 0, offset: 0, [UInt8](repeating: 0, count: 64).span)
      } == .hardware)
    #expect(!pause.record.isOpen && !pause.record.isWrong && model.access == 0)
  }

  @Test("the log on an nRF52's flash, with the power cut in each part of an erasure")
  func logWithPowerCutsInParts() throws {
    var models: [NVMCModel] = []
    try expectLogSurvivesPowerCuts(every: 67, upTo: 1_250) {
      let model = NVMCModel(start: 0x7_0000, pageSize: 1_024, pageCount: 3, erasureTime: 88)
      models.append(model)
      return (
        model.power,
        {
          model.restart()
          return model.driver(of: NRF.NRF52.self, RecordedPause())
        }
      )
    }
    #expect(Set(models.flatMap(\.faults)) == [])
    #expect(models.contains { $0.erasures.allSatisfy { $0 >= 1 } && $0.parts % 95 != 0 })
  }
}
