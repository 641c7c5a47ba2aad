/// A transport to a controller with an optional capture of its packets.
package struct CapturedTransport<Base: PollableTransport & ~Copyable>: PollableTransport, ~Copyable {
  private var base: Base
  private let capture: BtsnoopCapture?
  private var arriving = ArrivingPacket()

  /// Wraps `base`; with a `capture`, all its packets are recorded.
  package init(_ base: consuming Base, capture: BtsnoopCapture?) {
    self.base = base
    self.capture = capture
  }

  /// The descriptor for `poll(2)`; -1 while the transport is disconnected.
  package var descriptor: Int32 { base.descriptor }
  /// Whether to wait for the descriptor to become writable, too.
  package var wantsToWrite: Bool { base.wantsToWrite }

  /// Reads available bytes from `base`.
  package mutating func read(into buffer: inout MutableSpan<UInt8>) -> Int {
    let count = base.read(into: &buffer)
    guard let capture else { return count }
    // A packet interrupted by the disconnection is discarded.
    if count < 0 { arriving = ArrivingPacket() }
    for index in 0..<max(0, count) {
      guard arriving.append(buffer[index]) else { continue }
      capture.add(arriving.bytes.span, isReceived: true)
      arriving = ArrivingPacket()
    }
    return count
  }

  /// Writes the complete packet to `base`, or none of it.
  package mutating func write(_ packet: Span<UInt8>) -> Bool {
    guard base.write(packet) else { return false }
    capture?.add(packet, isReceived: false)
    return true
  }

  /// The vendor-specific command for the address, from `base`.
  package mutating func vendorCommand(_ index: Int, into packet: inout MutableSpan<UInt8>) -> Int {
    base.vendorCommand(index, into: &packet)
  }
}

/// A packet from the controller, assembled from the bytes of a stream.
private struct ArrivingPacket {
  private(set) var bytes: [UInt8] = []

  /// Appends the next byte. Returns whether the packet is complete. A byte that is no H4 packet type is
  /// skipped.
  mutating func append(_ byte: UInt8) -> Bool {
    if bytes.isEmpty, !(0x02...0x05).contains(byte) { return false }
    bytes.append(byte)
    guard let header = bytes.first.map(Self.headerSize), bytes.count >= header else { return false }
    return bytes.count == header + length
  }

  /// The size of the H4 type byte and the packet header (Core Specification 6.2, Vol 4, Part E, 5.4).
  private static func headerSize(_ type: UInt8) -> Int {
    switch type {
    case 0x03: 4
    case 0x04: 3
    default: 5
    }
  }

  private var length: Int {
    switch bytes[0] {
    case 0x04: Int(bytes[2])
    case 0x03: Int(bytes[3])
    case 0x05: Int(bytes[3]) | Int(bytes[4] & 0x3F) << 8
    default: Int(bytes[3]) | Int(bytes[4]) << 8
    }
  }
}
