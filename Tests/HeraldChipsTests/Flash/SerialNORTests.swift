import HeraldChips
import HeraldHAL
import Testing

@Suite("SPI NOR flash")
struct SerialNORTests {
  @Test(
    "what Flash promises, on all of the chip and on a part of it", arguments: [(0, 512), (500, 12), (3, 4)])
  func rules(first: Int, count: Int) throws {
    let chip = NORChip()
    var flash = SerialNOR(ModelBus(chip: chip), firstSector: first, sectorCount: count)
    let identity = try flash.start()
    #expect(identity == .init(manufacturer: 0xEF, type: 0x40, capacity: 0x15))
    try expectFlashRules(&flash)
    #expect(chip.erasures[first] == 1)
    #expect(chip.erasures.reduce(0, +) == 1)
    #expect(chip.faults == [])
  }

  @Test("programs do not go over the end of the chip's pages")
  func pages() throws {
    let chip = NORChip()
    var flash = SerialNOR(ModelBus(chip: chip))
    _ = try flash.start()
    let bytes = (0..<700).map { UInt8(truncatingIfNeeded: $0 &* 3) }
    try flash.program(page: 2, offset: 250, bytes.span)
    #expect(Array(chip.bytes[(2 * 4_096 + 250)..<(2 * 4_096 + 950)]) == bytes)
    #expect(chip.power.steps == 4)
    #expect(chip.faults == [])
  }

  @Test("a chip that sleeps, or is busy with what a run before began, is woken and waited for")
  func waking() throws {
    let asleep = NORChip()
    asleep.sleep()
    var flash = SerialNOR(ModelBus(chip: asleep))
    _ = try flash.start()
    try flash.program(page: 0, offset: 0, [1, 2, 3].span)
    #expect(try contents(&flash, page: 0, 0, 3) == [1, 2, 3])
    #expect(asleep.faults == [])

    let busy = NORChip()
    busy.makeBusy(for: 50)
    var other = SerialNOR(ModelBus(chip: busy))
    _ = try other.start()
    try other.program(page: 0, offset: 0, [4].span)
    #expect(busy.bytes[0] == 4)
  }

  @Test("it rests in deep power-down, and each operation wakes it, with tDP and tRES1 kept")
  func resting() throws {
    let chip = NORChip()
    var flash = SerialNOR(ModelBus(chip: chip))
    // Before the start nothing is sent.
    flash.rest()
    #expect(chip.orders.isEmpty)
    _ = try flash.start()
    #expect(chip.orders == [0xAB, 0x9F])
    flash.rest()
    flash.rest()
    #expect(chip.isAsleep && chip.orders == [0xAB, 0x9F, 0xB9])
    // What is out of range does not wake it.
    #expect(refusal { () throws(FlashError) in try flash.erase(page: 512) } == .outOfRange)
    #expect(chip.isAsleep)
    try flash.program(page: 0, offset: 0, [1, 2, 3].span)
    // Reading that it is erased, write enable, program, reading that it is right.
    #expect(chip.orders.dropFirst(3) == [0xAB, 0x03, 0x06, 0x02, 0x03])
    flash.rest()
    #expect(try contents(&flash, page: 0, 0, 3) == [1, 2, 3])
    // Awake it is not woken again.
    #expect(try contents(&flash, page: 0, 1, 1) == [2])
    #expect(chip.orders.dropFirst(8) == [0xB9, 0xAB, 0x03, 0x03])
    flash.rest()
    try flash.clear(page: 0, offset: 0, count: 1)
    flash.rest()
    try flash.erase(page: 0)
    flash.rest()
    #expect(chip.isAsleep && chip.erasures[0] == 1 && chip.faults == [])
  }

  @Test("a chip that does not follow is not lost, and one that is gone is a failure")
  func restingFails() throws {
    let chip = NORChip()
    var flash = SerialNOR(ModelBus(chip: chip))
    _ = try flash.start()
    flash.rest()
    // It lost its supply, and is awake.
    chip.restart()
    try flash.program(page: 0, offset: 0, [7].span)
    #expect(chip.bytes[0] == 7 && chip.faults == [])
    flash.rest()
    chip.isThere = false
    #expect(refusal { () throws(FlashError) in try flash.erase(page: 0) } == .hardware)
  }

  @Test("the times are those of the slowest chip: one that is slower by a microsecond is used too early")
  func restingTimes() throws {
    for (entering, waking) in [(31, 35), (30, 36)] {
      let chip = NORChip()
      (chip.enteringTime, chip.wakingTime) = (entering, waking)
      var flash = SerialNOR(ModelBus(chip: chip))
      do { _ = try flash.start() } catch {}
      flash.rest()
      do { _ = try contents(&flash, page: 0, 0, 1) } catch {}
      #expect(chip.faults == ["selected 1 µs too early after a change of deep power-down"])
    }
  }

