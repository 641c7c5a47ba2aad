import HeraldHAL
import HeraldHostLink

@testable import HeraldFlash
@testable import HeraldImages

/// Nordic's open boot loader at the end of a line, within this process (nRF5 SDK 17, "DFU protocol").
final class ModelBootLoader: SerialLine {
  /// The application's flash, by offset.
  private(set) var flash: [UInt8] = []
  private(set) var isRunning = false
  private(set) var frames = 0
  /// Gone after so many frames.
  var vanishesAfter = Int.max
  /// The frames whose answer has a damaged checksum.
  var spoiled: Set<Int> = []
  /// The frames with data that arrive damaged.
  var damaged: Set<Int> = []
  /// What is answered instead, by request.
  var refusals: [UInt8: [UInt8]] = [:]
  /// The version of what is there, and whether there is a SoftDevice.
  var firmwareVersion: UInt32 = 0
  var hasSoftDevice = false
  /// What comes before the first response.
  var noise: [UInt8] = []

  private var decoder = SLIPDecoder()
  private var output: [UInt8] = []
  private var selected: UInt8 = 0
  private var command: [UInt8] = []
  private var commandSize = 0
  private var initial: DFUInitPacket?
  private var object: [UInt8] = []
  private var objectSize = 0

  /// Reset: what was not carried out is lost.
  func plugIn() {
    vanishesAfter = .max
    frames = 0
    output = []
    decoder = SLIPDecoder()
    object = []
    if initial == nil { command = [] }
  }

  /// The line is there again; the boot loader has gone on running, and kept what it had got.
  func reconnect() {
    vanishesAfter = .max
    frames = 0
    spoiled = []
    damaged = []
    output = []
    decoder = SLIPDecoder()
  }

  func close() {}

  private var gone: HostLinkError { HostLinkError(.link, "the line was closed") }

  func write(_ bytes: [UInt8], by deadline: Deadline) throws(HostLinkError) {
    for byte in bytes {
      guard let frame = decoder.take(byte) else { continue }
      guard frames < vanishesAfter, !isRunning else { throw gone }
      frames += 1
      guard var answer = answer(frame[0], Array(frame.dropFirst())) else { continue }
      if spoiled.contains(frames), answer.count == 8 { answer[7] ^= 1 }
      output +=
        noise + SLIP.encode([0x60, frame[0]] + (refusals[frame[0]] ?? answer.isRefusal ?? [1] + answer))
      noise = []
    }
  }

  func read(upTo limit: Int, by deadline: Deadline) throws(HostLinkError) -> [UInt8] {
    guard !output.isEmpty else {
      if frames >= vanishesAfter || isRunning { throw gone }
      return []
    }
    defer { output = [] }
    return output
  }

  /// What follows the result 1; a refusal begins with 0.
  private func answer(_ request: UInt8, _ body: [UInt8]) -> [UInt8]? {
    switch request {
    case 0x02: return []
    case 0x07: return [0x03, 0x08]
    case 0x0A: return number(0x52840) + [UInt8](repeating: 0, count: 16)
    case 0x0B:
      guard hasSoftDevice, body == [0] else { return [0, 0x03] }
      return [0] + number(7_002_000) + number(0x1000) + number(0x26000)
    case 0x06:
      selected = body[0]
      return number(selected == 1 ? 512 : 4096) + progress
    case 0x01: return create(body)
    case 0x08:
      var data = body
      if damaged.contains(frames) { data[0] ^= 1 }
      if selected == 1 { command += data } else { object += data }
      return nil
    case 0x03: return progress
    case 0x04: return selected == 1 ? executeCommand() : executeData()
    default: return [0, 0x02]
    }
  }

  private func create(_ body: [UInt8]) -> [UInt8] {
    let size = (0..<4).reduce(0) { $0 | Int(body[1 + $1]) << (8 * $1) }
    selected = body[0]
    if selected == 1 {
      (command, commandSize, initial, flash, object) = ([], size, nil, [], [])
      return []
    }
    guard let initial, size == min(4096, Int(initial.size) - flash.count) else { return [0, 0x08] }
    (object, objectSize) = ([], size)
    return []
  }

  private func executeCommand() -> [UInt8] {
    guard command.count == commandSize, let packet = try? DFUInitPacket(command) else { return [0, 0x05] }
    guard packet.isDebug || packet.firmwareVersion >= firmwareVersion else { return [0, 0x0B, 0x05] }
    initial = packet
    return []
  }

  private func executeData() -> [UInt8] {
    guard let initial, objectSize > 0, object.count == objectSize else { return [0, 0x08] }
    flash += object
    (object, objectSize) = ([], 0)
    if flash.count == Int(initial.size) {
      guard DFUInitPacket(application: flash).hash == initial.hash else { return [0, 0x0B, 0x0C] }
      isRunning = true
    }
    return []
  }

  private var progress: [UInt8] {
    let there = selected == 1 ? command : flash + object
    return number(UInt32(there.count)) + number(CRC32.of(there.span))
  }

  private func number(_ value: UInt32) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(littleEndian: value)
    return bytes
  }
}

extension [UInt8] {
  /// The result that a refusal stands for.
  fileprivate var isRefusal: [UInt8]? { first == 0 && count <= 3 && count > 1 ? Array(dropFirst()) : nil }
}
