import HeraldChips
import HeraldHAL

/// A serial NOR flash of 2 MB (Winbond W25Q16JV data sheet; the MX25R1635F data sheet has the same rules).
///
/// Rules that are kept, with the section of the W25Q16JV data sheet:
/// - "Instructions": while the chip is busy, every instruction but Read Status Register is ignored.
/// - "Write Enable", "Write Enable Latch": a program or erase without it is ignored; it goes off when one has
///   been done.
/// - "Page Program": 1 to 256 bytes; behind the end of the page it continues at its beginning; bits go from 1
///   to 0 only.
/// - "Sector Erase (4KB)": any address in the sector.
/// - "Power-down", "Release Power-down": asleep the chip takes the release alone. It is not selected for tDP
///   after the first (an MX25R: tDPDD), and for tRES1 after the second.
///
/// Power can go in the middle of a program or an erasure.
final class NORChip {
  private(set) var faults: [String] = []
  var bytes: [UInt8]
  private(set) var erasures: [Int]
  let power = PowerCut()
  /// Questions after the status until an operation has ended.
  var delay = 3
  /// Whether Write Enable does not reach the chip, and whether orders do not.
  var losesPermission = false
  var losesOrders = false
  /// A byte with a worn bit, the lowest, which stays 1.
  var wornByte: Int?
  /// Whether there is a chip at all.
  var isThere = true
  /// tDP or tDPDD, and tRES1 or tRDP, in microseconds: the longest of the chips on boards.
  var enteringTime = 30
  var wakingTime = 35
  private(set) var isAsleep = false
  /// The microseconds until it may be selected.
  private var settling = 0
  /// The commands that were received, without questions for the status.
  private(set) var orders: [UInt8] = []
  /// Whether the chip was selected before it was awake, and takes nothing until it is selected again.
  private var isDeaf = false
  private var isBusy = false
  private var remaining = 0
  private var isWriteEnabled = false
  /// The operation that is going on, done when the chip is no longer busy.
  private var input: [UInt8] = []
  private var position = 0

  init(megabytes: Int = 2) {
    bytes = Array(repeating: 0xFF, count: megabytes << 20)
    erasures = Array(repeating: 0, count: megabytes << 8)
  }

  /// The chip loses its supply and gets it back.
  func restart() {
    power.restore()
    (isBusy, isWriteEnabled, isAsleep, settling) = (false, false, false, 0)
  }

  func sleep() { isAsleep = true }
  /// As if an erasure of a run before were going on.
  func makeBusy(for reads: Int) { (isBusy, remaining) = (true, reads) }

  /// The chip is selected.
  func select() {
    (input, position) = ([], 0)
    isDeaf = settling > 0
    if isDeaf { faults.append("selected \(settling) µs too early after a change of deep power-down") }
  }

  /// Time passes while the chip is not selected.
  func pass(microseconds: Int) { settling = max(0, settling - microseconds) }

  /// Moves one byte each way.
  func exchange(_ byte: UInt8) -> UInt8 {
    guard isThere, power.isOn else { return 0xFF }
    input.append(byte)
    defer { position += 1 }
    guard let command = input.first, !isAsleep, !isDeaf else { return 0xFF }
    switch command {
    case 0x05:
      guard position > 0 else { return 0xFF }
      if isBusy {
        remaining -= 1
        if remaining <= 0 { (isBusy, isWriteEnabled) = (false, false) }
      }
      return (isBusy ? 1 : 0) | (isWriteEnabled ? 2 : 0)
    case 0x9F where !isBusy:
      return position > 0 ? ([0xEF, 0x40, 0x15] as [UInt8])[(position - 1) % 3] : 0xFF
    case 0x03 where !isBusy:
      return position >= 4 ? bytes[(address + position - 4) % bytes.count] : 0xFF
    default:
      if isBusy { faults.append("\(hexadecimal(UInt32(command))) while the chip is busy") }
      return 0xFF
    }
  }

  /// The chip is deselected: what was ordered begins.
  func deselect() {
    guard isThere, power.isOn, !isDeaf, let command = input.first else { return }
    if command != 0x05 { orders.append(command) }
    if isAsleep {
      if command == 0xAB { (isAsleep, settling) = (false, wakingTime) }
      return
    }
    guard !isBusy else { return }
    switch command {
    case 0x02 where losesOrders, 0x20 where losesOrders: break
    case 0x06: isWriteEnabled = !losesPermission
    case 0xB9: (isAsleep, settling) = (true, enteringTime)
    case 0x02:
      guard input.count >= 5 else { return faults.append("a program without bytes") }
      guard isWriteEnabled else { return faults.append("a program without write enable") }
      if input.count - 4 > 256 - address % 256 { faults.append("a program over the end of its page") }
      let outcome = power.step()
      guard outcome != .nothing else { return }
      for (index, byte) in input.dropFirst(4).enumerated() {
        let place = address & ~0xFF | (address + index) & 0xFF
        bytes[place] &= outcome == .all ? byte : byte | UInt8(truncatingIfNeeded: power.mask())
        if place == wornByte { bytes[place] |= 1 }
      }
      (isBusy, remaining) = (true, delay)
    case 0x20:
      guard input.count == 4 else { return faults.append("an erasure without an address") }
      guard isWriteEnabled else { return faults.append("an erasure without write enable") }
      let outcome = power.step()
      guard outcome != .nothing else { return }
      let sector = address / 4_096
      erasures[sector] += 1
      for place in (sector * 4_096)..<(sector * 4_096 + 4_096) {
        bytes[place] |= outcome == .all ? 0xFF : UInt8(truncatingIfNeeded: power.mask())
      }
      (isBusy, remaining) = (true, delay)
    case 0x03, 0x05, 0x9F, 0xAB: break
    default: faults.append("the chip does not know \(hexadecimal(UInt32(command)))")
    }
  }

