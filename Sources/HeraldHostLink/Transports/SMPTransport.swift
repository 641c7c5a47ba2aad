/// Carries whole SMP packets (8-byte header and body) to a device and back. Several may be on their way at
/// once.
///
/// A transport is used from one thread. It throws only `HostLinkError`, and only when the line itself is of
/// no more use; what makes no packet is counted in `damagedPackets` and skipped.
public protocol SMPTransport: AnyObject {
  /// Where it leads, in the form `--device` takes.
  var location: String { get }
  /// How many requests may be in flight at once.
  var window: Int { get }
  /// How much arrived that was no packet: transfers over USB, packets over serial lines.
  var damagedPackets: Int { get }

  /// Sends one packet; throws `.link` if it cannot be handed over before `deadline`.
  func send(_ packet: [UInt8], by deadline: Deadline) throws(HostLinkError)
  /// The next packet, or `nil` if none arrives before `deadline`.
  func receive(by deadline: Deadline) throws(HostLinkError) -> [UInt8]?
  /// Gives the device back. Safe to call twice.
  func close()
}

/// Cuts USB transfers into SMP packets.
///
/// A packet is one transfer, ended by a short (or empty) USB packet. A transfer that fills its buffer
/// continues in the next one. What does not agree with the length in its own header is dropped as a whole:
/// the next transfer starts a new packet, so the reader is never out of step.
struct BulkPacketAssembler {
  /// Header, and the largest body a 16-bit length can name.
  static let largestPacket = 8 + 0xFFFF

  private var pending: [UInt8] = []
  /// How many transfers were no packet.
  private(set) var damagedPackets = 0

  /// Takes a transfer of `bytes` that had room for `capacity`; returns the packet it completes, if any.
  mutating func append(_ bytes: [UInt8], capacity: Int) -> [UInt8]? {
    if pending.isEmpty && bytes.isEmpty { return nil }
    pending += bytes
    let isComplete = pending.count >= 8 && pending.count == 8 + Int(pending[2]) << 8 + Int(pending[3])
    if !isComplete && bytes.count == capacity && pending.count < Self.largestPacket { return nil }
    defer { pending.removeAll(keepingCapacity: true) }
    if isComplete { return pending }
    damagedPackets += 1
    return nil
  }
}
