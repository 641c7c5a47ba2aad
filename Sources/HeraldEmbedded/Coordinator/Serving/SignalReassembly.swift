import HeraldBluetooth
import HeraldHAL

/// The message that a peer is writing on one connection. Zero bits when there is none.
///
/// Messages come in three ways: as one value; in parts, each a value of its own, at most 20 bytes with
/// Android phones; as prepared writes, which are collected in a buffer of the pool and processed there as one
/// value. The bytes of a message lie in a buffer from its first part until it has been processed; an RSSI
/// message needs none if it is complete in one value. An incomplete message is dropped, and counted, when it
/// is invalid, when it continues at the other characteristic, when nothing is received for half a minute, and
/// when its connection ends.
struct SignalReassembly: BitwiseCopyable {
  /// The code of the message that is complete and to be processed now; 0 for none.
  var complete: UInt8
  /// To which characteristic its parts are written.
  var tag: UInt8
  /// The RSSI in it.
  var rssi: Int16
  /// When the last part was received, or was prepared: milliseconds, their lower 32 bits.
  var lastPart: UInt32
  /// The account of the peer's address.
  var account: UInt8
  /// Whether we have read the peer's payload at this address.
  var isRead: Bool
  /// The rest of the bytes charged to the account, less than a unit.
  var remainder: UInt8
  /// Padding.
  var filler: UInt8
  /// What peers whose payload was not read have written on this connection, and on those before it with the
  /// same number.
  var budget: RateBudget

  init() {
    complete = 0
    tag = 0
    rssi = 0
    lastPart = 0
    account = 0
    isRead = false
    remainder = 0
    filler = 0
    budget = RateBudget()
  }

  /// The maximum time from one part to the next.
  static var partTimeout: UInt32 { 30_000 }
}

extension ServedValues {
  /// Processes a value written to a signal characteristic: a complete message, or the next part of one. When
  /// the message is complete, `incoming` contains its code, and its data is in the connection's buffer.
  mutating func collect(
    _ value: Span<UInt8>, _ tag: AttributeTag, on connection: ConnectionID
  ) -> ATTErrorCode? {
    let index = connection.index
    guard index >= 0, index < connections else { return .insufficientResources }
    signals &+= 1
    if value.count == 0 {
      wakes &+= 1
      return nil
    }
    dropStalled(index)
    if let begun = begun(tag, index) {
      receive(begun, isWhole: pool.buffers[begun].put(value, at: Int(pool.buffers[begun].length)), index)
      return nil
    }
    if take(strength: SignalMessage.strength(value), index) { return nil }
    guard let buffer = pool.claimForWriting(connection, .receiving) else {
      withoutBuffer &+= 1
      return .insufficientResources
    }
    incoming[index].tag = tag.rawValue
    receive(buffer, isWhole: pool.buffers[buffer].put(value, at: 0), index)
    return nil
  }

  /// The same with a prepared value, in its buffer.
  mutating func collectPrepared(_ buffer: Int, _ tag: AttributeTag, _ index: Int) {
    signals &+= 1
    if pool.buffers[buffer].length == 0 {
      wakes &+= 1
      return
    }
    if let begun = begun(tag, index) {
      receive(begun, isWhole: pool.append(buffer, to: begun), index)
      return
    }
    if take(strength: pool.buffers[buffer].strength(), index) { return }
    pool.buffers[buffer].use = .receiving
    incoming[index].tag = tag.rawValue
    receive(buffer, isWhole: true, index)
  }

  /// The buffer with the incomplete message at this characteristic, if there is one. An incomplete message at
  /// the other one is dropped.
  @inline(never)
  mutating func begun(_ tag: AttributeTag, _ index: Int) -> Int? {
    guard let begun = pool.find(ConnectionID(index: index), .receiving) else { return nil }
    if incoming[index].tag == tag.rawValue { return begun }
    drop(begun)
    return nil
  }

  /// Stores an RSSI message that is complete in one value; `false` if it is none.
  mutating func take(strength: Int16?, _ index: Int) -> Bool {
    guard let strength else { return false }
    incoming[index].rssi = strength
    incoming[index].complete = SignalMessage.Kind.rssi.rawValue
    return true
  }

  /// Takes a payload written to a legacy characteristic: the content of a payload message (HP-38).
  mutating func collectLegacy(_ value: Span<UInt8>, on connection: ConnectionID) -> ATTErrorCode? {
    let index = connection.index
    guard value.count > 0, value.count <= Payload.maximumLength else { return .invalidAttributeValueLength }
    guard index >= 0, index < connections, incoming[index].complete == 0 else {
      return .insufficientResources
    }
    if let begun = pool.find(connection, .receiving) { drop(begun) }
    guard let buffer = pool.claimForWriting(connection, .receiving), pool.buffers[buffer].put(value, at: 0)
    else { return .insufficientResources }
    incoming[index].complete = SignalMessage.Kind.payload.rawValue
    return nil
  }

