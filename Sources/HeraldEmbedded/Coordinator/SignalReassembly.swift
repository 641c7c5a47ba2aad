/// What a peer is writing to us on one connection. Zero bits when that is nothing.
///
/// Messages come in three ways: as one value; in parts, each a value of its own, at most 20 bytes with Android phones; as prepared
/// writes, which the attribute server joins to one value. The bytes of a message lie in a buffer of the pool from its first part until it has
/// been acted upon; those of a strength need none if they come at once. What was begun is dropped, and counted, when it cannot become
/// a message, when it goes on at the other characteristic, when nothing comes for half a minute, and with its connection.
@usableFromInline
struct SignalReassembly: BitwiseCopyable {
  /// The code of the message that is here as a whole, to be acted upon now; 0 for none.
  @usableFromInline var complete: UInt8
  /// To which characteristic its parts are written.
  @usableFromInline var tag: UInt8
  /// The strength it carries.
  @usableFromInline var rssi: Int16
  /// When the last part came: milliseconds, their lower 32 bits.
  @usableFromInline var lastPart: UInt32
  /// What this connection may write.
  @usableFromInline var budget: SignalBudget

  @usableFromInline
  init() {
    complete = 0
    tag = 0
    rssi = 0
    lastPart = 0
    budget = SignalBudget()
  }

  /// How long a peer may take from one part to the next.
  @usableFromInline static var patience: UInt32 { 30_000 }
}

extension ServedValues where Supplier: ~Copyable {
  /// Takes a value written to a signal characteristic: a whole message, or the next part of one. When the message is whole
  /// `incoming` says so, and its data are in the connection's buffer.
  @inlinable
  mutating func collect(
    _ value: Span<UInt8>, _ tag: AttributeTag, on connection: ConnectionID
  ) -> ATTErrorCode? {
    let index = connection.index
    guard index >= 0, index < connections else { return .insufficientResources }
    if value.count == 0 {
      wakes &+= 1
      return nil
    }
    // Several values of one Execute Write: the first whole message is the only one.
    guard incoming[index].complete == 0 else {
      malformed &+= 1
      return nil
    }
    dropStalled(index)
    if let begun = pool.find(connection, .hearing) {
      if incoming[index].tag == tag.rawValue {
        append(value, to: begun, index)
        return nil
      }
      drop(begun)
    }
    return begin(value, tag, index)
  }

  /// Takes a payload written to a legacy characteristic: what a message of a payload would hold (HP-38).
  @inlinable
  mutating func collectLegacy(_ value: Span<UInt8>, on connection: ConnectionID) -> ATTErrorCode? {
    let index = connection.index
    guard value.count > 0, value.count <= Payload.maximumLength else { return .invalidAttributeValueLength }
    guard index >= 0, index < connections, incoming[index].complete == 0 else {
      return .insufficientResources
    }
    if let begun = pool.find(connection, .hearing) { drop(begun) }
    guard
      let buffer = pool.claim(connection, .hearing) ?? pool.convert(connection, from: .serving, to: .hearing),
      pool.buffers[buffer].put(value, at: 0)
    else { return .insufficientResources }
    incoming[index].complete = SignalMessage.Kind.payload.rawValue
    return nil
  }

  /// Takes the first part of a message.
  @inlinable
  mutating func begin(_ value: Span<UInt8>, _ tag: AttributeTag, _ index: Int) -> ATTErrorCode? {
    if let message = SignalMessage(value), message.kind == .rssi {
      incoming[index].rssi = message.rssi
      incoming[index].complete = message.kind.rawValue
      return nil
    }
    let connection = ConnectionID(index: index)
    // Our payload is made again if the peer goes on reading it.
    guard
      let buffer = pool.claim(connection, .hearing) ?? pool.convert(connection, from: .serving, to: .hearing)
    else {
      withoutBuffer &+= 1
      return .insufficientResources
    }
    incoming[index].tag = tag.rawValue
    append(value, to: buffer, index)
    return nil
  }

