/// The prepared writes of one connection, until they are executed or cancelled. Zero bits when free.
///
/// Each write is six bytes (handle, offset, length, little-endian) and its bytes; parts that continue the last write are joined
/// to it. There is room for one value of 512 bytes however it is cut, or for several small ones.
@usableFromInline
struct PreparedWriteQueue: BitwiseCopyable, Sendable {
  /// Number of the owning connection + 1; 0 when free. As wide as leaves no gap before `lastUse`: all of the queue is cleared at once.
  private var owner: UInt32
  /// How many of the bytes are in use.
  private var used: UInt16
  /// Where the last write begins.
  private var last: UInt16
  /// Bits 0…31 of the time of the last append.
  private var lastUse: UInt32
  private var bytes: [524 of UInt8]

  /// A queue nobody uses.
  @usableFromInline
  init() {
    owner = 0
    used = 0
    last = 0
    lastUse = 0
    bytes = .init(repeating: 0)
  }

  /// A write in a queue.
  @usableFromInline
  struct Write: BitwiseCopyable {
    @usableFromInline let handle: UInt16
    @usableFromInline let offset: UInt16
    /// Where its bytes are.
    let start: Int
    /// Where the next write begins.
    @usableFromInline let end: Int
    /// The offset at which a part would continue it.
    var continuation: Int { Int(offset) &+ end &- start }
  }

  /// Whether it is in use by this connection.
  @usableFromInline
  func isOwned(by connection: ConnectionID) -> Bool { Int(owner) == connection.index &+ 1 }

  /// Whether nobody uses it.
  var isFree: Bool { owner == 0 }

  /// Whether nothing was appended for longer than a transaction may take.
  func isStale(at now: Instant) -> Bool {
    now.milliseconds.low32 &- lastUse >= ATTLimits.transactionTimeout.milliseconds
  }

  /// Takes it into use, empty.
  mutating func claim(_ connection: ConnectionID) {
    owner = UInt32(truncatingIfNeeded: connection.index &+ 1)
    used = 0
    last = 0
  }

  // What touches the bytes is mutating: through a borrow the compiler copies all of them first.

  /// Empties and frees it, and overwrites what was in it.
  @usableFromInline
  mutating func release() {
    let end = Int(used)
    var bytes = bytes.mutableSpan
    var index = 0
    while index < end {
      bytes[index] = 0
      index &+= 1
    }
    owner = 0
    used = 0
    last = 0
  }

  /// Appends a part; `false`, changing nothing, if there is no room.
  mutating func append(_ part: Span<UInt8>, handle: UInt16, offset: UInt16, at now: Instant) -> Bool {
    lastUse = now.milliseconds.low32
    let previous = write(at: Int(last))
    var start = Int(used)
    var bytes = bytes.mutableSpan
    if let previous, previous.handle == handle, previous.continuation == Int(offset) {
      guard part.count <= bytes.count &- start else { return false }
      bytes.setU16(UInt16(truncatingIfNeeded: start &+ part.count &- previous.start), at: previous.start &- 2)
    } else {
      guard part.count <= bytes.count &- start &- 6 else { return false }
      last = used
      bytes.setU16(handle, at: start)
      bytes.setU16(offset, at: start &+ 2)
      bytes.setU16(UInt16(truncatingIfNeeded: part.count), at: start &+ 4)
      start &+= 6
    }
    bytes.set(part, at: start)
    used = UInt16(truncatingIfNeeded: start &+ part.count)
    return true
  }

  /// The write that begins at `place`; `nil` at the end.
  @usableFromInline
  @inline(never)
  mutating func write(at place: Int) -> Write? {
    guard place >= 0, place &+ 6 <= Int(used) else { return nil }
    let used = Int(used)
    let bytes = bytes.span
    let start = place &+ 6
    let end = start &+ Int(bytes.u16(at: place &+ 4))
    guard end <= used else { return nil }
    return Write(handle: bytes.u16(at: place), offset: bytes.u16(at: place &+ 2), start: start, end: end)
  }

  /// The bytes of a write.
  @usableFromInline
  @_lifetime(&self)
  mutating func value(of write: Write) -> Span<UInt8> { bytes.span.extracting(write.start..<write.end) }
}

extension MutableSpan where Element == PreparedWriteQueue {
  /// The place of this connection's queue; `count` if it has none.
  @usableFromInline
  func queue(of connection: ConnectionID) -> Int {
    var index = 0
    while index < count, !self[unchecked: index].isOwned(by: connection) { index &+= 1 }
    return index
  }

  /// The same, taking one for a connection that is to begin a new queue: a free one, else one whose owner has let it lie
  /// for 30 s; `count` if there is none.
  @_lifetime(self: copy self)
  mutating func queue(of connection: ConnectionID, isNew: Bool, at now: Instant) -> Int {
    let own = queue(of: connection)
    guard own == count, isNew else { return own }
    var index = 0
    while index < count, !self[unchecked: index].isFree { index &+= 1 }
    if index == count {
      index = 0
      while index < count, !self[unchecked: index].isStale(at: now) { index &+= 1 }
    }
    if index < count {
      self[unchecked: index].release()
      self[unchecked: index].claim(connection)
    }
    return index
  }
}
