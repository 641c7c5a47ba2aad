/// Transmits complete SMP packets (8-byte header and body) to a device and back. Several may be outstanding.
///
/// A transport is used by one thread. It throws only `HostLinkError`, and only if the link itself has failed;
/// invalid packets are counted in `damagedPackets` and skipped.
public protocol SMPTransport: AnyObject {
  /// The location of the device, in the form of `--device`.
  var location: String { get }
  /// The maximum number of outstanding requests.
  var window: Int { get }
  /// The number of invalid packets received: transfers over USB, packets over serial lines.
  var damagedPackets: Int { get }

  /// The number of bytes received that may belong to packets: it grows while one arrives over a slow line.
  var receivedBytes: Int { get }

  /// Sends one packet. Throws `.link` if it is not accepted before `deadline`.
  func send(_ packet: [UInt8], by deadline: Deadline) throws(HostLinkError)
  /// Receives the next packet; `nil` if none arrives before `deadline`.
  func receive(by deadline: Deadline) throws(HostLinkError) -> [UInt8]?
  /// Releases the device. May be called more than once.
  func close()
}

extension SMPTransport {
  /// 0: packets arrive as wholes.
  public var receivedBytes: Int { 0 }
}

/// Assembles SMP packets from USB transfers.
///
/// A packet is one transfer, ended by a short (or empty) USB packet. A transfer that fills its buffer
/// continues in the next one. A packet that differs from the length in its header is dropped completely: the
/// next transfer starts a new packet, so that synchronisation is kept.
struct BulkPacketAssembler {
  /// The maximum packet size in bytes: the header, and a body of the maximum 16-bit length.
  static let largestPacket = 8 + 0xFFFF

  private var pending: [UInt8] = []
  /// The number of transfers that were not valid packets.
  private(set) var damagedPackets = 0

  /// Adds a transfer of `bytes` with a buffer of `capacity`; returns the packet that it completes, if any.
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
