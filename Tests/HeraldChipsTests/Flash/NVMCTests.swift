import HeraldChips
import HeraldHAL
import Testing

private typealias Driver = NRF.NVMC<ModelRegisters, ModelRegisters>

extension NVMCModel {
  fileprivate func driver() -> Driver {
    NRF.NVMC(
      ModelRegisters(self), memory: ModelRegisters(memory), start: start, pageSize: pageSize,
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
    try expectLogSurvivesPowerCuts(every: 29, upTo: 910) {
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
}
