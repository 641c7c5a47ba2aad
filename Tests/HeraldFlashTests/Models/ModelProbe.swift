import HeraldHostLink

@testable import HeraldFlash
@testable import HeraldImages

/// A CMSIS-DAP probe with a chip behind it, within this process; it can be disturbed at any packet.
final class ModelProbe: ProbePipe {
  enum Disturbance: Equatable {
    /// Gone from this packet on: it takes the packet and never answers.
    case vanishes
    /// The chip answers so to the first access of the packet: 2 WAIT, 4 FAULT, 7 nothing.
    case acknowledgement(UInt8)
    /// The response is cut to so many bytes.
    case cut(Int)
    /// The response is that of another command.
    case wrong
  }

  let location = "probe:model"
  let identity = USBIdentity()
  private(set) var packets = 0
  private let chip: ModelChip
  private let packetSize: Int
  private let isAtomic: Bool
  private let disturbances: [Int: Disturbance]
  private var acknowledgement: UInt8?
  private var answers: [[UInt8]] = []
  private var isGone = false

  private var select: UInt32 = 0
  private var address: UInt32 = 0
  private var increment = false
  private var mask: UInt32 = .max
  private var hasStickyError = false

  init(
    _ chip: ModelChip, packetSize: Int = 512, isAtomic: Bool = true, disturbances: [Int: Disturbance] = [:]
  ) {
    self.chip = chip
    self.packetSize = packetSize
    self.isAtomic = isAtomic
    self.disturbances = disturbances
  }

  func close() { isGone = true }

  func send(_ packet: [UInt8], packetSize: Int) throws(HostLinkError) {
    guard !isGone else { throw HostLinkError(.link, "the probe is gone") }
    precondition(packet.count <= self.packetSize)
    packets += 1
    let disturbance = disturbances[packets]
    if disturbance == .vanishes { return isGone = true }
    if case .acknowledgement(let code) = disturbance { acknowledgement = code }
    var rest = packet[...]
    var answer: [UInt8] = []
    if packet[0] == 0x7F, isAtomic {
      answer = [0x7F, packet[1]]
      rest = rest.dropFirst(2)
      for _ in 0..<packet[1] { execute(&rest, &answer) }
    } else {
      execute(&rest, &answer)
    }
    acknowledgement = nil
    precondition(answer.count <= self.packetSize)
    switch disturbance {
    case .cut(let count): answer = Array(answer.prefix(count))
    case .wrong: answer[0] ^= 0x40
    default: break
    }
    answers.append(answer)
  }

  func receive(by deadline: Deadline) throws(HostLinkError) -> [UInt8] {
    guard !answers.isEmpty else { throw HostLinkError(.link, "the probe is gone") }
    return answers.removeFirst()
  }

  // MARK: Commands

  private func word(_ rest: inout ArraySlice<UInt8>) -> UInt32 {
    defer { rest = rest.dropFirst(4) }
    return rest.prefix(4).reversed().reduce(0) { $0 << 8 | UInt32($1) }
  }

  private func execute(_ rest: inout ArraySlice<UInt8>, _ answer: inout [UInt8]) {
    let command = rest.removeFirst()
    switch command {
    case 0x00:
      let info: [UInt8] =
        switch rest.removeFirst() {
        case 0xF0: [isAtomic ? 0x11 : 0x01]
        case 0xFE: [4]
        case 0xFF: [UInt8(packetSize & 0xFF), UInt8(packetSize >> 8)]
        case 0x04: Array("2.1.1\0".utf8)
        default: []
        }
      answer += [0x00, UInt8(info.count)] + info
    case 0x02: answer += [0x02, rest.removeFirst()]
    case 0x03: answer += [0x03, 0]
    case 0x04: rest = rest.dropFirst(5); answer += [0x04, 0]
    case 0x11: rest = rest.dropFirst(4); answer += [0x11, 0]
    case 0x13: rest = rest.dropFirst(1); answer += [0x13, 0]
    case 0x12:
      let bits = Int(rest.removeFirst())
      rest = rest.dropFirst((bits + 7) / 8)
      answer += [0x12, 0]
    case 0x05: transfer(&rest, &answer)
    case 0x06: block(&rest, &answer)
    default: answer.append(0xFF)
    }
  }

