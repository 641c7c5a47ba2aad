import HeraldHostLink
import HeraldImages
import HeraldText

/// One access to a register of the debug port or of an access port (CMSIS-DAP 2.1, DAP_Transfer).
struct DAPAccess: Equatable {
  /// Bit 0 access port, bit 1 read, bits 2 and 3 the register's address, bit 4 wait for a value, bit 5 write
  /// the mask for that.
  let request: UInt8
  /// What is written or waited for; `nil` for a plain read.
  let value: UInt32?

  /// Whether the response contains a word for it.
  var answersWord: Bool { request & 0x12 == 0x02 }
  /// The size in bytes in the request.
  var size: Int { value == nil ? 1 : 5 }
}

/// One command to a probe.
enum DAPCommand: Equatable {
  /// A command whose response is the command's number and 0 (DAP_OK).
  case plain([UInt8])
  /// DAP_Connect for SWD, with the response 1.
  case connect
  /// DAP_Info, with a response of at most `most` bytes.
  case info(UInt8, most: Int)
  /// DAP_Transfer.
  case transfer([DAPAccess])
  /// DAP_TransferBlock that writes.
  case writeBlock(request: UInt8, [UInt32])
  /// DAP_TransferBlock that reads.
  case readBlock(request: UInt8, count: Int)

  /// Bytes of the request.
  var requestSize: Int {
    switch self {
    case .plain(let bytes): bytes.count
    case .connect, .info: 2
    case .transfer(let accesses): accesses.reduce(3) { $0 + $1.size }
    case .writeBlock(_, let words): 5 + 4 * words.count
    case .readBlock: 5
    }
  }

  /// Bytes of the longest response.
  var answerSize: Int {
    switch self {
    case .plain, .connect: 2
    case .info(_, let most): 2 + most
    case .transfer(let accesses): accesses.reduce(3) { $0 + ($1.answersWord ? 4 : 0) }
    case .writeBlock: 4
    case .readBlock(_, let count): 4 + 4 * count
    }
  }

  func append(to bytes: inout [UInt8]) {
    switch self {
    case .plain(let request): bytes += request
    case .connect: bytes += [0x02, 0x01]
    case .info(let id, _): bytes += [0x00, id]
    case .transfer(let accesses):
      bytes += [0x05, 0x00, UInt8(truncatingIfNeeded: accesses.count)]
      for access in accesses {
        bytes.append(access.request)
        if let value = access.value { bytes.append(littleEndian: value) }
      }
    case .writeBlock(let request, let words):
      bytes += [0x06, 0x00, UInt8(words.count & 0xFF), UInt8(words.count >> 8), request]
      for word in words { bytes.append(littleEndian: word) }
    case .readBlock(let request, let count):
      bytes += [0x06, 0x00, UInt8(count & 0xFF), UInt8(count >> 8), request]
    }
  }
}

/// The responses to a sequence of commands.
struct DAPResponses: Equatable {
  /// Words that were read, in order.
  var words: [UInt32] = []
  /// The responses of DAP_Info, in order; empty where the probe has no information.
  var infos: [[UInt8]] = []
}

/// One packet: one command, or several in DAP_ExecuteCommands.
struct DAPPacket: Equatable {
  /// In order.
  var commands: [DAPCommand] = []
  /// Bytes of the commands, without DAP_ExecuteCommands.
  private(set) var requestSize = 0
  /// Bytes of the longest responses, without DAP_ExecuteCommands.
  private(set) var answerSize = 0

  mutating func append(_ command: DAPCommand) {
    commands.append(command)
    requestSize += command.requestSize
    answerSize += command.answerSize
  }

  /// Adds `access` to the last command, which has to be a transfer.
  mutating func extendLast(by access: DAPAccess) {
    guard case .transfer(let accesses)? = commands.last else { return }
    commands[commands.count - 1] = .transfer(accesses + [access])
    requestSize += access.size
    answerSize += access.answersWord ? 4 : 0
  }

