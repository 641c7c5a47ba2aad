import HeraldChips

/// A device on an I2C bus whose registers have numbers of eight bits.
protocol I2CDevice: AnyObject {
  /// Seven bits.
  var address: UInt8 { get }
  /// A start condition with the address; whether it is acknowledged.
  func select(isRead: Bool) -> Bool
  /// A byte from the master; whether it is acknowledged.
  func take(_ byte: UInt8) -> Bool
  /// A byte for the master.
  func give() -> UInt8
}

/// The TWIM of the nRF52 with such devices, and the two pins of port 0 (nRF52840 Product Specification,
/// "TWIM").
///
/// Rules that are kept:
/// - "EasyDMA": buffers are in RAM, and do not change during a transfer.
/// - PSEL and FREQUENCY are written only while disabled; ENABLE is 6; both pins are inputs with the drive
///   S0D1 ("Master mode pin configuration").
/// - STARTTX is not triggered before the end of a transfer.
/// - After a byte that is not acknowledged: ERROR with ERRORSRC, and no further action until STOP.
/// - ERRORSRC is cleared by writing ones.
final class TWIMModel: Peripheral {
  let bus: ModelMemory
  let port: GPIOModel
  var devices: [I2CDevice] = []
  /// Whether no transfer ends, and whether STOP has no effect.
  var isBroken = false
  var ignoresStop = false
  /// Pulses of SCL until the device that holds SDA low releases it; more than nine: never.
  var pulsesToRelease = 0
  /// Whether a device holds SCL low.
  var holdsClock = false
  private(set) var transfers = 0
  private var isEnabled = false
  private var isBusy = false
  private var isFailed = false
  private var polls = 0
  private var clockWasLow = false
  private var events: [UInt32: UInt32] = [
    0x104: 0, 0x124: 0, 0x148: 0, 0x14C: 0, 0x150: 0, 0x15C: 0, 0x160: 0,
  ]
  private var registers: [UInt32: UInt32] = [
    0x200: 0, 0x4C4: 0, 0x508: .max, 0x50C: .max, 0x524: 0x0400_0000, 0x534: 0, 0x538: 0, 0x53C: 0,
    0x544: 0, 0x548: 0, 0x54C: 0, 0x588: 0,
  ]

  init(bus: ModelMemory, port: GPIOModel) {
    self.bus = bus
    self.port = port
    super.init()
    port.meanwhile = { [unowned self] in settleLines() }
    settleLines()
  }

  func setting(_ offset: UInt32) -> UInt32? { registers[offset] }
  var isOn: Bool { isEnabled }

  /// The levels of the lines, which have resistors to the supply.
  private func settleLines() {
    let (clock, data) = (Int(registers[0x508] ?? 0) & 31, Int(registers[0x50C] ?? 0) & 31)
    let isClockLow = port.isDriven(clock) && port.out & 1 << UInt32(clock) == 0
    if clockWasLow, !isClockLow, pulsesToRelease > 0 { pulsesToRelease -= 1 }
    clockWasLow = isClockLow
    let isDataLow = port.isDriven(data) && port.out & 1 << UInt32(data) == 0
    port.levels |= 1 << UInt32(clock) | 1 << UInt32(data)
    if isClockLow || holdsClock { port.levels &= ~(1 << UInt32(clock)) }
    if isDataLow || pulsesToRelease > 0 { port.levels &= ~(1 << UInt32(data)) }
  }

  private func fail(_ source: UInt32) {
    registers[0x4C4] = (registers[0x4C4] ?? 0) | source
    events[0x124] = 1
    isFailed = true
  }

  private func exchange() {
    let shortcuts = registers[0x200] ?? 0
    let (source, sending) = (registers[0x544] ?? 0, registers[0x548] ?? 0)
    let (target, receiving) = (registers[0x534] ?? 0, registers[0x538] ?? 0)
    transfers += 1
    (registers[0x54C], registers[0x53C]) = (0, 0)
    let address = UInt8(truncatingIfNeeded: registers[0x588] ?? 0)
    guard let device = devices.first(where: { $0.address == address }), device.select(isRead: false) else {
      return fail(2)
    }
    for index in 0..<sending {
      guard let byte = bus[source + index] else { return fault("sent from outside of RAM") }
      guard device.take(byte) else { return fail(4) }
      registers[0x54C] = index + 1
    }
    if shortcuts & 1 << 7 != 0 {
      guard device.select(isRead: true) else { return fail(2) }
      for index in 0..<receiving {
        if bus[target + index] == nil { fault("received to outside of RAM") }
        bus[target + index] = device.give()
        registers[0x53C] = index + 1
      }
      guard shortcuts & 1 << 12 != 0 else { return fault("no stop condition after the last byte") }
    } else {
      guard shortcuts & 1 << 9 != 0 else { return fault("no stop condition after the last byte") }
    }
    isBusy = false
    events[0x104] = 1
  }

  override func value(at offset: UInt32) -> UInt32 {
    if isBusy, !isFailed, !isBroken, polls > 0 {
      polls -= 1
      if polls == 0 { exchange() }
    }
    return events[offset] ?? registers[offset] ?? super.value(at: offset)
  }

  override func setValue(_ word: UInt32, at offset: UInt32) {
    switch offset {
    case 0x008:
      if !isEnabled { fault("STARTTX while disabled") }
      if isBusy { fault("STARTTX during a transfer") }
      for pin in [0x508, 0x50C] as [UInt32] {
        let configuration = port.configuration(Int(registers[pin] ?? 0) & 31)
        if configuration & ~0xC != 6 << 8 { fault("a line is not an input with drive S0D1") }
      }
      if port.levels & 1 << (registers[0x50C] ?? 0) == 0 { fault("STARTTX while SDA is low") }
      (isBusy, isFailed, polls) = (true, false, 3)
    case 0x014:
      guard !ignoresStop else { return }
      (isBusy, events[0x104]) = (false, 1)
    case 0x500:
      if word != 0, word != 6 { fault("ENABLE knows 0 and 6") }
      if word == 0, isBusy, !ignoresStop { fault("disabled during a transfer") }
      isEnabled = word == 6
      if word == 0 { isBusy = false }
    case 0x4C4: registers[0x4C4] = (registers[0x4C4] ?? 0) & ~word
    case 0x508, 0x50C, 0x524:
      if isEnabled { fault("\(hexadecimal(offset)) was written while enabled") }
      registers[offset] = word
      settleLines()
    default:
      if events[offset] != nil {
        events[offset] = 0
      } else if registers[offset] != nil {
        if isBusy { fault("\(hexadecimal(offset)) was written during a transfer") }
        registers[offset] = word
      } else {
        super.setValue(word, at: offset)
      }
    }
  }
}
