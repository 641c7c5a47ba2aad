import HeraldHAL

/// The server side of the attribute protocol over one constant table (Core Specification, Vol 3, Parts F and
/// G).
///
/// PDU in, PDU out: the response is built in the buffer of the request, so no other memory is needed. State
/// is per connection; `connections` is the radio's number of connections and `queues` how many prepared
/// writes may be collected at once over all connections, if `AttributeValues` has the room; further ones get
/// Prepare Queue Full. ATT_MTU is one per connection and is kept here for the client as well.
public struct ATTServer<Table: GATTTable, let connections: Int, let queues: Int>: ~Copyable {
  var states: [connections of ATTConnectionState]
  var prepared: [queues of PreparedWriteQueue]
  var extraMTU: UInt16

  /// A server with no connections. All of it is zero bits.
  public init() {
    states = .init(repeating: ATTConnectionState())
    prepared = .init(repeating: PreparedWriteQueue())
    extraMTU = 0
  }

  /// The longest PDU that this device receives, 23…517: its value in an MTU exchange. 23 until it is set.
  public var maximumMTU: Int {
    get { ATTLimits.defaultMTU &+ Int(extraMTU) }
    set { extraMTU = UInt16(max(ATTLimits.defaultMTU, min(newValue, 517)) &- ATTLimits.defaultMTU) }
  }

  /// A connection was opened: its state is reset.
  public mutating func opened(_ connection: ConnectionID) { forget(connection) }

  /// A connection was closed: what it had prepared is not executed. The owner of the prepared bytes has to
  /// discard them itself.
  public mutating func closed(_ connection: ConnectionID) { forget(connection) }

  @inline(never)
  mutating func forget(_ connection: ConnectionID) {
    guard connection.index >= 0, connection.index < connections else { return }
    states[connection.index] = ATTConnectionState()
    var index = 0
    while index < queues {
      if prepared[index].owner == connection { prepared[index] = PreparedWriteQueue() }
      index &+= 1
    }
  }

  /// Whether a connection has prepared a write that was neither executed nor cancelled, nor displaced by
  /// another connection.
  public mutating func isPreparing(_ connection: ConnectionID) -> Bool {
    let queues = prepared.mutableSpan
    return queues.queue(of: connection) < queues.count
  }

  /// The ATT_MTU of a connection: 23 until more is agreed, by either side; 23 for a connection that does not
  /// exist.
  public func mtu(_ connection: ConnectionID) -> Int {
    guard connection.index >= 0, connection.index < connections else { return ATTLimits.defaultMTU }
    return states[connection.index].mtu
  }

  /// Agrees on an ATT_MTU: the exchange of this device's client ended with the peer's value `peerMTU`.
  public mutating func agreed(peerMTU: Int, on connection: ConnectionID) {
    guard connection.index >= 0, connection.index < connections else { return }
    states[connection.index].mtu = min(peerMTU, maximumMTU)
  }

  /// The peer's value of client characteristic configuration `slot`.
  public func configuration(slot: Int, on connection: ConnectionID) -> ClientConfiguration {
    guard connection.index >= 0, connection.index < connections else { return .none }
    return states[connection.index].configuration(slot: slot)
  }

  /// Processes the PDU in the first `count` bytes of `buffer` and writes the response over it. Returns the
  /// length of the response, 0 for none (commands, confirmations, PDUs for a client, an empty PDU, an unknown
  /// connection, a buffer of fewer than 23 bytes). The response is never longer than the connection's
  /// ATT_MTU, nor than `buffer`.
  public mutating func respond<Values: AttributeValues & ~Copyable>(
    to buffer: inout MutableSpan<UInt8>, count: Int, on connection: ConnectionID, at now: Instant,
    values: inout Values
  ) -> Int {
    let length = exchangeMTU(&buffer, count: count, on: connection)
    if length > 0 { return length }
    return answer(&buffer, count: count, on: connection, at: now, values: &values)
  }

  /// The same with a table that is not a constant. It may change between two PDUs.
  public mutating func respond<Values: AttributeValues & ~Copyable>(
    to buffer: inout MutableSpan<UInt8>, count: Int, on connection: ConnectionID, at now: Instant,
    from database: GATTDatabase, values: inout Values
  ) -> Int {
    let length = exchangeMTU(&buffer, count: count, on: connection)
    if length > 0 { return length }
    return answer(&buffer, count: count, on: connection, at: now, from: database, values: &values)
  }

