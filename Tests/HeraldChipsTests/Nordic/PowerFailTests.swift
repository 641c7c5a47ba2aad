import HeraldChips
import HeraldHAL
import Testing

/// The voltage of a model.
private struct Meter: SupplyMeter {
  let model: ClockPowerModel
  var isBroken = false
  func supplyMillivolts() -> UInt32? { isBroken ? nil : model.supply }
}

/// A memory that states whether the comparator was enabled during an operation.
private struct Witness: Flash {
  final class Record {
    var operations = 0
    var isWrong = false
  }
  let record = Record()
  let model: ClockPowerModel
  let pageSize = 256
  let pageCount = 2
  let wordSize = 4

  private func note() {
    record.operations += 1
    if model.powerFail & 1 != 0 || model.supply < 1_900 { record.isWrong = true }
  }
  func read(page: Int, offset: Int, into buffer: inout MutableSpan<UInt8>) throws(FlashError) {}
  func program(page: Int, offset: Int, _ bytes: Span<UInt8>) throws(FlashError) { note() }
  func clear(page: Int, offset: Int, count: Int) throws(FlashError) { note() }
  func erase(page: Int) throws(FlashError) {
    note()
    throw .hardware
  }
}

extension ClockPowerModel {
  fileprivate func voltage(isBroken: Bool = false)
    -> NRF.FlashVoltage<NRF.NRF52, ModelRegisters, Meter>
  {
    var comparator = NRF.PowerFail<NRF.NRF52, ModelRegisters>(ModelRegisters(self), below: 1_900)
    comparator.start()
    return NRF.FlashVoltage(
      ModelRegisters(self), meter: Meter(model: self, isBroken: isBroken), minimum: 1_900)
  }
}

@Suite("nRF power-fail comparator")
struct PowerFailTests {
  @Test("the threshold is the highest one that is not above the voltage")
  func thresholds() {
    let nRF52 = [0, 1_699, 1_700, 1_899, 1_900, 2_800, 5_000].map(NRF.NRF52.powerFailThreshold)
    #expect(nRF52 == [4, 4, 4, 5, 6, 15, 15])
    let nRF51 = [0, 2_099, 2_100, 2_299, 2_300, 2_700, 5_000].map(NRF.NRF51822.powerFailThreshold)
    #expect(nRF51 == [0, 0, 0, 0, 1, 3, 3])
  }

  @Test("POFCON has POF and THRESHOLD")
  func literal() {
    let model = ClockPowerModel()
    _ = model.voltage()
    #expect(model.powerFail == 0b0_1101)
    #expect(model.faults == [])
  }

  @Test(
    "no operation is executed from the warning until VDD is 0.1 V above the threshold, and reads always are")
  func guarded() throws {
    let model = ClockPowerModel()
    let witness = Witness(model: model)
    var flash = GuardedFlash(witness, on: model.voltage())
    let word: [UInt8] = [1, 2, 3, 4]
    try flash.program(page: 0, offset: 0, word.span)
    #expect(witness.record.operations == 1)
    // Enabled between operations, also after one that failed.
    #expect(model.powerFail & 1 == 1)
    #expect(error { () throws(FlashError) in try flash.erase(page: 0) } == .hardware)
    #expect(model.powerFail & 1 == 1)
    model.supply = 1_850
    model.supply = 1_990
    for _ in 0..<3 {
      let isReady = flash.isReady()
      #expect(!isReady)
      #expect(error { () throws(FlashError) in try flash.program(page: 0, offset: 4, word.span) } == .supply)
      #expect(error { () throws(FlashError) in try flash.clear(page: 0, offset: 0, count: 4) } == .supply)
      #expect(error { () throws(FlashError) in try flash.erase(page: 0) } == .supply)
    }
    var bytes: [UInt8] = [0]
    var span = bytes.mutableSpan
    try flash.read(page: 0, offset: 0, into: &span)
    #expect(witness.record.operations == 2)
    model.supply = 2_000
    let isReady = flash.isReady()
    #expect(isReady)
    try flash.clear(page: 0, offset: 0, count: 4)
    #expect(witness.record.operations == 3)
    #expect(!witness.record.isWrong)
    #expect(model.faults == [])
  }

  @Test("VDD that is low at the start, of which the comparator does not warn, is measured")
  func lowAtStart() {
    let model = ClockPowerModel()
    model.supply = 1_800
    var voltage = model.voltage()
    var found = [voltage.isSufficient(), voltage.begin()]
    model.supply = 2_100
    found.append(voltage.isSufficient())
    #expect(found == [false, false, true])
  }

  @Test("if the converter does not respond, the comparator decides, and its warning is final")
  func brokenConverter() {
    let model = ClockPowerModel()
    var voltage = model.voltage(isBroken: true)
    var found = [voltage.isSufficient(), voltage.begin()]
    voltage.end()
    model.supply = 1_800
    model.supply = 3_000
    found += [voltage.isSufficient(), voltage.begin()]
    #expect(found == [true, true, false, false])
  }

  @Test("the converter of the nRF51 measures a third of VDD with its own reference")
  func converterOfNRF51() {
    let model = ADCModel()
    var converter = NRF.ADC(ModelRegisters(model))
    let found = converter.supplyMillivolts()
    // 0x2AA of 1,024 steps of 3.6 V.
    #expect(found == 2_397)
    #expect(model.faults == [] && !model.isEnabled)
    model.isBroken = true
    let none = converter.supplyMillivolts()
    #expect(none == nil && !model.isEnabled)
  }

  /// The error that `operation` throws.
  private func error(_ operation: () throws(FlashError) -> Void) -> FlashError? {
    do throws(FlashError) {
      try operation()
      return nil
    } catch {
      return error
    }
  }
}

/// The converter of the nRF51 (nRF51 Series Reference Manual, "ADC"). CONFIG: 10 bits, INPSEL 6 is a third of
/// the supply, REFSEL 0 the bandgap.
private final class ADCModel: Peripheral {
  var isBroken = false
  private(set) var isEnabled = false
  private var configuration: UInt32 = 0
  private var hasEnded = false

  override func value(at offset: UInt32) -> UInt32 {
    switch offset {
    case 0x100: hasEnded ? 1 : 0
    case 0x508: 0x2AA
    default: super.value(at: offset)
    }
  }

  override func setValue(_ word: UInt32, at offset: UInt32) {
    switch offset {
    case 0x000:
      if !isEnabled || configuration != 0b1_1010 { fault("START") }
      hasEnded = !isBroken
    case 0x100: hasEnded = false
    case 0x500: isEnabled = word == 1
    case 0x504: configuration = word
    default: super.setValue(word, at: offset)
    }
  }
}
