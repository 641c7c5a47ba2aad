/// An nRF51822 or nRF52840 at the level of its registers: memory, flash controller with its rules, core,
/// debug registers, control access port.
final class ModelChip {
  enum Kind { case nRF51, nRF52 }
  let kind: Kind
  let pageSize: Int
  private(set) var flash: [UInt32]
  private var ram = [UInt32](repeating: 0, count: 16384)
  private(set) var uicr = [UInt32](repeating: .max, count: 256)
  private(set) var core = ModelCore()
  /// What the manual forbids and the host or the loader did.
  private(set) var violations: [String] = []
  /// What a debugger must not do; a line that was disturbed may have done it.
  private(set) var misuses: [String] = []
  private(set) var pagesErased = 0
  private(set) var resets = 0
  /// Whether debug accesses to memory are refused. `isHardened`: a reset locks it unless UICR says otherwise.
  private(set) var isLocked: Bool
  /// What its protection register reads before it says what is so, the last first, as with a bad contact.
  var protectionReadings: [UInt32] = []
  private let isHardened: Bool
  /// Whether UICR takes effect only when the supply is switched off and on.
  var needsPowerCycle = false
  /// Whether its program has locked it until the next reset, which an erasure does not undo.
  var isForced = false
  /// Whether its memory can be read although it says that it is locked.
  var leaks = false
  /// Whether the core executes nothing when it should run, as if its RAM were broken.
  var breaksCore = false

  /// Until a debugger stops it the core runs firmware, which is not modelled.
  private var isFree = true
  private var configuration: UInt32 = 0
  private var busy = 0
  private var exceptionControl: UInt32 = 0
  private var registerData: UInt32 = 0
  private var wasReset = false
  private var controlErase: UInt32 = 0
  private var controlReset: UInt32 = 0
  private var eraseBusy = 0

  init(_ kind: Kind, isLocked: Bool = false, isHardened: Bool = false) {
    self.kind = kind
    self.isLocked = isLocked
    self.isHardened = isHardened
    pageSize = kind == .nRF51 ? 1024 : 4096
    flash = [UInt32](repeating: .max, count: kind == .nRF51 ? 65536 : 262_144)
    if isLocked { uicr[0x208 / 4] = 0xFFFF_FF00 }
  }

  /// Switches the supply off and on.
  func cyclePower() {
    needsPowerCycle = false
    reset()
  }

  /// Puts old firmware into flash.
  func fill(_ words: [UInt32], at address: UInt32 = 0) {
    flash.replaceSubrange(Int(address) / 4..<Int(address) / 4 + words.count, with: words)
  }

  /// Whether flash holds `words` from `address` on.
  func holds(_ words: [UInt32], at address: UInt32 = 0) -> Bool {
    Array(flash[Int(address) / 4..<Int(address) / 4 + words.count]) == words
  }

  /// Lets the core go on for up to `count` instructions.
  func run(_ count: Int) {
    guard !breaksCore, !isFree else { return }
    for _ in 0..<count where !core.isHalted { core.step(self) }
  }

  // MARK: The core's view

  func halfword(_ address: UInt32) -> UInt16? {
    guard let word = read(address & ~3) else { return nil }
    return UInt16(truncatingIfNeeded: address & 2 == 0 ? word : word >> 16)
  }

  func read(_ address: UInt32) -> UInt32? {
    guard address & 3 == 0 else { return nil }
    switch address {
    case 0..<UInt32(4 * flash.count):
      if busy > 0 { violations.append("read while busy") }
      return flash[Int(address) / 4]
    case 0x2000_0000..<0x2001_0000: return ram[Int(address - 0x2000_0000) / 4]
    case 0x1000_1000..<0x1000_1400: return uicr[Int(address - 0x1000_1000) / 4]
    case 0x4001_E400:
      if busy > 0 { busy -= 1 }
      return busy > 0 ? 0 : 1
    case 0x1000_0000..<0x1000_0400: return factory(address)
    case 0xE000_ED00: return kind == .nRF51 ? 0x410C_C200 : 0x410F_C241
    default: return nil
    }
  }

  private func factory(_ address: UInt32) -> UInt32 {
    let common: [UInt32: UInt32] = [
      0x1000_0010: UInt32(pageSize), 0x1000_0014: UInt32(4 * flash.count / pageSize),
      0x1000_0060: 0x89AB_CDEF, 0x1000_0064: 0x0123_4567,
    ]
    let own: [UInt32: UInt32] =
      kind == .nRF51
      ? [0x1000_0034: 2, 0x1000_0038: 8192]
      : [0x1000_0100: 0x52840, 0x1000_0104: isHardened ? 0x4141_4630 : 0x4141_4430, 0x1000_010C: 64]
    return common[address] ?? own[address] ?? .max
  }

