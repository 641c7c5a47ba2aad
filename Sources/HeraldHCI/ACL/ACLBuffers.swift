import HeraldBluetooth
import HeraldHAL

/// The bytes of one L2CAP PDU, with room for a packet header in front.
@usableFromInline
struct ACLBuffer: BitwiseCopyable {
  @usableFromInline var bytes: [256 of UInt8]

  @usableFromInline init() { bytes = .init(repeating: 0) }

  /// Where the PDU begins, and where the ATT PDU in it begins.
  @inlinable static var start: Int { ACLConnection.packetHeaderSize }
  @inlinable static var attribute: Int { ACLConnection.packetHeaderSize &+ ACLConnection.headerSize }

  /// Passes the ATT PDU of `count` bytes to the handler. Returns the length of the response that was written
  /// over it.
  @inlinable
  mutating func handOver<Handler: RadioEventHandler & ~Copyable>(
    count: Int, of connection: ConnectionID, to handler: inout Handler, at now: Instant
  ) -> Int {
    var whole = bytes.mutableSpan
    var pdu = whole._mutatingExtracting(Self.attribute..<(Self.attribute &+ ACLConnection.longestPDU))
    return handler.pduReceived(&pdu, count: count, on: connection, at: now)
  }

  /// Writes a packet that `ACLConnection.nextFragment` prepared.
  @inlinable
  mutating func write<Transport: ControllerTransport & ~Copyable>(
    _ fragment: ACLConnection.Fragment, to transport: inout Transport
  ) -> Bool {
    transport.write(bytes.span.extracting(fragment.start..<(fragment.start &+ fragment.count)))
  }
}

/// The buffers of all connections: one for each, and one that is assigned to a connection that needs a
/// second. Slot 0 of a connection uses its own, slot 1 the shared one.
@usableFromInline
struct ACLBuffers<let connections: Int>: ~Copyable {
  @usableFromInline var own: [connections of ACLBuffer]
  @usableFromInline var spare: ACLBuffer

  @usableFromInline init() {
    own = .init(repeating: ACLBuffer())
    spare = ACLBuffer()
  }

  /// `ACLConnection.append` in the buffer of a slot.
  @usableFromInline
  mutating func append(
    _ fragment: Span<UInt8>, to link: inout ACLConnection, _ index: Int, _ slot: Int,
    _ counters: inout HCICounters
  ) -> Int {
    slot == 0
      ? link.append(fragment, to: 0, &own[index], &counters)
      : link.append(fragment, to: slot, &spare, &counters)
  }

  /// `ACLConnection.answered`.
  @usableFromInline
  mutating func answered(_ count: Int, by link: inout ACLConnection, _ index: Int, _ slot: Int) {
    if slot == 0 {
      link.answered(0, count: count, in: &own[index])
    } else {
      link.answered(slot, count: count, in: &spare)
    }
  }

  /// `ACLConnection.send`.
  @usableFromInline
  mutating func send(_ pdu: Span<UInt8>, on link: inout ACLConnection, _ index: Int, _ slot: Int) {
    if slot == 0 { link.send(pdu, 0, in: &own[index]) } else { link.send(pdu, slot, in: &spare) }
  }

  /// `ACLConnection.nextFragment`.
  @usableFromInline
  mutating func nextFragment(of link: inout ACLConnection, _ index: Int, _ slot: Int, limit: Int)
    -> ACLConnection.Fragment
  {
    slot == 0
      ? link.nextFragment(0, limit: limit, in: &own[index])
      : link.nextFragment(slot, limit: limit, in: &spare)
  }

  /// `ACLBuffer.write`.
  @inlinable
  mutating func write<Transport: ControllerTransport & ~Copyable>(
    _ fragment: ACLConnection.Fragment, _ index: Int, _ slot: Int, to transport: inout Transport
  ) -> Bool {
    slot == 0 ? own[index].write(fragment, to: &transport) : spare.write(fragment, to: &transport)
  }

  /// `ACLBuffer.handOver`.
  @inlinable
  mutating func handOver<Handler: RadioEventHandler & ~Copyable>(
    _ index: Int, _ slot: Int, count: Int, to handler: inout Handler, at now: Instant
  ) -> Int {
    let connection = ConnectionID(index: index)
    return slot == 0
      ? own[index].handOver(count: count, of: connection, to: &handler, at: now)
      : spare.handOver(count: count, of: connection, to: &handler, at: now)
  }
}