  /// How many accesses the last command has, if it is a transfer.
  var lastTransferCount: Int? {
    guard case .transfer(let accesses)? = commands.last else { return nil }
    return accesses.count
  }

  /// The bytes of the packet.
  var bytes: [UInt8] {
    var bytes: [UInt8] = commands.count > 1 ? [0x7F, UInt8(truncatingIfNeeded: commands.count)] : []
    for command in commands { command.append(to: &bytes) }
    return bytes
  }

  /// Reads the response to this packet. The bytes behind its end are padding, which HID reports have.
  func read(_ bytes: [UInt8], into answers: inout DAPResponses) throws(ProbeError) {
    var reader = ResponseReader(bytes: bytes)
    if commands.count > 1 {
      try reader.expect(0x7F)
      try reader.expect(UInt8(truncatingIfNeeded: commands.count))
    }
    for command in commands { try reader.read(command, into: &answers) }
  }
}

/// Parses the bytes of a response.
private struct ResponseReader {
  let bytes: [UInt8]
  var offset = 0

  var violation: ProbeError {
    .link(
      HostLinkError(
        .protocolViolation, "the probe sent an answer that fits no request (\(bytes.prefix(8).hexadecimal)…)",
        advice: "unplug the probe, plug it in and run the command again"))
  }

  mutating func byte() throws(ProbeError) -> UInt8 {
    guard offset < bytes.count else { throw violation }
    offset += 1
    return bytes[offset - 1]
  }

  mutating func expect(_ value: UInt8) throws(ProbeError) {
    guard try byte() == value else { throw violation }
  }

  mutating func word() throws(ProbeError) -> UInt32 {
    guard bytes.count - offset >= 4 else { throw violation }
    offset += 4
    return (0..<4).reduce(0) { $0 | UInt32(bytes[offset - 4 + $1]) << UInt32(8 * $1) }
  }

  mutating func read(_ command: DAPCommand, into answers: inout DAPResponses) throws(ProbeError) {
    switch command {
    case .plain(let request):
      try expect(request[0])
      guard try byte() == 0 else {
        throw .link(
          HostLinkError(
            .refused, "the probe refused command 0x\(request[0].hexadecimal(2))",
            advice: "update the probe's firmware"))
      }
    case .connect:
      try expect(0x02)
      guard try byte() == 1 else {
        throw .link(HostLinkError(.refused, "the probe has no SWD", advice: "use a probe that speaks SWD"))
      }
    case .info(_, let most):
      try expect(0x00)
      let count = Int(try byte())
      guard count <= most, bytes.count - offset >= count else { throw violation }
      answers.infos.append(Array(bytes[offset..<offset + count]))
      offset += count
    case .transfer(let accesses):
      try expect(0x05)
      let count = Int(try byte())
      try acknowledge(try byte(), done: count, of: accesses.count)
      for access in accesses where access.answersWord { answers.words.append(try word()) }
    case .writeBlock(_, let words):
      try expect(0x06)
      let count = Int(try byte()) | Int(try byte()) << 8
      try acknowledge(try byte(), done: count, of: words.count)
    case .readBlock(_, let wanted):
      try expect(0x06)
      let count = Int(try byte()) | Int(try byte()) << 8
      try acknowledge(try byte(), done: count, of: wanted)
      for _ in 0..<wanted { answers.words.append(try word()) }
    }
  }

  /// Bits 0 to 2 the chip's acknowledgement of the last access, bit 3 a protocol error, bit 4 a value
  /// mismatch.
  func acknowledge(_ response: UInt8, done: Int, of wanted: Int) throws(ProbeError) {
    if response & 0x08 != 0 { throw .silent }
    switch response & 0x07 {
    case 1: break
    case 2: throw .wait
    case 4: throw .fault
    default: throw .silent
    }
    if response & 0x10 != 0 { throw .mismatch }
    guard done == wanted else { throw violation }
  }
}
