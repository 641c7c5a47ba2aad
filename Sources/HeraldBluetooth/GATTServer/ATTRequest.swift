/// A request that is being processed; its response replaces it in the buffer.
///
/// Its methods are the requests of the protocol, and all their state is in it: one address is passed from
/// call to call instead of a dozen words, which took a fifth of the server's flash.
struct ATTRequest: ~Copyable, ~Escapable {
  /// The table.
  let database: GATTDatabase
  /// The request, then the response; 23 bytes or more.
  var buffer: MutableSpan<UInt8>
  /// The request's opcode.
  let opcode: ATTOpcode
  /// How long the request is, 1…`buffer.count`.
  let count: Int
  /// How long the response may be: ATT_MTU, or the buffer's length if that is less.
  let limit: Int
  /// The connection it was received on.
  let connection: ConnectionID
  /// The state of the connection, which the caller copies back.
  var state: ATTConnectionState
  /// The type in the request: its 128-bit UUID, or zero.
  var longType: UUID128
  /// The 16-bit UUID of the type, or 0 if it has none.
  var shortType: UInt16
  /// Which attribute an Error Response names: usually the first one in the request.
  var subject: UInt16
  /// The attributes that the request is about: `index..<end`, inside the table.
  var index: Int
  var end: Int
  /// How long the response is so far.
  var length: Int

  /// The request in the first `count` bytes of `buffer`, of which there is at least one.
  // Inlined: otherwise the whole request would be returned, and copied to where it is used.
  @inline(__always)
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

  /// Writes an Error Response (Vol 3, Part F, 3.4.1.1) and returns its length.
  @inline(never)
  @_lifetime(self: copy self)
  mutating func refuse(_ handle: UInt16, _ code: ATTErrorCode) -> Int {
    buffer[unchecked: 0] = ATTOpcode.errorResponse.rawValue
    buffer[unchecked: 1] = opcode.rawValue
    buffer.setU16(handle, at: 2)
    buffer[unchecked: 4] = code.rawValue
    return 5
  }

  /// Stores the handle range at offset 1 of a request of five bytes or more; `false` if it starts at 0 or
  /// ends before it starts (Vol 3, Part F, 3.4.3.1).
  @inline(never)
  @_lifetime(self: copy self)
  mutating func takeRange() -> Bool {
    let last = buffer.u16(at: 3)
    index = Int(subject) &- 1
    end = min(Int(last), database.attributes.count)
    return subject != 0 && subject <= last
  }

  /// Stores the type in the request, the two or sixteen bytes at offset 5. A 128-bit form of a 16-bit UUID
  /// counts as that (Vol 3, Part F, 3.2.1).
  @inline(never)
  @_lifetime(self: copy self)
  mutating func takeType(isLong: Bool) {
    guard isLong else {
      shortType = buffer.u16(at: 5)
      return
    }
    let uuid = buffer.span.uuid128(at: 5)
    if let alias = uuid.short {
      shortType = alias.rawValue
    } else {
      longType = uuid
    }
  }

  /// Whether the stored type is that of a service.
  var isService: Bool {
    shortType == AttributeType.primaryService || shortType == AttributeType.secondaryService
  }

  /// The first attribute of the stored type from `start` on; `end`, or `start` if that is behind it, if there
  /// is none.
  @inline(never)
  @_lifetime(self: copy self)
  mutating func next(from start: Int) -> Int {
    var index = start
    let (end, type) = (end, shortType)
    if type == 0 { return nextOfLongType(from: start) }
    while index < end {
      let record = database.attributes[unchecked: index]
      if record.type == type, !record.flags.contains(.longType) { break }
      index &+= 1
    }
    return index
  }

  /// The same for a 128-bit type.
  @_lifetime(self: copy self)
  mutating func nextOfLongType(from start: Int) -> Int {
    var index = start
    while index < end {
      let record = database.attributes[unchecked: index]
      if record.flags.contains(.longType) {
        let type = database.longType(record)
        if type.count == 16, type.uuid128(at: 0) == longType { break }
      }
      index &+= 1
    }
    return index
  }

  /// Appends two bytes to the response, little-endian. There must be room.
  @inline(never)
  @_lifetime(self: copy self)
  mutating func append(_ number: UInt16) {
    buffer.setU16(number, at: length)
    length &+= 2
  }

  /// Appends bytes to the response. There must be room.
  @inline(never)
  @_lifetime(self: copy self)
  mutating func append(_ bytes: Span<UInt8>) {
    buffer.set(bytes, at: length)
    length &+= bytes.count
  }
}
