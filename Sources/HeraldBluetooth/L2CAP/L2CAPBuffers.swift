import HeraldHAL

/// The bytes of one L2CAP PDU, with room for a packet header in front.
package struct L2CAPBuffer: BitwiseCopyable {
  /// The packet header, the L2CAP header and the ATT PDU.
  package var bytes: [256 of UInt8]

  package init() { bytes = .init(repeating: 0) }

  /// Where the PDU begins, and where the ATT PDU in it begins.
  package static var start: Int { L2CAPConnection.packetHeaderSize }
  /// Where the ATT PDU begins.
  package static var attribute: Int {
    L2CAPConnection.packetHeaderSize &+ L2CAPConnection.headerSize
  }

  /// Passes the ATT PDU of `count` bytes to the handler. Returns the length of the response that was written
  /// over it.
  package mutating func handOver<Handler: RadioEventHandler & ~Copyable>(
    count: Int, of connection: ConnectionID, to handler: inout Handler, at now: Instant
  ) -> Int {
    var whole = bytes.mutableSpan
    var pdu = whole._mutatingExtracting(Self.attribute..<(Self.attribute &+ L2CAPConnection.longestPDU))
    return handler.pduReceived(&pdu, count: count, on: connection, at: now)
  }
}

/// The buffers of all connections: one for each, and one that is assigned to a connection that needs a
/// second. Slot 0 of a connection uses its own, slot 1 the shared one.
package struct L2CAPBuffers<let connections: Int>: ~Copyable {
  /// The buffer of each connection.
  package var own: [connections of L2CAPBuffer]
  /// The one that connections share.
  package var spare: L2CAPBuffer

  package init() {
    own = .init(repeating: L2CAPBuffer())
    spare = L2CAPBuffer()
  }

  /// `L2CAPConnection.append` in the buffer of a slot.
  package mutating func append(
    _ fragment: Span<UInt8>, to connection: inout L2CAPConnection, _ index: Int, _ slot: Int,
    _ counters: inout L2CAPCounters
  ) -> Int {
    slot == 0
      ? connection.append(fragment, to: 0, &own[index], &counters)
      : connection.append(fragment, to: slot, &spare, &counters)
  }

  /// `L2CAPConnection.answered`.
  package mutating func answered(
    _ count: Int, by connection: inout L2CAPConnection, _ index: Int, _ slot: Int
  ) {
    if slot == 0 {
      connection.answered(0, count: count, in: &own[index])
    } else {
      connection.answered(slot, count: count, in: &spare)
    }
  }

  /// `L2CAPConnection.send`.
  package mutating func send(
    _ pdu: Span<UInt8>, on connection: inout L2CAPConnection, _ index: Int, _ slot: Int
  ) {
    if slot == 0 { connection.send(pdu, 0, in: &own[index]) } else { connection.send(pdu, slot, in: &spare) }
  }

  /// `L2CAPBuffer.handOver`.
  package mutating func handOver<Handler: RadioEventHandler & ~Copyable>(
    _ index: Int, _ slot: Int, count: Int, to handler: inout Handler, at now: Instant
  ) -> Int {
    let connection = ConnectionID(index: index)
    return slot == 0
      ? own[index].handOver(count: count, of: connection, to: &handler, at: now)
      : spare.handOver(count: count, of: connection, to: &handler, at: now)
  }
}
