import HeraldHAL

/// The prepared write of one connection, until it is executed or cancelled: one value, whose bytes
/// `AttributeValues` stores. Zero bits when free.
///
/// There is one value in a queue. More at once would be a Reliable Write, which a characteristic has to allow
/// in its extended properties (Vol 3, Part G, 4.9.5), and no characteristic here does: a second one gets
/// Prepare Queue Full, and the first stays.
struct PreparedWriteQueue: BitwiseCopyable, Sendable {
  /// When the first part was received, and the last: units of 64 ms, their lower 16 bits.
  var begunAt: UInt16
  /// See `begunAt`.
  var lastUse: UInt16
  /// Number of the owning connection + 1; 0 when free.
  private var ownerNumber: UInt16
  /// The attribute; 0 before the first part.
  private(set) var handle: UInt16
  /// How many bytes the value has so far.
  var count: UInt16
  /// The first of them.
  var first: UInt8
  /// Whether a part did not start where the one before it ended.
  var hasGap: Bool

  /// An unused queue.
  init() {
    begunAt = 0
    lastUse = 0
    ownerNumber = 0
    handle = 0
    count = 0
    first = 0
    hasGap = false
  }

  /// A queue for this connection from `now` on, for a value of this attribute.
  init(of connection: ConnectionID, for handle: UInt16, at now: Instant) {
    self.init()
    begunAt = Self.units(now)
    ownerNumber = UInt16(truncatingIfNeeded: connection.index &+ 1)
    self.handle = handle
  }

  /// The connection that uses it; `nil` if none does.
  var owner: ConnectionID? { ownerNumber == 0 ? nil : ConnectionID(index: Int(ownerNumber) &- 1) }

  static func units(_ now: Instant) -> UInt16 { UInt16(truncatingIfNeeded: (now.milliseconds &>> 6).low32) }

  /// Whether it may be assigned to another connection: no part was received for 2 s, or it was begun 10 s
  /// ago. A phone that writes 512 bytes, 18 at a time, sends a part every 60 ms and finishes within 2 s.
  func isStale(at now: Instant) -> Bool {
    let time = Self.units(now)
    return time &- lastUse >= 2000 / 64 || time &- begunAt >= 10_000 / 64
  }

  /// Accepts a part, whose bytes are stored if it starts where the one before it ended; `false`, changing
  /// nothing, if it belongs to another value, or there is no room.
  mutating func append<Values: AttributeValues & ~Copyable>(
    _ part: Span<UInt8>, of handle: UInt16, at offset: UInt16, _ now: Instant, _ connection: ConnectionID,
    _ values: inout Values
  ) -> Bool {
    guard handle == self.handle, offset > 0 || count == 0 else { return false }
    if offset != count {
      // The value will not be executed: no further bytes are needed.
      hasGap = true
    } else if values.prepare(part, at: Int(offset), on: connection) {
      if count == 0, part.count > 0 { first = part[unchecked: 0] }
      count &+= UInt16(truncatingIfNeeded: part.count)
    } else {
      return false
    }
    lastUse = Self.units(now)
    return true
  }
}

extension MutableSpan where Element == PreparedWriteQueue {
  /// The index of this connection's queue; `count` if it has none.
  func queue(of connection: ConnectionID) -> Int {
    var index = 0
    while index < count, self[unchecked: index].owner != connection { index &+= 1 }
    return index
  }

  /// The index of a queue for a connection that begins a prepared write: a free one, else one whose owner is
  /// slow, or has lower precedence; `count` if there is none.
  func vacantQueue<Values: AttributeValues & ~Copyable>(
    at now: Instant, for connection: ConnectionID, _ values: inout Values
  ) -> Int {
    var index = 0
    while index < count, self[unchecked: index].owner != nil { index &+= 1 }
    if index == count {
      index = 0
      while index < count, !self[unchecked: index].isStale(at: now),
        !values.precedes(connection, self[unchecked: index].owner ?? connection)
      { index &+= 1 }
    }
    return index
  }
}
