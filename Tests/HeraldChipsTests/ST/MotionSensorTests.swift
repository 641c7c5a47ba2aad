import HeraldChips
import HeraldHAL
import Testing

/// `#expect` for expressions with values that cannot be copied.
private func check(_ value: Bool, sourceLocation: SourceLocation = #_sourceLocation) {
  #expect(value, sourceLocation: sourceLocation)
}

private func failure(_ operation: () throws(I2CError) -> Void) -> I2CError? {
  do throws(I2CError) {
    try operation()
    return nil
  } catch {
    return error
  }
}

/// A TWIM with one sensor.
private final class Bench {
  let memory = ModelMemory()
  let port = GPIOModel()
  let twim: TWIMModel
  private let buffer: UnsafeMutablePointer<[16 of UInt8]>

  init(_ devices: [I2CDevice]) {
    twim = TWIMModel(bus: memory, port: port)
    twim.devices = devices
    buffer = .allocate(capacity: 1)
    buffer.initialize(to: .init(repeating: 0))
  }

  deinit { buffer.deallocate() }

  func bus(pull: NRF.GPIO<ModelRegisters>.Pull = .up) -> NRF.TWIM<ModelRegisters> {
    var bus = NRF.TWIM(
      ModelRegisters(twim, bus: memory), port: NRF.GPIO(ModelRegisters(port)), clock: 11, data: 31,
      pull: pull, buffer: buffer)
    bus.start()
    return bus
  }

  var faults: [String] { twim.faults + port.faults }
}

@Suite("TWIM")
struct TWIMTests {
  @Test("100 kHz, both lines as open drain with the resistor of the chip; disabled between transfers")
  func configuration() throws {
    let chip = LSM6DS3TRCChip()
    let bench = Bench([chip])
    var bus = bench.bus()
    #expect(bench.twim.setting(0x508) == 11 && bench.twim.setting(0x50C) == 31)
    #expect(bench.twim.setting(0x524) == 0x0198_0000)
    #expect(bench.port.configuration(11) == 0x60C && bench.port.configuration(31) == 0x60C)
    check(try bus.read(0x0F, of: 0x6A) == 0x6A)
    #expect(!bench.twim.isOn)
    bus.stop()
    #expect(bench.port.configuration(11) == 2 && bench.port.configuration(31) == 2)
    #expect(bench.faults + chip.faults == [])
  }

  @Test("An address or a byte that is not acknowledged ends the transfer, and the next one works")
  func notAcknowledged() throws {
    let chip = LSM6DS3TRCChip()
    let bench = Bench([chip])
    var bus = bench.bus(pull: .none)
    check(
      failure { () throws(I2CError) in
        _ = try bus.read(0x0F, of: 0x6B)
      } == .notAcknowledged)
    chip.bootTransfers = 1
    check(
      failure { () throws(I2CError) in
        try bus.write(0x44, to: 0x12, of: 0x6A)
      } == .notAcknowledged)
    check(try bus.read(0x0F, of: 0x6A) == 0x6A)
    #expect(bench.faults + chip.faults == [])
  }

  @Test("A master that does not finish is given up, also if it does not stop")
  func timeout() throws {
    let bench = Bench([LSM6DS3TRCChip()])
    var bus = bench.bus()
    bench.twim.isBroken = true
    for ignoresStop in [false, true] {
      bench.twim.ignoresStop = ignoresStop
      check(failure { () throws(I2CError) in _ = try bus.read(0x0F, of: 0x6A) } == .timeout)
      #expect(!bench.twim.isOn)
    }
    (bench.twim.isBroken, bench.twim.ignoresStop) = (false, false)
    check(try bus.read(0x0F, of: 0x6A) == 0x6A)
    #expect(bench.faults == [])
  }

  @Test("A device that holds SDA is released by pulses of SCL", arguments: [1, 8, 9])
  func release(pulses: Int) throws {
    let bench = Bench([LSM6DS3TRCChip()])
    var bus = bench.bus()
    bench.twim.pulsesToRelease = pulses
    bench.port.meanwhile?()
    check(try bus.read(0x0F, of: 0x6A) == 0x6A)
    #expect(bench.faults == [])
  }

  @Test("A line that stays low is a timeout, without a transfer")
  func held() {
    let bench = Bench([LSM6DS3TRCChip()])
    var bus = bench.bus()
    bench.twim.pulsesToRelease = 1_000
    bench.port.meanwhile?()
    check(
      failure { () throws(I2CError) in
        _ = try bus.read(0x0F, of: 0x6A)
      } == .timeout)
    bench.twim.pulsesToRelease = 0
    bench.twim.holdsClock = true
    bench.port.meanwhile?()
    check(
      failure { () throws(I2CError) in
        _ = try bus.read(0x0F, of: 0x6A)
      } == .timeout)
    #expect(bench.twim.transfers == 0 && bench.faults == [])
  }