  func write(_ address: UInt32, _ value: UInt32) -> Bool {
    guard address & 3 == 0 else { return false }
    switch address {
    case 0..<UInt32(4 * flash.count):
      program { flash[Int(address) / 4] &= value }
    case 0x1000_1000..<0x1000_1400:
      program { uicr[Int(address - 0x1000_1000) / 4] &= value }
    case 0x2000_0000..<0x2001_0000: ram[Int(address - 0x2000_0000) / 4] = value
    case 0x4001_E504:
      if busy > 0 { violations.append("CONFIG while busy") }
      configuration = value
    case 0x4001_E508:
      erase { erasePage(at: value) }
    case 0x4001_E50C where value == 1:
      erase { eraseEverything() }
    case 0x4001_E514 where value == 1:
      erase { uicr = [UInt32](repeating: .max, count: uicr.count) }
    case 0x4001_0600..<0x4001_0620, 0xE000_ED94: break
    default: return false
    }
    return true
  }

  private func program(_ body: () -> Void) {
    if configuration != 1 || busy > 0 {
      violations.append("a word written while it must not be")
    } else {
      body()
    }
    busy = 2
  }

  private func erase(_ body: () -> Void) {
    if configuration != 2 || busy > 0 {
      violations.append("an erasure begun while it must not be")
    } else {
      body()
    }
    busy = 4
  }

  private func erasePage(at address: UInt32) {
    let first = Int(address) / pageSize * pageSize / 4
    guard first < flash.count else { return violations.append("a page erased that there is not") }
    for index in first..<first + pageSize / 4 { flash[index] = .max }
    pagesErased += 1
  }

  private func eraseEverything() {
    flash = [UInt32](repeating: .max, count: flash.count)
    uicr = [UInt32](repeating: .max, count: uicr.count)
  }

  // MARK: The debugger's view

  func debugRead(_ address: UInt32) -> UInt32? {
    guard !isLocked || leaks else { return nil }
    switch address {
    case 0xE000_EDF0:
      defer { wasReset = false }
      return 1 << 16 | (core.isHalted ? 1 << 17 : 0) | (wasReset ? 1 << 25 : 0)
    case 0xE000_EDF8: return registerData
    case 0xE000_EDFC: return exceptionControl
    default: return read(address)
    }
  }

  func debugWrite(_ address: UInt32, _ value: UInt32) -> Bool {
    guard !isLocked else { return false }
    switch address {
    case 0xE000_EDF0 where value >> 16 == 0xA05F:
      core.isHalted = value & 3 == 3
      if core.isHalted { isFree = false }
    case 0xE000_EDF4:
      if !core.isHalted { misuses.append("a register set while the core runs") }
      if value & 0x1F < 16 { core.registers[Int(value & 0x1F)] = registerData }
    case 0xE000_EDF8: registerData = value
    case 0xE000_EDFC: exceptionControl = value
    case 0xE000_ED0C where value == 0x05FA_0004: reset()
    default: return write(address, value)
    }
    return true
  }

  private func reset() {
    resets += 1
    isForced = false
    busy = 0
    configuration = 0
    wasReset = true
    core = ModelCore()
    core.isHalted = exceptionControl & 1 == 1
    isFree = !core.isHalted
    guard kind == .nRF52, !needsPowerCycle else { return }
    let protection = uicr[0x208 / 4] & 0xFF
    isLocked = isHardened ? protection != 0x5A : protection == 0
  }

  /// The control access port of an nRF52.
  func controlRead(_ register: UInt32) -> UInt32 {
    guard kind == .nRF52 else { return 0 }
    switch register {
    case 0x08:
      if eraseBusy > 0 { eraseBusy -= 1 }
      return eraseBusy > 0 ? 1 : 0
    case 0x0C: return protectionReadings.popLast() ?? (isLocked ? 0 : 1)
    case 0xFC: return 0x1288_0000
    default: return 0
    }
  }

  func controlWrite(_ register: UInt32, _ value: UInt32) {
    guard kind == .nRF52 else { return }
    switch register {
    case 0x00:
      if controlReset == 1, value == 0 { reset() }
      controlReset = value
    case 0x04:
      if value == 1, controlErase == 0 {
        eraseEverything()
        eraseBusy = 3
        isLocked = isForced
      }
      controlErase = value
    default: break
    }
  }
}
