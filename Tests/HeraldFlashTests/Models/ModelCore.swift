/// As much of an ARMv6-M core as the loader needs: registers, flags, and the instructions it is made of
/// (ARMv6-M architecture reference manual, A5). Any other instruction stops it, as a fault would.
struct ModelCore {
  var registers = [UInt32](repeating: 0, count: 16)
  var isHalted = false
  private var negative = false
  private var zero = false
  private var carry = false

  /// Carries out one instruction on `chip`.
  mutating func step(_ chip: ModelChip) {
    let pc = registers[15]
    guard let code = chip.halfword(pc) else { return isHalted = true }
    registers[15] = pc &+ 2
    let low = Int(code & 7)
    let middle = Int(code >> 3 & 7)
    let five = UInt32(code >> 6 & 31)
    let eight = UInt32(code & 0xFF)
    let wide = Int(code >> 8 & 7)
    switch code >> 11 {
    case 0b00000: shift(low, registers[middle], left: five)
    case 0b00001: shift(low, registers[middle], right: five == 0 ? 32 : five)
    case 0b00011:
      let operand = code & 0x400 == 0 ? registers[Int(code >> 6 & 7)] : UInt32(code >> 6 & 7)
      registers[low] =
        code & 0x200 == 0 ? add(registers[middle], operand) : subtract(registers[middle], operand)
    case 0b00100: registers[wide] = flagged(eight)
    case 0b00101: _ = subtract(registers[wide], eight)
    case 0b00110: registers[wide] = add(registers[wide], eight)
    case 0b00111: registers[wide] = subtract(registers[wide], eight)
    case 0b01000: data(code, low, middle)
    case 0b01001: load(wide, ((pc &+ 4) & ~3) &+ 4 * eight, chip)
    case 0b01011 where code & 0x600 == 0: load(low, registers[middle] &+ registers[Int(code >> 6 & 7)], chip)
    case 0b01100: store(registers[low], registers[middle] &+ 4 * five, chip)
    case 0b01101: load(low, registers[middle] &+ 4 * five, chip)
    case 0b11000, 0b11001:
      for index in 0..<8 where code >> index & 1 == 1 {
        if code >> 11 & 1 == 1 {
          load(index, registers[wide], chip)
        } else {
          store(registers[index], registers[wide], chip)
        }
        registers[wide] &+= 4
      }
    case 0b10110 where code == 0xB672: break
    case 0b10110 where code & 0x7C0 == 0x2C0: registers[low] = registers[middle] & 0xFF
    case 0b11010, 0b11011:
      if holds(code >> 8 & 15) { branch(pc, UInt32(bitPattern: Int32(Int8(truncatingIfNeeded: code))) &* 2) }
    case 0b11100: branch(pc, UInt32(bitPattern: Int32(Int16(bitPattern: code << 5) >> 5)) &* 2)
    case 0b11110:
      guard let second = chip.halfword(pc &+ 2), second >> 12 == 15 else { return isHalted = true }
      registers[14] = pc &+ 5
      // The loader's calls reach less than 4 KB forward or back: the upper bits of the offset are all as the
      // sign.
      let offset = UInt32(code & 0x3FF) << 12 | UInt32(second & 0x7FF) << 1
      branch(pc, code & 0x400 == 0 ? offset : offset | 0xFFC0_0000)
    default: isHalted = true
    }
  }

  private mutating func data(_ code: UInt16, _ low: Int, _ middle: Int) {
    if code & 0x400 != 0 {
      let target = Int(code & 7 | code >> 4 & 8)
      let source = registers[Int(code >> 3 & 15)]
      switch code >> 8 & 3 {
      case 0: registers[target] &+= source
      case 2: registers[target] = source
      case 3: registers[15] = source & ~1
      default: isHalted = true
      }
      return
    }
    switch code >> 6 & 15 {
    case 1: registers[low] = flagged(registers[low] ^ registers[middle])
    case 10: _ = subtract(registers[low], registers[middle])
    case 15: registers[low] = flagged(~registers[middle])
    default: isHalted = true
    }
  }

  private mutating func flagged(_ value: UInt32) -> UInt32 {
    negative = value >> 31 == 1
    zero = value == 0
    return value
  }
  private mutating func add(_ left: UInt32, _ right: UInt32) -> UInt32 {
    let (sum, overflow) = left.addingReportingOverflow(right)
    carry = overflow
    return flagged(sum)
  }
  private mutating func subtract(_ left: UInt32, _ right: UInt32) -> UInt32 {
    carry = left >= right
    return flagged(left &- right)
  }
  private mutating func shift(_ target: Int, _ value: UInt32, left count: UInt32) {
    if count > 0 { carry = value >> (32 - count) & 1 == 1 }
    registers[target] = flagged(value << count)
  }
  private mutating func shift(_ target: Int, _ value: UInt32, right count: UInt32) {
    carry = value >> (count - 1) & 1 == 1
    registers[target] = flagged(count == 32 ? 0 : value >> count)
  }
  private func holds(_ condition: UInt16) -> Bool {
    switch condition {
    case 0: zero
    case 1: !zero
    case 2: carry
    case 3: !carry
    case 9: !carry || zero
    default: false
    }
  }
  private mutating func branch(_ pc: UInt32, _ offset: UInt32) { registers[15] = pc &+ 4 &+ offset }
  private mutating func load(_ register: Int, _ address: UInt32, _ chip: ModelChip) {
    guard let word = chip.read(address) else { return isHalted = true }
    registers[register] = word
  }
  private mutating func store(_ value: UInt32, _ address: UInt32, _ chip: ModelChip) {
    if !chip.write(address, value) { isHalted = true }
  }
}