  private func transfer(_ rest: inout ArraySlice<UInt8>, _ answer: inout [UInt8]) {
    rest = rest.dropFirst()
    let count = rest.removeFirst()
    var done: UInt8 = 0
    var response: UInt8 = 1
    var data: [UInt8] = []
    for _ in 0..<count {
      let request = rest.removeFirst()
      let value: UInt32? = request & 0x12 == 0x02 ? nil : word(&rest)
      guard response == 1 else { continue }
      if request & 0x20 != 0 {
        mask = value ?? 0
      } else if request & 0x10 != 0 {
        response = wait(request, value ?? 0)
      } else {
        response = access(request, value, &data)
      }
      if response == 1 { done += 1 }
    }
    answer += [0x05, done, response] + data
  }

  private func wait(_ request: UInt8, _ value: UInt32) -> UInt8 {
    for _ in 0..<400 {
      var data: [UInt8] = []
      let response = access(request, nil, &data)
      guard response == 1 else { return response }
      var bytes = data[...]
      if word(&bytes) & mask == value { return 1 }
      chip.run(500)
    }
    return 0x11
  }

  private func block(_ rest: inout ArraySlice<UInt8>, _ answer: inout [UInt8]) {
    rest = rest.dropFirst()
    let count = Int(rest.removeFirst()) | Int(rest.removeFirst()) << 8
    let request = rest.removeFirst()
    var done = 0
    var response: UInt8 = 1
    var data: [UInt8] = []
    for _ in 0..<count {
      let value: UInt32? = request & 2 == 0 ? word(&rest) : nil
      guard response == 1 else { continue }
      response = access(request, value, &data)
      if response == 1 { done += 1 }
    }
    answer += [0x06, UInt8(done & 0xFF), UInt8(done >> 8), response] + data
  }

  // MARK: Registers

  /// One access; the chip's acknowledgement.
  private func access(_ request: UInt8, _ value: UInt32?, _ data: inout [UInt8]) -> UInt8 {
    if let code = acknowledgement {
      acknowledgement = nil
      hasStickyError = hasStickyError || code == 4
      return code
    }
    let register = UInt32(request & 0x0C)
    var result: UInt32?
    if request & 1 == 0 {
      switch (register, value) {
      case (0, nil): result = chip.kind == .nRF51 ? 0x0BB1_1477 : 0x2BA0_1477
      case (0, let value?): if value & 0x1E != 0 { hasStickyError = false }; result = 0
      case (4, nil): result = 0xF000_0000
      case (8, let value?): select = value; result = 0
      default: result = 0
      }
    } else if hasStickyError {
      return 4
    } else {
      chip.run(4)
      result = port(select >> 24, select & 0xF0 | register, value)
    }
    guard let result else {
      hasStickyError = true
      return 4
    }
    if request & 2 != 0 { data.append(littleEndian: result) }
    return 1
  }

  private func port(_ number: UInt32, _ register: UInt32, _ value: UInt32?) -> UInt32? {
    if number == 1 {
      if let value { chip.controlWrite(register, value) }
      return chip.controlRead(register)
    }
    guard number == 0 else { return 0 }
    switch register {
    case 0x00:
      if let value { increment = value & 0x30 == 0x10 }
      return 0x2300_0002 | (chip.isLocked ? 0 : 0x40)
    case 0x04:
      if let value { address = value }
      return address
    case 0x0C:
      let result = memory(address, value)
      // Beyond a kilobyte the address wraps: who counts on it going on writes elsewhere.
      if increment { address = address & ~0x3FF | (address &+ 4) & 0x3FF }
      return result
    case 0x10...0x1C: return memory(address & ~15 | register & 12, value)
    case 0xFC: return 0x2477_0011
    default: return 0
    }
  }

  private func memory(_ address: UInt32, _ value: UInt32?) -> UInt32? {
    guard let value else { return chip.debugRead(address) }
    return chip.debugWrite(address, value) ? 0 : nil
  }
}
