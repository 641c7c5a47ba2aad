import HeraldDeviceLink
import HeraldHAL
import HeraldHostLink

@testable import HeraldFlash
@testable import HeraldImages

/// Adafruit's boot loader at the end of a line, within this process: packets are acknowledged, then carried
/// out.
final class ModelLegacyBootLoader: SerialLine {
  /// What becomes of a packet on its way.
  enum LegacyFault {
    /// It does not arrive.
    case lost
    /// One bit of it arrives wrong.
    case damaged
    /// Its acknowledgement does not arrive.
    case unheard
    /// Its acknowledgement arrives damaged.
    case garbled
    /// The acknowledgement of the packet before comes again in front of its own.
    case late
  }

  /// The application's flash as far as it was written; `nil` where the boot loader erased it.
  private(set) var flash: [UInt8]? = [0x0D]
  private(set) var isRunning = false
  private(set) var packets = 0
  private(set) var restarts = 0
  /// Gone after so many packets; and whether the next one is carried out before.
  var vanishesAfter = Int.max
  var isUnheard = false
  /// By number of the packet.
  var mishaps: [Int: LegacyFault] = [:]
  /// The number of the SoftDevice that is there.
  var softDevice: UInt16 = 0xB6
  /// What comes before each acknowledgement.
  var noise: [UInt8] = []

  private var isGone = false
  private var frame: [UInt8]?
  private var isEscaped = false
  private var output: [UInt8] = []
  private var expected: UInt8 = 1
  private var size: Int?
  private var initial: LegacyInitPacket?
  private var received: [UInt8] = []

  /// Reset: what had begun is lost.
  func plugIn() -> ModelLegacyBootLoader {
    (vanishesAfter, isUnheard, isGone) = (.max, false, false)
    (frame, isEscaped, output, expected) = (nil, false, [], 1)
    (size, initial, received) = (nil, nil, [])
    return self
  }

  func close() {}

  private var gone: HostLinkError { HostLinkError(.link, "the line was closed") }

  func write(_ bytes: [UInt8], by deadline: Deadline) throws(HostLinkError) {
    for byte in bytes {
      guard !isGone else { throw gone }
      switch byte {
      case 0xC0:
        guard let whole = frame, !whole.isEmpty else {
          frame = []
          continue
        }
        frame = nil
        take(whole)
      case 0xDB: isEscaped = true
      default:
        frame?.append(isEscaped ? (byte == 0xDC ? 0xC0 : 0xDB) : byte)
        isEscaped = false
      }
    }
  }

  func read(upTo limit: Int, by deadline: Deadline) throws(HostLinkError) -> [UInt8] {
    guard output.isEmpty else {
      defer { output = [] }
      return output
    }
    if isGone { throw gone }
    return []
  }

  private func take(_ packet: [UInt8]) {
    guard packets < vanishesAfter || isUnheard else {
      isGone = true
      return
    }
    packets += 1
    let mishap = mishaps[packets]
    guard mishap != .lost, mishap != .damaged, packet.count >= 10 else { return }
    let check = CRC16.initiallyOnes(Array(packet.dropLast(2)))
    guard packet.prefix(4).reduce(0, &+) == 0, packet.suffix(2) == [UInt8(check & 0xFF), UInt8(check >> 8)],
      packet[0] & 0xC0 == 0xC0, packet[1] & 0x0F == 14,
      Int(packet[1] >> 4) | Int(packet[2]) << 4 == packet.count - 6
    else { return }
    let before = acknowledgement
    let isNew = packet[0] & 7 == expected
    if isNew { expected = (expected + 1) % 8 }
    if packets > vanishesAfter { isGone = true }
    if !isGone, mishap != .unheard {
      if mishap == .late { output += before }
      output += noise + acknowledgement
      if mishap == .garbled { output[output.count - 2] ^= 1 }
    }
    // Whole words only.
    if isNew { carryOut(packet[4], Array(packet[8..<(packet.count - 2) / 4 * 4])) }
  }

  private var acknowledgement: [UInt8] { [0xC0, expected << 3, 0, 0, 0 &- (expected << 3), 0xC0] }

  private func carryOut(_ kind: UInt8, _ body: [UInt8]) {
    switch kind {
    case 3:
      let words = stride(from: 0, to: 16, by: 4).map { Int(body[$0]) | Int(body[$0 + 1]) << 8 }
      guard size == nil, words[0...2] == [4, 0, 0], words[3] % 4 == 0 else { return restart() }
      size = words[3]
      flash = nil
    case 1:
      guard size != nil, let packet = try? LegacyInitPacket(body), packet.deviceType == 0x52,
        packet.softDevices.contains(softDevice) || packet.softDevices.contains(0xFFFE)
      else { return restart() }
      initial = packet
    case 4:
      guard initial != nil else { return }
      received += body
    case 5:
      // What is behind the check is padding.
      guard let initial, received.count == size else { return }
      if initial.check.prefix(2) == LegacyInitPacket(application: received, softDevices: []).check[...] {
        flash = received
        isRunning = true
        isGone = true
      }
    default: break
    }
  }

  private func restart() {
    restarts += 1
    isGone = true
  }
}
