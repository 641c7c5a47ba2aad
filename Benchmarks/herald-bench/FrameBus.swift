import HeraldDeviceLink
import HeraldHAL
import LinkDoubles

/// A USB at full speed with a host at one end, a frame of a millisecond at a time: 19 packets of 64 bytes
/// find room in one on bulk endpoints.
///
/// The device has memory for one packet each way, as the nRF52's controller has it, and is as quick as one
/// can be. The host asks for as many transfers as it has begun, and its program is told of those that are
/// over at the end of a frame.
final class FrameBus {
  static let packetsPerFrame = 19
  /// Bytes a second there is room for.
  static let ceiling = Double(packetsPerFrame * 64 * 1000)
  private static let readSize = 16384

  private var events: [USBEvent] = [
    .reset, .setup(USBSetup(requestType: 0, request: 9, value: 1, index: 0, length: 0)),
  ]
  private var toDevice: [UInt8]?
  private var toHost: [UInt8]?

  private var outgoing: [ArraySlice<UInt8>] = []
  private var incoming: [UInt8] = []
  private var finished: [[UInt8]] = []
  private var told = 0
  private var wasOut = false
  /// Reads that wait.
  var reads = 0

  /// Frames so far.
  private(set) var frames = 0
  /// Bytes in packets, both ways.
  private(set) var bytes = 0
  /// How often the bus had nothing to carry though it had carried something before.
  private(set) var pauses = 0
  private var isPausing = true

  /// Begins a transfer to the device.
  func write(_ bytes: [UInt8]) {
    if bytes.isEmpty { outgoing.append([]) }
    for start in stride(from: 0, to: bytes.count, by: 64) {
      outgoing.append(bytes[start..<min(start + 64, bytes.count)])
    }
  }

  /// The oldest transfer from the device that the host's program has been told of.
  func takeFinished() -> [UInt8]? {
    guard told > 0 else { return nil }
    told -= 1
    return finished.removeFirst()
  }

  /// The next frame; `poll` is the device's turn.
  func runFrame(_ poll: () -> Void) {
    for _ in 0..<Self.packetsPerFrame {
      poll()
      let canWrite = !outgoing.isEmpty && toDevice == nil
      let canRead = reads > 0 && toHost != nil
      guard canWrite || canRead else {
        if !isPausing { pauses += 1 }
        isPausing = true
        continue
      }
      isPausing = false
      wasOut = canWrite && !(canRead && wasOut)
      if wasOut { carryOut() } else { carryIn() }
    }
    frames += 1
    told = finished.count
  }

  private func carryOut() {
    let packet = outgoing.removeFirst()
    bytes += packet.count
    toDevice = Array(packet)
  }

  private func carryIn() {
    guard let packet = toHost else { return }
    toHost = nil
    bytes += packet.count
    incoming += packet
    guard packet.count < 64 || incoming.count == Self.readSize else { return }
    reads -= 1
    finished.append(incoming)
    incoming = []
  }

  /// The device's end.
  struct Controller: PacketUSBController {
    let bus: FrameBus

    mutating func nextEvent() -> USBEvent? { bus.events.isEmpty ? nil : bus.events.removeFirst() }
    mutating func write(_ endpoint: USBEndpoint, _ packet: Span<UInt8>) -> Bool {
      guard endpoint == .linkIn, bus.toHost == nil else { return false }
      bus.toHost = packet.withUnsafeBufferPointer { Array($0) }
      return true
    }
    mutating func read(_ endpoint: USBEndpoint, into packet: inout MutableSpan<UInt8>) -> Int? {
      guard endpoint == .linkOut, let bytes = bus.toDevice else { return nil }
      bus.toDevice = nil
      for index in bytes.indices { packet[index] = bytes[index] }
      return bytes.count
    }
  }
}
