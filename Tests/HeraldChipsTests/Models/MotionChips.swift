import HeraldChips
import HeraldHAL

/// A sensor with registers on an I2C bus.
///
/// Rules that are kept, by the data sheets:
/// - The first byte after the address is the number of a register.
/// - A register that is reserved is neither written nor read; reserved bits keep their value.
/// - Until it has booted, the sensor does not acknowledge its address.
class MotionChip: I2CDevice {
  let address: UInt8
  var faults: [String] = []
  /// Whether the part is there and has its supply.
  var isThere = true
  /// Transfers until it has booted.
  var bootTransfers = 0
  /// What all bytes are that are read, if the lines are damaged.
  var answers: UInt8?
  /// The registers that may be written, with the bits that may be set, and their values at power on.
  let writable: [UInt8: (mask: UInt8, initial: UInt8)]
  private(set) var registers: [UInt8: UInt8] = [:]
  private let readable: Set<UInt8>
  private var number: UInt8?
  private var increments = false
  /// Whether the board is moved: sets the latch while the detection runs.
  fileprivate var latch = false

  init(address: UInt8, writable: [UInt8: (mask: UInt8, initial: UInt8)], readable: Set<UInt8>) {
    self.address = address
    self.writable = writable
    self.readable = readable.union(writable.keys)
    powerOn()
  }

  /// The supply comes.
  func powerOn() {
    registers = writable.mapValues(\.initial)
    latch = false
  }

  /// To be overridden: whether the registers are those of a sensor that detects motion, and latches it.
  var detects: Bool { false }
  /// To be overridden: the value of a register that is read only.
  func status(_ number: UInt8) -> UInt8 { 0 }
  /// To be overridden: the number of a register, and whether further bytes go to the next ones.
  func decode(_ byte: UInt8) -> (number: UInt8, increments: Bool) { (byte, true) }

  /// The board is moved.
  func move() { if detects { latch = true } }

  func select(isRead: Bool) -> Bool {
    guard isThere else { return false }
    if bootTransfers > 0 {
      bootTransfers -= 1
      return false
    }
    if isRead { if number == nil { faults.append("a read without a register") } } else { number = nil }
    return true
  }

  func take(_ byte: UInt8) -> Bool {
    guard let register = number else {
      let (first, steps) = decode(byte)
      (number, increments) = (first, steps)
      return true
    }
    if let rule = writable[register] {
      if byte & ~rule.mask != rule.initial & ~rule.mask {
        faults.append("reserved bits of \(hexadecimal(UInt32(register))) were changed")
      }
      registers[register] = byte
    } else {
      faults.append("\(hexadecimal(UInt32(register))) was written, which is reserved or read only")
    }
    step()
    return true
  }

  func give() -> UInt8 {
    guard let register = number else { return 0xFF }
    if !readable.contains(register) { faults.append("\(hexadecimal(UInt32(register))) was read") }
    defer { step() }
    let value = registers[register] ?? status(register)
    return answers ?? value
  }

  private func step() { if increments, let register = number { number = register &+ 1 } }
}

/// The LIS2DE12, and the accelerometer of the LSM303AGR. Bit 7 of a register's number selects automatic
/// increment. INT1_SRC has bit 6 when the interrupt has occurred, which reading clears if LIR_INT1 is set.
final class LIS2DE12Chip: MotionChip {
  private let isLSM303AGR: Bool
  private(set) var referenceReads = 0

  init(address: UInt8 = 0x19, isLSM303AGR: Bool = false) {
    self.isLSM303AGR = isLSM303AGR
    super.init(
      address: address,
      writable: [
        0x20: (0xFF, 0x07), 0x21: (0xFF, 0), 0x22: (0xF6, 0), 0x23: (isLSM303AGR ? 0xFF : 0xB7, 0),
        0x24: (0xCF, 0), 0x25: (0xFA, 0), 0x30: (0xFF, 0), 0x32: (0x7F, 0), 0x33: (0x7F, 0),
      ],
      readable: [0x0F, 0x26, 0x31])
  }

  override func decode(_ byte: UInt8) -> (number: UInt8, increments: Bool) { (byte & 0x7F, byte & 0x80 != 0) }

  private func value(_ register: UInt8) -> UInt8 { registers[register] ?? 0 }

  override var detects: Bool {
    let control = value(0x20)
    if control & 0xF0 != 0, !isLSM303AGR, control & 0x08 == 0 {
      faults.append("the LIS2DE12 has no other mode than low power")
    }
    // A rate, all axes; high-pass filter, as gravity exceeds the threshold; latch; high events, any of them.
    return control & 0xF0 != 0 && control & 7 == 7 && value(0x21) & 1 != 0 && value(0x24) & 8 != 0
      && value(0x30) == 0x2A && value(0x32) > 0
  }

  override func status(_ number: UInt8) -> UInt8 {
    switch number {
    case 0x0F: return 0x33
    case 0x26:
      referenceReads += 1
      return 0
    case 0x31:
      defer { latch = false }
      return latch ? 0x41 : 0
    default: return 0
    }
  }
}

/// The LSM6DS3TR-C. Transfers continue at the next register while IF_INC is set, as at power on.
final class LSM6DS3TRCChip: MotionChip {
  var identity: UInt8 = 0x6A

  init() {
    super.init(
      address: 0x6A,
      writable: [
        0x10: (0xFF, 0), 0x11: (0xFE, 0), 0x12: (0xFF, 0x04), 0x15: (0xFB, 0), 0x58: (0xFF, 0),
        0x5B: (0xBF, 0), 0x5C: (0xFF, 0), 0x5E: (0xFF, 0),
      ],
      readable: [0x0F, 0x1B])
  }

  private func value(_ register: UInt8) -> UInt8 { registers[register] ?? 0 }

  override func decode(_ byte: UInt8) -> (number: UInt8, increments: Bool) { (byte, value(0x12) & 4 != 0) }

  override var detects: Bool {
    value(0x10) & 0xF0 != 0 && value(0x58) & 0x81 == 0x81 && value(0x5B) & 0x3F > 0 && value(0x5E) & 0x20 != 0
  }

  override func status(_ number: UInt8) -> UInt8 {
    switch number {
    case 0x0F: return identity
    case 0x1B:
      defer { latch = false }
      return latch ? 0x0C : 0
    default: return 0
    }
  }
}