  @Test("Lengths that do not fit into the buffer are refused")
  func lengths() {
    let bench = Bench([LSM6DS3TRCChip()])
    var bus = bench.bus()
    let bytes = [UInt8](repeating: 0, count: 9)
    check(
      failure { () throws(I2CError) in
        try bus.send(bytes.span, to: 0x6A)
      } == .badLength)
    check(
      failure { () throws(I2CError) in
        try bus.send(bytes.span.extracting(0..<0), to: 0x6A)
      } == .badLength)
    check(
      failure { () throws(I2CError) in
        var room = [UInt8](repeating: 0, count: 9)
        var target = room.mutableSpan
        try bus.send(bytes.span.extracting(0..<1), to: 0x6A, receiving: &target)
      } == .badLength)
    #expect(bench.twim.transfers == 0 && bench.faults == [])
  }
}

@Suite("Motion sensors of STMicroelectronics")
struct MotionSensorTests {
  @Test(
    "LIS2DE12 and LSM303AGR: configured as the maker's example, and the latch is read",
    arguments: [false, true])
  func lis2de12(isLSM303AGR: Bool) {
    let chip = LIS2DE12Chip(isLSM303AGR: isLSM303AGR)
    let bench = Bench([chip])
    var sensor = LIS2DE12(bench.bus(), address: 0x19, pinIdlesHigh: isLSM303AGR)
    check(sensor.start())
    #expect(
      chip.registers == [
        0x20: 0x2F, 0x21: 0x09, 0x22: 0, 0x23: 0, 0x24: 0x08, 0x25: isLSM303AGR ? 0x02 : 0, 0x30: 0x2A,
        0x32: 4, 0x33: 0,
      ])
    #expect(chip.referenceReads == 1 && chip.detects)
    expectDetection(&sensor, chip, bench)
    sensor.stop()
    #expect(chip.registers[0x20] == 0x0F && !chip.detects)
    #expect(chip.faults == [] && bench.faults == [])
  }

  @Test("LSM6DS3TR-C: accelerometer in low-power mode, no gyroscope, and the latch is read")
  func lsm6ds3trc() {
    let chip = LSM6DS3TRCChip()
    let bench = Bench([chip])
    var sensor = LSM6DS3TRC(bench.bus(), address: 0x6A)
    check(sensor.start())
    #expect(
      chip.registers == [
        0x10: 0x10, 0x11: 0, 0x12: 0x44, 0x15: 0x10, 0x58: 0x81, 0x5B: 2, 0x5C: 0, 0x5E: 0x20,
      ])
    expectDetection(&sensor, chip, bench)
    sensor.stop()
    #expect(chip.registers[0x10] == 0 && !chip.detects)
    #expect(chip.faults == [] && bench.faults == [])
  }

  /// Motion is reported once; no response, nonsense, and a loss of the supply are not taken for rest.
  private func expectDetection<Sensor: MotionSource & ~Copyable>(
    _ sensor: inout Sensor, _ chip: MotionChip, _ bench: Bench
  ) {
    check(sensor.wasMoved() == false)
    chip.move()
    check(sensor.wasMoved() == true)
    check(sensor.wasMoved() == false)
    chip.isThere = false
    check(sensor.wasMoved() == nil)
    chip.isThere = true
    for answer in [0xFF, 0x00, 0x80] as [UInt8] {
      chip.answers = answer
      check(sensor.wasMoved() == nil)
    }
    chip.answers = nil
    bench.twim.pulsesToRelease = 1_000
    bench.port.meanwhile?()
    check(sensor.wasMoved() == nil)
    bench.twim.pulsesToRelease = 0
    bench.port.meanwhile?()
    check(sensor.wasMoved() == false)
    chip.powerOn()
    check(sensor.wasMoved() == nil)
    check(sensor.start())
    chip.move()
    check(sensor.wasMoved() == true)
  }

  @Test("Without the expected part there is no sensor, and nothing is written to another")
  func otherParts() {
    // Nothing at the address; a sensor that is still booting; a damaged bus; an LSM6DS3 in place of a
    // LSM6DS3TR-C.
    let emptyBench = Bench([])
    var nothing = LIS2DE12(emptyBench.bus(), address: 0x19)
    check(!nothing.start())
    check(nothing.wasMoved() == nil)
    let booting = LIS2DE12Chip()
    booting.bootTransfers = 1
    let bootingBench = Bench([booting])
    var late = LIS2DE12(bootingBench.bus(), address: 0x19)
    check(!late.start())
    check(late.start())
    let damaged = LIS2DE12Chip()
    damaged.answers = 0xFF
    let damagedBench = Bench([damaged])
    var nonsense = LIS2DE12(damagedBench.bus(), address: 0x19)
    check(!nonsense.start())
    #expect(damaged.registers[0x20] == 0x07)
    let other = LSM6DS3TRCChip()
    other.identity = 0x69
    let otherBench = Bench([other])
    var refused = LSM6DS3TRC(otherBench.bus(), address: 0x6A)
    check(!refused.start())
    #expect(other.registers[0x10] == 0 && other.registers[0x58] == 0)
    #expect(booting.faults + damaged.faults + other.faults == [])
    for bench in [emptyBench, bootingBench, damagedBench, otherBench] { #expect(bench.faults == []) }
  }
}
