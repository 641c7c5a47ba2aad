import HeraldEmbedded

/// The bytes of a connection's two buffers, with room for one packet header in front.
@usableFromInline
struct LinkBuffers: BitwiseCopyable {
  @usableFromInline var bytes: [507 of UInt8]

  @usableFromInline init() { bytes = .init(repeating: 0) }

  /// Hands the ATT PDU of `count` bytes in one buffer to the handler. Returns the length of the answer it wrote over it.
  @inlinable
  mutating func handOver<Handler: RadioEventHandler & ~Copyable>(
    _ slot: Int, count: Int, of connection: ConnectionID, to handler: inout Handler, at now: Instant
  ) -> Int {
    let base = Link.start(of: slot) &+ Link.headerSize
    var whole = bytes.mutableSpan
    var pdu = whole._mutatingExtracting(base..<(base &+ Link.longestPDU))
    return handler.pduReceived(&pdu, count: count, on: connection, at: now)
  }

  /// Writes a packet that `Link.nextFragment` made.
  @inlinable
  mutating func write<Transport: HCITransport & ~Copyable>(
    _ fragment: Link.Fragment, to transport: inout Transport
  ) -> Bool {
    transport.write(bytes.span.extracting(fragment.start..<(fragment.start &+ fragment.count)))
  }
}