  /// The same with a prepared value, in its buffer.
  mutating func collectLegacyPrepared(_ buffer: Int, _ index: Int) -> ATTErrorCode? {
    let count = Int(pool.buffers[buffer].length)
    guard count > 0, count <= Payload.maximumLength else { return .invalidAttributeValueLength }
    if let begun = pool.find(ConnectionID(index: index), .receiving) { drop(begun) }
    pool.buffers[buffer].use = .receiving
    incoming[index].complete = SignalMessage.Kind.payload.rawValue
    return nil
  }

  /// Evaluates the contents of a buffer after a part was appended, unless the part was too long.
  @inline(never)
  mutating func receive(_ buffer: Int, isWhole: Bool, _ index: Int) {
    incoming[index].lastPart = askedAt.milliseconds.low32
    guard isWhole else {
      drop(buffer)
      return
    }
    switch pool.buffers[buffer].openMessage() {
    case .unfinished: break
    case .malformed: drop(buffer)
    case .whole(let kind, let rssi):
      incoming[index].rssi = rssi
      incoming[index].complete = kind.rawValue
    }
  }

  /// Drops an invalid message.
  @inline(never)
  mutating func drop(_ buffer: Int) {
    malformed &+= 1
    pool.buffers[buffer].use = .free
  }

  /// Drops the incomplete message of a connection if it was not continued in time.
  @inline(never)
  mutating func dropStalled(_ index: Int) {
    guard askedAt.milliseconds.low32 &- incoming[index].lastPart > SignalReassembly.partTimeout else {
      return
    }
    let connection = ConnectionID(index: index)
    if let begun = pool.find(connection, .receiving) ?? pool.find(connection, .preparing) { drop(begun) }
  }

  /// Drops all incomplete messages that were not continued in time.
  mutating func dropStalled(at now: Instant) {
    askedAt = now
    var index = 0
    while index < connections {
      dropStalled(index)
      index &+= 1
    }
  }

  /// The complete message has been processed.
  mutating func endMessage(_ index: Int) {
    incoming[index].complete = 0
    if let buffer = pool.find(ConnectionID(index: index), .receiving) { pool.buffers[buffer].use = .free }
  }

  /// A connection has ended, and its incomplete message is dropped. What was charged to it stays charged.
  mutating func endSignals(_ index: Int) {
    if let begun = pool.find(ConnectionID(index: index), .receiving) { drop(begun) }
    let budget = incoming[index].budget
    incoming[index] = SignalReassembly()
    incoming[index].budget = budget
  }

  /// Whether a message on this connection may be processed: neither its peer nor all of them together have
  /// written too much.
  mutating func mayAct(_ index: Int) -> Bool {
    budget.allows(SignalBudget.limit, pace: SignalBudget.pace, at: askedAt) && isInBudget(index)
  }

  /// Whether a code of ours may be read on this connection: each one that is served is logged.
  mutating func mayServe(_ index: Int) -> Bool {
    servedBudget.allows(SignalBudget.limit, pace: SignalBudget.pace, at: askedAt)
      && accounts.allows(incoming[index].account, at: askedAt)
  }

  /// Whether the peer of a connection has not written too much.
  mutating func isInBudget(_ index: Int) -> Bool {
    guard accounts.allows(incoming[index].account, at: askedAt) else { return false }
    return incoming[index].isRead
      || incoming[index].budget.allows(
        SignalBudget.connectionLimit, pace: SignalBudget.connectionPace, at: askedAt)
  }

  /// Charges the account of the peer of a connection.
  @inline(never)
  mutating func charge(_ bytes: Int, _ index: Int) {
    let whole = bytes &+ Int(incoming[index].remainder)
    accounts.spend(units: whole &>> 4, incoming[index].account)
    incoming[index].remainder = UInt8(truncatingIfNeeded: whole & 15)
  }

  /// Charges this many bytes of log for a code that was read.
  mutating func spendServed(_ bytes: Int, _ index: Int) {
    servedBudget.spend(UInt32(truncatingIfNeeded: bytes))
    charge(bytes, index)
  }

  /// Whether another code of an advertisement may be logged: two a second (62 bytes) permanently, and 79 (2
  /// KiB) at once. In a crowd each peer has a new one every quarter of an hour.
  mutating func mayHear(at now: Instant) -> Bool {
    receivedBudget.allows(SignalBudget.connectionLimit, pace: SignalBudget.receivedPace, at: now)
  }

