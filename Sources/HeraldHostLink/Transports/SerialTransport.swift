import HeraldDeviceLink
import HeraldEmbedded

/// SMP over a serial line, a pseudo terminal or a TCP stream: base64 lines with a checksum (docs/wire-formats.md).
public final class SerialTransport: SMPTransport {
  /// Where it leads.
  public let location: String
  /// One: a device on a serial line answers a request before it reads the next, in the same buffer.
  public let window = 1

  private static let largestPacket = 0xFFFF

  private let stream: ByteStream
  private let opened = ContinuousClock.now
  private var decoder = SMPSerialDecoder()
  private var packet = [UInt8](repeating: 0, count: SerialTransport.largestPacket)
  private var unread: [UInt8] = []

  /// Packets that arrived damaged.
  public var damagedPackets: Int { Int(decoder.dropped) }

  /// Over an open stream.
  public init(stream: ByteStream, location: String) {
    self.stream = stream
    self.location = location
  }

  /// Sends one packet.
  public func send(_ packet: [UInt8], by deadline: Deadline) throws(HostLinkError) {
    var encoder = SMPSerialEncoder(packet.span)
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while !encoder.isFinished {
      var span = buffer.mutableSpan
      let count = encoder.write(packet.span, into: &span)
      guard count > 0 else { break }
      bytes += buffer[..<count]
    }
    try stream.write(bytes, by: deadline)
  }

  /// The next packet.
  public func receive(by deadline: Deadline) throws(HostLinkError) -> [UInt8]? {
    while true {
      if !unread.isEmpty {
        var span = packet.mutableSpan
        let taken = decoder.receive(unread.span, into: &span, at: now)
        unread.removeFirst(taken)
        if decoder.packetCount > 0 {
          defer { decoder.release() }
          return Array(packet[..<decoder.packetCount])
        }
      }
      unread += try stream.read(upTo: 4096, by: deadline)
      if unread.isEmpty { return nil }
    }
  }

  /// The decoder's clock: it drops a packet whose line falls silent.
  private var now: Instant {
    let elapsed = opened.duration(to: ContinuousClock.now).components
    return Instant(
      milliseconds: UInt64(elapsed.seconds) * 1000 + UInt64(elapsed.attoseconds / 1_000_000_000_000_000))
  }

  /// Closes the line.
  public func close() { stream.close() }
}
