import HeraldHAL

/// SMP over a serial line, device side: one packet at a time, with the response in its own buffer of
/// `capacity` bytes.
///
/// It reads nothing from the line while a response is being sent: bytes of the peer meanwhile wait in the
/// source of the line. `capacity` is the length of the longest packet, 32…65,533.
public struct SMPSerialLink<let capacity: Int>: ~Copyable {
  private var packet: [capacity of UInt8] = .init(repeating: 0)
  private var exchange = SMPSerialExchange()

  /// A link in its initial state.
  public init() {}

  /// Whether there is something to send.
  public var isSending: Bool { exchange.isSending }
  /// Packets that were damaged, too long or incomplete.
  public var dropped: UInt32 { exchange.dropped }

  /// Reads bytes of the line up to the end of a request, processes it, and returns how many were read: none
  /// while a response is being sent. Call it again with the rest once `isSending` is over.
  public mutating func receive<Device: ManagedDevice & ~Copyable>(
    _ bytes: Span<UInt8>, at now: Instant, server: inout SMPServer, device: inout Device
  ) -> Int {
    var room = packet.mutableSpan
    return exchange.receive(bytes, in: &room, at: now, server: &server, device: &device)
  }

  /// Writes the bytes to be sent to `output` from `start` on, as many as fit, and returns their number.
  public mutating func send(into output: inout MutableSpan<UInt8>, from start: Int = 0) -> Int {
    exchange.send(packet.span, into: &output, from: start)
  }

  /// Discards what was begun, in both directions: the line was closed and opened.
  public mutating func reset() { exchange.reset() }
}