  private var address: Int {
    guard input.count >= 4 else { return 0 }
    return (Int(input[1]) << 16 | Int(input[2]) << 8 | Int(input[3])) % bytes.count
  }
}

/// A bus that leads straight to the chip.
struct ModelBus: SPIBus {
  let chip: NORChip

  func send(_ head: Span<UInt8>, _ body: Span<UInt8>) throws(SPIError) {
    chip.select()
    for index in 0..<head.count { _ = chip.exchange(head[index]) }
    for index in 0..<body.count { _ = chip.exchange(body[index]) }
    chip.deselect()
  }

  func send(_ head: Span<UInt8>, receiving buffer: inout MutableSpan<UInt8>) throws(SPIError) {
    chip.select()
    for index in 0..<head.count { _ = chip.exchange(head[index]) }
    for index in 0..<buffer.count { buffer[index] = chip.exchange(0xFF) }
    chip.deselect()
  }

  func pause(microseconds: Int) throws(SPIError) { chip.pass(microseconds: microseconds) }
}

/// The SPIM of the nRF52 with such a chip on it (nRF52840 Product Specification, "SPIM").
///
/// Rules that are kept:
/// - "EasyDMA": buffers are in RAM.
/// - PSEL, FREQUENCY and CONFIG only while disabled; ENABLE is 7.
/// - END when both directions are done; START before that is not allowed.
/// - The chip is selected while bytes are sent: mode 0 is what it understands. What is received without it
///   takes a microsecond for each byte.
final class SPIMModel: Peripheral {
  let chip: NORChip
  let bus: ModelMemory
  /// Whether END never comes.
  var isBroken = false
  private(set) var isSelected = false
  private var isEnabled = false
  private var remaining: Int?
  private var events: [UInt32: UInt32] = [0x104: 0, 0x118: 0]
  private var registers: [UInt32: UInt32] = [
    0x508: .max, 0x50C: .max, 0x510: .max, 0x524: 0x0400_0000, 0x534: 0, 0x538: 0, 0x544: 0, 0x548: 0,
    0x554: 0,
    0x5C0: 0,
  ]

  init(_ chip: NORChip, bus: ModelMemory) {
    self.chip = chip
    self.bus = bus
  }

  func setting(_ offset: UInt32) -> UInt32? { registers[offset] }
  /// Whether bytes move, or are about to.
  var isMoving: Bool { remaining != nil }

  /// The pin that selects the chip changes.
  func setSelect(_ high: Bool) {
    if high, remaining != nil { fault("deselected while bytes move") }
    isSelected = !high
    if high { chip.deselect() } else { chip.select() }
  }

  private func exchange() {
    let (source, sending) = (registers[0x544] ?? 0, registers[0x548] ?? 0)
    let (target, receiving) = (registers[0x534] ?? 0, registers[0x538] ?? 0)
    if !isSelected { chip.pass(microseconds: Int(receiving)) }
    for index in 0..<(isSelected ? max(sending, receiving) : 0) {
      var byte = UInt8(truncatingIfNeeded: registers[0x5C0] ?? 0)
      if index < sending {
        if let ram = bus[source + index] { byte = ram } else { fault("sent from outside of RAM") }
      }
      let answer = chip.exchange(byte)
      if index < receiving {
        if bus[target + index] == nil { fault("received to outside of RAM") }
        bus[target + index] = answer
      }
    }
    events[0x118] = 1
  }

  override func value(at offset: UInt32) -> UInt32 {
    if let left = remaining, !isBroken {
      remaining = left > 1 ? left - 1 : nil
      if remaining == nil { exchange() }
    }
    return events[offset] ?? super.value(at: offset)
  }

  override func setValue(_ word: UInt32, at offset: UInt32) {
    switch offset {
    case 0x010:
      if !isEnabled { fault("START while disabled") }
      if remaining != nil { fault("START while bytes move") }
      if !isSelected, registers[0x548] != 0 { fault("bytes are sent and no chip is selected") }
      remaining = 2
    case 0x014: (remaining, events[0x104]) = (nil, 1)
    case 0x500:
      if word != 0, word != 7 { fault("ENABLE knows 0 and 7") }
      isEnabled = word == 7
    case 0x508, 0x50C, 0x510, 0x524, 0x554:
      if isEnabled { fault("\(hexadecimal(offset)) was written while enabled") }
      registers[offset] = word
    default:
      if events[offset] != nil {
        events[offset] = 0
      } else if registers[offset] != nil {
        if remaining != nil { fault("a buffer was named while bytes move") }
        registers[offset] = word
      } else {
        super.setValue(word, at: offset)
      }
    }
  }
}