  /// Puts a part behind those that are there.
  @inlinable
  mutating func append(_ value: Span<UInt8>, to buffer: Int, _ index: Int) {
    incoming[index].lastPart = askedAt.milliseconds.low32
    guard pool.buffers[buffer].put(value, at: Int(pool.buffers[buffer].length)) else {
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

  /// Drops what will not become a message.
  @inlinable
  mutating func drop(_ buffer: Int) {
    malformed &+= 1
    pool.buffers[buffer].use = .free
  }

  /// Drops what a peer has begun on a connection and has not gone on with for too long.
  @inlinable
  mutating func dropStalled(_ index: Int) {
    guard askedAt.milliseconds.low32 &- incoming[index].lastPart > SignalReassembly.patience else { return }
    if let begun = pool.find(ConnectionID(index: index), .hearing) { drop(begun) }
  }

  /// Drops what any peer has begun and has not gone on with for too long.
  @inlinable
  mutating func dropStalled(at now: Instant) {
    askedAt = now
    var index = 0
    while index < connections {
      dropStalled(index)
      index &+= 1
    }
  }

  /// The message that was whole has been acted upon.
  @inlinable
  mutating func endMessage(_ index: Int) {
    incoming[index].complete = 0
    if let buffer = pool.find(ConnectionID(index: index), .hearing) { pool.buffers[buffer].use = .free }
  }

  /// A connection is gone, and with it what was begun on it.
  @inlinable
  mutating func endSignals(_ index: Int) {
    if let begun = pool.find(ConnectionID(index: index), .hearing) { drop(begun) }
    incoming[index] = SignalReassembly()
  }

  /// Whether a message on this connection may be acted upon: neither it nor all of them together have written too much.
  @inlinable
  mutating func mayAct(_ index: Int) -> Bool {
    let isAllowed = budget.allows(SignalBudget.limit, pace: SignalBudget.pace, at: askedAt)
    return incoming[index].budget.allows(
      SignalBudget.connectionLimit, pace: SignalBudget.connectionPace, at: askedAt) && isAllowed
  }

  /// Whether a code of ours may be read on this connection: what is given away is logged.
  @inlinable
  mutating func mayServe(_ index: Int) -> Bool {
    let isAllowed = servedBudget.allows(SignalBudget.limit, pace: SignalBudget.pace, at: askedAt)
    return incoming[index].budget.allows(
      SignalBudget.connectionLimit, pace: SignalBudget.connectionPace, at: askedAt) && isAllowed
  }

  /// Notes what a code that was read brings to the log: so many bytes.
  @inlinable
  mutating func spendServed(_ bytes: Int, _ index: Int) {
    servedBudget.spend(bytes)
    incoming[index].budget.spend(bytes)
  }

  /// Whether another code of an advertisement may be logged: two a second (62 bytes) for as long as they like, and 79 (2 KiB) at once.
  /// In a crowd each peer has a new one every quarter of an hour.
  @inlinable
  mutating func mayHear(at now: Instant) -> Bool {
    heardBudget.allows(SignalBudget.connectionLimit, pace: SignalBudget.connectionPace, at: now)
  }

  /// Notes what a message brings to the log: so many bytes.
  @inlinable
  mutating func spend(_ bytes: Int, _ index: Int) {
    budget.spend(bytes)
    incoming[index].budget.spend(bytes)
  }

  /// The same for a record with so many bytes beside: an eighth more, as what does not fit at the end of a page goes to the next.
  @inlinable
  mutating func spendBytes(_ count: Int, _ index: Int) { spend(8 &+ count &+ count &>> 3, index) }
}

/// What the bytes of a message so far are.
@usableFromInline
enum SignalProgress: BitwiseCopyable {
  /// Some are missing.
  case unfinished
  /// No message begins like this, or it is too long.
  case malformed
  /// All of a message; the strength is 0 if it carries none.
  case whole(SignalMessage.Kind, rssi: Int16)

  @usableFromInline
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

extension PayloadBuffer {
  /// Looks at the bytes of a message so far. Of a whole one the data move to the front and all else goes.
  @usableFromInline
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