  /// Charges this many bytes of log for a message.
  mutating func spend(_ bytes: Int, _ index: Int) {
    budget.spend(UInt32(truncatingIfNeeded: bytes))
    if !incoming[index].isRead { incoming[index].budget.spend(UInt32(truncatingIfNeeded: bytes)) }
    charge(bytes, index)
  }

  /// The same for a record with this many further bytes: an eighth more, as what does not fit at the end of a
  /// page goes to the next.
  mutating func spendBytes(_ count: Int, _ index: Int) { spend(8 &+ count &+ count &>> 3, index) }
}

extension ServedValues {
  /// Stores a part of a value that a peer prepares, in a buffer of the pool.
  public mutating func prepare(_ part: Span<UInt8>, at offset: Int, on connection: ConnectionID) -> Bool {
    let index = connection.index
    guard index >= 0, index < connections else { return false }
    incoming[index].lastPart = askedAt.milliseconds.low32
    let buffer =
      offset == 0 ? pool.claimForWriting(connection, .preparing) : pool.find(connection, .preparing)
    guard let buffer else {
      withoutBuffer &+= 1
      return false
    }
    return pool.buffers[buffer].put(part, at: offset)
  }

  /// Processes the prepared value, as `write` does others. A message stays in its buffer.
  public mutating func writePrepared(_ tag: AttributeTag, on connection: ConnectionID) -> ATTErrorCode? {
    guard let buffer = pool.find(connection, .preparing) else { return .unlikelyError }
    switch tag {
    case .legacyPayload: return collectLegacyPrepared(buffer, connection.index)
    case .signal, .otherSignal: collectPrepared(buffer, tag, connection.index)
    default: return pool.buffers[buffer].write(tag, to: &services)
    }
    return nil
  }

  /// A peer whose payload was read takes precedence over an unknown one, which may connect repeatedly to hold
  /// the queue.
  public mutating func precedes(_ connection: ConnectionID, _ other: ConnectionID) -> Bool {
    guard connection.index >= 0, connection.index < connections, other.index >= 0, other.index < connections
    else { return false }
    return incoming[connection.index].isRead && !incoming[other.index].isRead
  }

  /// Frees the buffer of the prepared value, if it is still in use for that.
  public mutating func cancelPrepared(on connection: ConnectionID) {
    if let buffer = pool.find(connection, .preparing) { pool.buffers[buffer].use = .free }
  }
}

/// The state of a message, by its bytes so far.
enum SignalProgress: BitwiseCopyable {
  /// Bytes are missing.
  case unfinished
  /// No message begins like this, or it is too long.
  case malformed
  /// A complete message; the RSSI is 0 if it has none.
  case whole(SignalMessage.Kind, rssi: Int16)

  init(_ bytes: Span<UInt8>) {
    self = .malformed
    guard let need = SignalMessage.length(startingWith: bytes) else {
      self = .unfinished
      return
    }
    guard need > 0, bytes.count <= need, let kind = SignalMessage.Kind(rawValue: bytes[0]),
      need <= kind.headerLength &+ Payload.maximumLength
    else { return }
    if bytes.count < need {
      self = .unfinished
    } else if let message = SignalMessage(bytes) {
      self = .whole(kind, rssi: message.rssi)
    }
  }
}

extension SignalMessage {
  /// The RSSI in a value that is a complete RSSI message.
  static func strength(_ value: Span<UInt8>) -> Int16? {
    guard let message = SignalMessage(value), message.kind == .rssi else { return nil }
    return message.rssi
  }
}

extension PayloadBuffer {
  /// The RSSI in it if it is a complete RSSI message.
  mutating func strength() -> Int16? { SignalMessage.strength(bytes.span.extracting(0..<Int(length))) }

  /// Passes it as a value to the additional services.
  mutating func write<Services: AdditionalServices>(_ tag: AttributeTag, to services: inout Services)
    -> ATTErrorCode?
  {
    services.write(tag, bytes.span.extracting(0..<Int(length)))
  }

  /// Evaluates the bytes of a message so far. The data of a complete one moves to the front and the rest is
  /// removed.
  mutating func openMessage() -> SignalProgress {
    let have = Int(length)
    let progress = SignalProgress(bytes.span.extracting(0..<have))
    guard case .whole(let kind, _) = progress else { return progress }
    let header = kind.headerLength
    var byte = header
    while byte < have {
      let moved = bytes[byte]
      bytes[byte &- header] = moved
      byte &+= 1
    }
    length = UInt16(truncatingIfNeeded: have &- header)
    return progress
  }
}
