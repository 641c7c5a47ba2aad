/// A request that is being processed; its response replaces it in the buffer.
///
/// Its methods are the requests of the protocol, and all their state is in it: one address is passed from
/// call to call instead of a dozen words, which took a fifth of the server's flash.
@usableFromInline
struct ATTRequest: ~Copyable, ~Escapable {
  /// The table.
  @usableFromInline let database: GATTDatabase
  /// The request, then the response; 23 bytes or more.
  @usableFromInline var buffer: MutableSpan<UInt8>
  /// The request's opcode.
  @usableFromInline let opcode: ATTOpcode
  /// How long the request is, 1…`buffer.count`.
  @usableFromInline let count: Int
  /// How long the response may be: ATT_MTU, or the buffer's length if that is less.
  @usableFromInline let limit: Int
  /// The connection it was received on.
  @usableFromInline let connection: ConnectionID
  /// That connection's state, which the caller copies back.
  @usableFromInline var state: ATTConnectionState
  /// The type in the request: its 128-bit UUID, or zero.
  @usableFromInline var longType: UUID128
  /// Its 16-bit UUID, or 0 if it has none.
  @usableFromInline var shortType: UInt16
  /// Which attribute an Error Response names: usually the first one in the request.
  @usableFromInline var subject: UInt16
  /// The attributes that the request is about, as far as they have not been processed: `index..<end`, inside
  /// the table.
  @usableFromInline var index: Int
  @usableFromInline var end: Int
  /// How long the response is so far.
  @usableFromInline var length: Int

  /// The request in the first `count` bytes of `buffer`, of which there is at least one.
  // Inlined: otherwise the whole request would be returned, and copied to where it is used.
  @inlinable @inline(__always)
  @_lifetime(copy database, copy buffer)
  init(
    _ buffer: consuming MutableSpan<UInt8>, count: Int, to database: GATTDatabase,
    _ state: ATTConnectionState, _ connection: ConnectionID
  ) {
    opcode = ATTOpcode(rawValue: buffer[unchecked: 0])
    limit = min(state.mtu, buffer.count)
    self.database = database
    self.buffer = buffer
    self.count = count
    self.connection = connection
    self.state = state
    longType = UUID128(0, 0)
    shortType = 0
    subject = 0
    index = 0
    end = 0
    length = 1
  }

  // Not inlined: many paths end with one of these two.

  /// Writes an Error Response (Vol 3, Part F, 3.4.1.1) and returns its length.
  @usableFromInline @inline(never)
  @_lifetime(self: copy self)
  mutating func refuse(_ handle: UInt16, _ code: ATTErrorCode) -> Int {
    buffer[unchecked: 0] = ATTOpcode.errorResponse.rawValue
    buffer[unchecked: 1] = opcode.rawValue
    buffer.setU16(handle, at: 2)
    buffer[unchecked: 4] = code.rawValue
    return 5
  }

  /// Completes the response, whose opcode is the request's plus one, and returns its length.
  @usableFromInline @inline(never)
  @_lifetime(self: copy self)
  mutating func answer(_ length: Int) -> Int {
    buffer[unchecked: 0] = opcode.rawValue &+ 1
    return length
  }

  /// Stores the handle range at offset 1 of a request of five bytes or more; `false` if it starts at 0 or
  /// ends before it starts (Vol 3, Part F, 3.4.3.1).
  @usableFromInline @inline(never)
  @_lifetime(self: copy self)
  mutating func takeRange() -> Bool {
    let last = buffer.u16(at: 3)
    index = Int(subject) &- 1
    end = min(Int(last), database.attributes.count)
    return subject != 0 && subject <= last
  }

  /// Stores the type in the request, the two or sixteen bytes at offset 5. A 128-bit form of a 16-bit UUID
  /// counts as that (Vol 3, Part F, 3.2.1).
  @usableFromInline
  @inline(never)
  @_lifetime(self: copy self)
  mutating func takeType(isLong: Bool) {
    guard isLong, let uuid = UUID128(onAir: buffer.span.extracting(unchecked: 5..<21)) else {
      shortType = buffer.u16(at: 5)
      return
    }
    if let alias = uuid.short {
      shortType = alias.rawValue
    } else {
      longType = uuid
    }
  }

  /// Whether the stored type is that of a service.
  @usableFromInline
  var isService: Bool {
    shortType == AttributeType.primaryService || shortType == AttributeType.secondaryService
  }

  /// Continues to the first attribute of the stored type at or behind `index`; to `end` if there is none.
  @usableFromInline @inline(never)
  @_lifetime(self: copy self)
  mutating func findNext() {
    while index < end {
      let record = database.attributes[unchecked: index]
      if record.flags.contains(.longType) {
        if shortType == 0, UUID128(onAir: database.longType(record)) == longType { break }
      } else if record.type == shortType, shortType != 0 {
        break
      }
      index &+= 1
    }
  }

  /// Appends two bytes to the response, little-endian. There must be room.
  @usableFromInline @inline(never)
  @_lifetime(self: copy self)
  mutating func append(_ number: UInt16) {
    buffer.setU16(number, at: length)
    length &+= 2
  }

  /// Appends bytes to the response. There must be room.
  @usableFromInline @inline(never)
  @_lifetime(self: copy self)
  mutating func append(_ bytes: Span<UInt8>) {
    buffer.set(bytes, at: length)
    length &+= bytes.count
  }
}