  @Test("no chip, a small one, and one that never gets ready are failures")
  func failures() {
    let chip = NORChip()
    chip.isThere = false
    var flash = SerialNOR(ModelBus(chip: chip))
    #expect(refusal { () throws(FlashError) in _ = try flash.start() } == .hardware)
    var large = SerialNOR(ModelBus(chip: NORChip()), sectorCount: 513)
    #expect(refusal { () throws(FlashError) in _ = try large.start() } == .hardware)
  }

  @Test("what did not reach the chip is a failure, not a record")
  func ignoredCommands() throws {
    let chip = NORChip()
    var flash = SerialNOR(ModelBus(chip: chip))
    _ = try flash.start()
    chip.sleep()
    #expect(
      refusal { () throws(FlashError) in try flash.program(page: 0, offset: 0, [0].span) } != nil)
    // An erasure is not read back: the chip's status alone tells.
    let deaf = NORChip()
    var other = SerialNOR(ModelBus(chip: deaf))
    _ = try other.start()
    deaf.losesPermission = true
    #expect(refusal { () throws(FlashError) in try other.erase(page: 1) } == .hardware)
    deaf.losesPermission = false
    deaf.losesOrders = true
    #expect(refusal { () throws(FlashError) in try other.erase(page: 1) } == .hardware)
    #expect(deaf.erasures[1] == 0 && deaf.faults == [])
  }

  @Test("a bit that does not change is a failure, programmed or cleared")
  func wornBit() throws {
    let chip = NORChip()
    var flash = SerialNOR(ModelBus(chip: chip))
    _ = try flash.start()
    chip.wornByte = 4_096 + 70
    #expect(
      refusal { () throws(FlashError) in
        try flash.program(page: 1, offset: 64, [0, 0, 0, 0, 0, 0, 2, 0].span)
      } == .hardware)
    #expect(refusal { () throws(FlashError) in try flash.clear(page: 1, offset: 64, count: 8) } == .hardware)
    try flash.program(page: 1, offset: 0, [0].span)
  }

  @Test("the log on the chip, with the power cut in each operation")
  func logWithPowerCuts() throws {
    var chips: [NORChip] = []
    try expectLogSurvivesPowerCuts(every: 23, upTo: 420) {
      let chip = NORChip(megabytes: 1)
      chips.append(chip)
      return (
        chip.power,
        {
          chip.restart()
          return SerialNOR(ModelBus(chip: chip), firstSector: 8, sectorCount: 3)
        }
      )
    }
    #expect(Set(chips.flatMap(\.faults)) == [])
  }

  @Test("over the SPIM: from RAM, in pieces, with the chip selected all the while", arguments: [64, 255, 5])
  func spim(capacity: Int) throws {
    switch capacity {
    case 64: try overSPIM(of: [64 of UInt8](repeating: 0))
    case 255: try overSPIM(of: [255 of UInt8](repeating: 0))
    default: try overSPIM(of: [5 of UInt8](repeating: 0))
    }
  }

  private func overSPIM<let capacity: Int>(of memory: [capacity of UInt8]) throws {
    let chip = NORChip()
    let model = SPIMModel(chip, bus: ModelMemory())
    let port = GPIOModel()
    port.onChange = { pin, high in if pin == 20 { model.setSelect(high) } }
    let buffer = UnsafeMutablePointer<[capacity of UInt8]>.allocate(capacity: 1)
    buffer.initialize(to: memory)
    defer { buffer.deallocate() }
    var spim = NRF.SPIM(
      ModelRegisters(model, bus: model.bus), port: NRF.GPIO(ModelRegisters(port)), chipSelect: 20,
      buffer: buffer)
    spim.start(clock: NRF.Pin(19), out: NRF.Pin(21), in: NRF.Pin(port: 1, 8))
    #expect(model.setting(0x508) == 19)
    #expect(model.setting(0x50C) == 21)
    #expect(model.setting(0x510) == 40)
    #expect(model.setting(0x524) == 0x8000_0000)
    // Mode 0, most significant bit first; ones where there is nothing to send.
    #expect(model.setting(0x554) == 0)
    #expect(model.setting(0x5C0) == 0xFF)
    var flash = SerialNOR(spim, firstSector: 0, sectorCount: 4)
    _ = try flash.start()
    try expectFlashRules(&flash)
    flash.rest()
    #expect(chip.isAsleep)
    #expect(try contents(&flash, page: 3, 0, 1) == [0xFF])
    #expect(!model.isSelected)
    #expect(model.faults + port.faults + chip.faults == [])
    model.isBroken = true
    #expect(refusal { () throws(FlashError) in try flash.erase(page: 0) } == .hardware)
    #expect(!model.isSelected && !model.isMoving)
  }
}
