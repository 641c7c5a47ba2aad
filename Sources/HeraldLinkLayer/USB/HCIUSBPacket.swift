import HeraldHAL

/// A packet for the host, which is sent in packets of the bus.
///
/// The packet ends with a packet of the bus of less than 64 bytes: if its length is a multiple of 64, an
/// empty one follows.
struct HCIUSBPacket: ~Copyable {
  private var bytes: [72 of UInt8] = .init(repeating: 0)
  private var count = 0
  private var sent = 0
  /// Whether the packet has not been sent completely.
  private(set) var isPending = false

  init() {}

  /// The memory of the packet, to write it before `begin`.
  var room: MutableSpan<UInt8> {
    @_lifetime(&self)
    mutating get { bytes.mutableSpan }
  }

  /// The first byte: the packet type of H4, which is not sent.
  var type: UInt8 { bytes[0] }

  /// The packet has so many bytes, its type included.
  mutating func begin(_ count: Int) {
    self.count = min(count, 72)
    sent = min(1, self.count)
    isPending = true
  }

  /// Takes the packet that another one has received.
  mutating func take(_ other: inout HCIUSBPacket, _ count: Int) {
    bytes = other.bytes
    begin(count)
  }

  /// Discards the packet.
  mutating func discard() { isPending = false }

  /// Passes packets to `usb` as long as it accepts them; returns whether it accepted one.
  mutating func send<Controller: USBController & ~Copyable>(
    to usb: inout Controller, _ endpoint: USBEndpoint
  ) -> Bool {
    var isMoving = false
    while isPending {
      let end = min(count, sent &+ USBEndpoint.packetSize)
      guard usb.write(endpoint, bytes.span.extracting(sent..<end)) else { return isMoving }
      isMoving = true
      isPending = end &- sent == USBEndpoint.packetSize
      sent = end
    }
    return isMoving
  }
}
