/// What one connection has prepared to write, until it is executed or cancelled: one value, whose bytes `AttributeValues` keeps. Zero bits when free.
///
/// There is one value in a queue. More at once would be a Reliable Write, which a characteristic has to allow in its extended properties (Vol 3, Part G,
/// 4.9.5), and none of ours does: a second one gets Prepare Queue Full, and the first stays.
@usableFromInline
struct PreparedWriteQueue: BitwiseCopyable, Sendable {
  /// Bits 0…31 of the time of the last part.
  @usableFromInline var lastUse: UInt32
  /// Number of the owning connection + 1; 0 when free.
  private var ownerNumber: UInt16
  /// The attribute; 0 before the first part.
  @usableFromInline private(set) var handle: UInt16
  /// How many bytes the value has so far.
  @usableFromInline var count: UInt16
  /// The first of them.
  @usableFromInline var first: UInt8
  /// Whether a part was not where the one before it ended.
  @usableFromInline var hasGap: Bool

  /// A queue nobody uses.
  @usableFromInline
  init() {
    lastUse = 0
    ownerNumber = 0
    handle = 0
    count = 0
    first = 0
    hasGap = false
  }

  /// A queue of this connection's, for a value of this attribute.
  @usableFromInline
  init(of connection: ConnectionID, for handle: UInt16) {
    self.init()
    ownerNumber = UInt16(truncatingIfNeeded: connection.index &+ 1)
    self.handle = handle
  }

  /// The connection that uses it; `nil` if nobody does.
  @usableFromInline
  var owner: ConnectionID? { ownerNumber == 0 ? nil : ConnectionID(index: Int(ownerNumber) &- 1) }

  /// Whether no part came for longer than a transaction may take.
  func isStale(at now: Instant) -> Bool {
    now.milliseconds.low32 &- lastUse >= ATTLimits.transactionTimeout.milliseconds
  }

  /// Takes a part, whose bytes are kept if it is where the one before it ended; `false`, changing nothing, if it is not one of the value, or there is no room.
  @inlinable
  mutating func append<Values: AttributeValues & ~Copyable>(
    _ part: Span<UInt8>, of handle: UInt16, at offset: UInt16, _ now: Instant, _ connection: ConnectionID,
    _ values: inout Values
  ) -> Bool {
    guard handle == self.handle, offset > 0 || count == 0 else { return false }
    if offset != count {
      // The value will not be executed: nothing more of it is needed.
      hasGap = true
    } else if values.prepare(part, at: Int(offset), on: connection) {
      if count == 0, part.count > 0 { first = part[unchecked: 0] }
      count &+= UInt16(truncatingIfNeeded: part.count)
    } else {
      return false
    }
    lastUse = now.milliseconds.low32
    return true
  }
}

extension MutableSpan where Element == PreparedWriteQueue {
  /// The place of this connection's queue; `count` if it has none.
  @usableFromInline
  func queue(of connection: ConnectionID) -> Int {
    var index = 0
    while index < count, self[unchecked: index].owner != connection { index &+= 1 }
    return index
  }

  /// The place of a queue for a connection that is to begin one: a free one, else one whose owner has let it lie for 30 s; `count` if there is
  /// none.
  @usableFromInline
  func vacantQueue(at now: Instant) -> Int {
    var index = 0
    while index < count, self[unchecked: index].owner != nil { index &+= 1 }
    if index == count {
      index = 0
      while index < count, !self[unchecked: index].isStale(at: now) { index &+= 1 }
    }
    return index
  }
}