  /// Exchange MTU (Vol 3, Part F, 3.4.2.1): each side states its receive MTU and the smaller applies, in both
  /// directions, 23 at least. 0 if the PDU is no such request.
  @inline(__always)
  mutating func exchangeMTU(
    _ buffer: inout MutableSpan<UInt8>, count: Int, on connection: ConnectionID
  ) -> Int {
    let index = connection.index
    guard index >= 0, index < connections, count == 3, buffer.count >= ATTLimits.defaultMTU,
      buffer[unchecked: 0] == ATTOpcode.exchangeMTURequest.rawValue
    else { return 0 }
    let maximum = min(maximumMTU, buffer.count)
    states[index].mtu = min(Int(buffer.u16(at: 1)), maximum)
    buffer[unchecked: 0] = ATTOpcode.exchangeMTUResponse.rawValue
    buffer.setU16(UInt16(truncatingIfNeeded: maximum), at: 1)
    return 3
  }

  /// Responds to any other request, from the constant table.
  // Not inlined, so that an MTU exchange needs no stack frame.
  @inline(never)
  mutating func answer<Values: AttributeValues & ~Copyable>(
    _ buffer: inout MutableSpan<UInt8>, count: Int, on connection: ConnectionID, at now: Instant,
    values: inout Values
  ) -> Int {
    answer(&buffer, count: count, on: connection, at: now, from: Table.database, values: &values)
  }

  /// The same from a table.
  @inline(__always)
  mutating func answer<Values: AttributeValues & ~Copyable>(
    _ buffer: inout MutableSpan<UInt8>, count: Int, on connection: ConnectionID, at now: Instant,
    from database: GATTDatabase, values: inout Values
  ) -> Int {
    let index = connection.index
    guard index >= 0, index < connections, count > 0, count <= buffer.count,
      buffer.count >= ATTLimits.defaultMTU
    else { return 0 }
    var request = ATTRequest(
      buffer._mutatingExtracting(0..<buffer.count), count: count, to: database, states[index],
      connection)
    let length = request.respond(&prepared, now, &values)
    states[index] = request.state
    // Moved out, as nothing is left to destroy then: for a whole request that is a call.
    _ = request.buffer
    return length
  }

  /// Writes a Handle Value Notification (Vol 3, Part F, 3.4.7.1) of `value` into `buffer` and returns its
  /// length; 0 if the peer has not enabled it in configuration `slot`. A value longer than ATT_MTU − 3 is
  /// cut, as the specification requires.
  public mutating func notification(
    of value: Span<UInt8>, handle: UInt16, slot: Int, on connection: ConnectionID,
    into buffer: inout MutableSpan<UInt8>
  ) -> Int {
    guard configuration(slot: slot, on: connection).rawValue & ClientConfiguration.notifications.rawValue != 0
    else { return 0 }
    return buffer.handleValue(.handleValueNotification, handle, value, mtu: mtu(connection))
  }

  /// Writes a Handle Value Indication (3.4.7.2), as `notification` does; also 0 while the last indication is
  /// not confirmed. The caller closes a connection on which 30 s pass without the confirmation (3.3.3).
  public mutating func indication(
    of value: Span<UInt8>, handle: UInt16, slot: Int, on connection: ConnectionID,
    into buffer: inout MutableSpan<UInt8>
  ) -> Int {
    guard configuration(slot: slot, on: connection).rawValue & ClientConfiguration.indications.rawValue != 0,
      !states[connection.index].isIndicating
    else { return 0 }
    let length = buffer.handleValue(.handleValueIndication, handle, value, mtu: mtu(connection))
    states[connection.index].isIndicating = length > 0
    return length
  }

  /// Whether an indication on this connection is not confirmed yet.
  public func isIndicating(_ connection: ConnectionID) -> Bool {
    guard connection.index >= 0, connection.index < connections else { return false }
    return states[connection.index].isIndicating
  }

  /// Reverts an indication that `indication` wrote but the radio refused.
  public mutating func notIndicated(_ connection: ConnectionID) {
    guard connection.index >= 0, connection.index < connections else { return }
    states[connection.index].isIndicating = false
  }
}

extension MutableSpan where Element == UInt8 {
  /// Writes a notification or indication, cut to `mtu` and to the buffer; 0 if that has fewer than three
  /// bytes.
  @_lifetime(self: copy self)
  mutating func handleValue(_ opcode: ATTOpcode, _ handle: UInt16, _ value: Span<UInt8>, mtu: Int) -> Int {
    guard count >= 3 else { return 0 }
    let length = min(value.count, min(mtu, count) &- 3)
    self[unchecked: 0] = opcode.rawValue
    setU16(handle, at: 1)
    set(value.extracting(unchecked: Range(uncheckedBounds: (0, length))), at: 3)
    return 3 &+ length
  }
}
