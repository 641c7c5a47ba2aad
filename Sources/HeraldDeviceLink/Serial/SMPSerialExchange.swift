import HeraldHAL

/// One request over a serial line and its response, in memory of the caller, which is the same and used
/// exclusively for it from the first byte of the request to the last of the response.
public struct SMPSerialExchange: BitwiseCopyable {
  private var decoder = SMPSerialDecoder()
  private var encoder = SMPSerialEncoder()
  private var answerCount = 0

  /// An exchange in its initial state.
  public init() {}

  /// Whether there is something to send.
  public var isSending: Bool { !encoder.isFinished }
  /// Whether neither a request is begun nor a response is being sent: the memory is not needed.
  public var isIdle: Bool { !isSending && !decoder.isReceiving }
  /// Packets that were damaged, too long or incomplete.
  public var dropped: UInt32 { decoder.dropped }

  /// Reads bytes of the line up to the end of a request, processes it, and returns how many were read: none
  /// while a response is being sent. Call it again with the rest once `isSending` is over. `packet` is the
  /// memory, 32…65,533 bytes.
  public mutating func receive<Device: ManagedDevice & ~Copyable>(
    _ bytes: Span<UInt8>, in packet: inout MutableSpan<UInt8>, at now: Instant, server: inout SMPServer,
    device: inout Device
  ) -> Int {
    var taken = 0
    while taken < bytes.count, !isSending {
      taken &+= decoder.receive(bytes.extracting(taken..<bytes.count), into: &packet, at: now)
      guard decoder.packetCount > 0 else { break }
      answerCount = server.respond(to: &packet, count: decoder.packetCount, at: now, device: &device)
      decoder.release()
      if answerCount > 0 { encoder = SMPSerialEncoder(packet.span.extracting(0..<answerCount)) }
    }
    return taken
  }

  /// Writes the bytes to be sent of the response in `packet` to `output` from `start` on, as much as fits,
  /// and returns how many bytes that were.
  public mutating func send(
    _ packet: Span<UInt8>, into output: inout MutableSpan<UInt8>, from start: Int = 0
  ) -> Int {
    guard isSending, answerCount <= packet.count else { return 0 }
    return encoder.write(packet.extracting(0..<answerCount), into: &output, from: start)
  }

  /// Position in the response. A caller that could not send what was written restores it.
  var position: SMPSerialEncoder.Position {
    get { encoder.position }
    set { encoder.position = newValue }
  }

  /// Discards what was begun, in both directions: the line was closed and opened.
  public mutating func reset() {
    decoder.reset()
    encoder = SMPSerialEncoder()
    answerCount = 0
  }
}
