import HeraldDeviceLink
import HeraldHAL

/// SMP over a serial line, a pseudo terminal or a TCP stream: base64 lines with a checksum
/// (docs/wire-formats.md).
public final class SerialTransport: SMPTransport {
  /// The location of the device.
  public let location: String
  /// One request at a time: a device on a serial line responds to a request before it reads the next one into
  /// the same buffer.
  public let window = 1

  private static let largestPacket = 0xFFFF
  /// The maximum number of already received bytes that are read after a deadline: more than the largest
  /// packet in base64.
  private static let mostLate = 1 << 17

  private let stream: ByteStream
  private let opened = ContinuousClock.now
  private var decoder = SMPSerialDecoder()
  private var packet = [UInt8](repeating: 0, count: SerialTransport.largestPacket)
  private var unread: [UInt8] = []
  /// The number of bytes received within packets.
  public private(set) var receivedBytes = 0

  /// The number of damaged packets received.
  public var damagedPackets: Int { Int(decoder.dropped) }

  /// Creates a transport over an open stream.
  public init(stream: ByteStream, location: String) {
    self.stream = stream
    self.location = location
  }

  /// Sends one packet.
  public func send(_ packet: [UInt8], by deadline: Deadline) throws(HostLinkError) {
    var encoder = SMPSerialEncoder(packet.span)
    // Reserves capacity for base64 and the start and end of each line, as reallocation would leave copies of
    // the bytes in memory.
    var bytes: [UInt8] = []
    bytes.reserveCapacity(packet.count * 3 / 2 + 64)
    var buffer = [UInt8](repeating: 0, count: 4096)
    defer {
      bytes.wipe()
      buffer.wipe()
    }
    while !encoder.isFinished {
      var span = buffer.mutableSpan
      let count = encoder.write(packet.span, into: &span)
      guard count > 0 else { break }
      bytes.append(contentsOf: buffer[..<count])
    }
    try stream.write(bytes, by: deadline)
  }

  /// The next packet.
  public func receive(by deadline: Deadline) throws(HostLinkError) -> [UInt8]? {
    var late = 0
    while true {
      if !unread.isEmpty {
        var span = packet.mutableSpan
        let taken = decoder.receive(unread.span, into: &span, at: now)
        unread.removeFirst(taken)
        if decoder.isReceiving || decoder.packetCount > 0 { receivedBytes &+= taken }
        if decoder.packetCount > 0 {
          defer { decoder.release() }
          return Array(packet[..<decoder.packetCount])
        }
      }
      // A line that transmits continuously does not extend the deadline.
      guard late <= Self.mostLate else { return nil }
      unread += try stream.read(upTo: 4096, by: deadline)
      if unread.isEmpty { return nil }
      if deadline.hasPassed { late += unread.count }
    }
  }

  /// The decoder's clock: it drops a packet after a timeout without bytes.
  private var now: Instant {
    let elapsed = opened.duration(to: ContinuousClock.now).components
    return Instant(
      milliseconds: UInt64(elapsed.seconds) * 1000 + UInt64(elapsed.attoseconds / 1_000_000_000_000_000))
  }

  /// Closes the line.
  public func close() { stream.close() }
}
