import HeraldHAL

/// Reads CBOR (RFC 8949) from borrowed bytes, never past their end and never recursively.
///
/// Every reading method returns `nil` or `false` when the next item is of another kind, is malformed or is
/// incomplete, and then consumes nothing: `skip` distinguishes the first case from the others. All widths of
/// the integers are accepted, the shortest or not, and arrays and maps of indefinite length; strings of
/// indefinite length can be skipped but not read. Tags are skipped with their item and never interpreted.
public struct CBORReader: ~Escapable {
  let bytes: Span<UInt8>
  /// How many bytes have been consumed: 0…`bytes.count`.
  public private(set) var offset: Int

  /// How many containers may lie inside each other in an item that is skipped.
  public static var maximumDepth: Int { 16 }

  /// A reader at the first of `bytes`.
  @_lifetime(copy bytes)
  public init(_ bytes: Span<UInt8>) {
    self.bytes = bytes
    offset = 0
  }

  /// Whether all bytes have been consumed.
  public var isAtEnd: Bool { offset == bytes.count }

  /// The head of the next item, which stays unread; `nil` at the end and before malformed bytes.
  public var head: CBORHead? { head(at: offset) }

  @inline(never)
  private func head(at position: Int) -> CBORHead? {
    guard position < bytes.count else { return nil }
    let initial = bytes[unchecked: position]
    let major = initial &>> 5
    let info = initial & 31
    var argument = UInt64(wide: UInt32(info))
    var size = 1
    switch info {
    case 0...23: break
    case 24...27:
      let width = 1 &<< Int(info &- 24)
      size = 1 &+ width
      guard bytes.count &- position >= size else { return nil }
      argument = 0
      var index = 1
      while index < size {
        argument = (argument &<< 8) | UInt64(wide: UInt32(bytes[unchecked: position &+ index]))
        index &+= 1
      }
    case 31:
      guard major >= 2, major != 6 else { return nil }
      let kind: CBORKind = major == 7 ? .end : Self.kind(ofMajor: major)
      return CBORHead(kind: kind, argument: 0, isIndefinite: major != 7, size: 1)
    default: return nil
    }
    guard major == 7 else {
      return CBORHead(kind: Self.kind(ofMajor: major), argument: argument, isIndefinite: false, size: size)
    }
    // A simple value below 32 in two bytes is not well-formed (RFC 8949, section 3.3).
    if info == 24, argument < 32 { return nil }
    return CBORHead(kind: info > 24 ? .float : .simple, argument: argument, isIndefinite: false, size: size)
  }

  private static func kind(ofMajor major: UInt8) -> CBORKind {
    switch major {
    case 0: .unsigned
    case 1: .negative
    case 2: .bytes
    case 3: .text
    case 4: .array
    case 5: .map
    default: .tag
    }
  }

  /// The next item as an unsigned integer of any width.
  @_lifetime(self: copy self)
  public mutating func unsigned() -> UInt64? {
    guard let head, head.kind == .unsigned else { return nil }
    offset &+= head.size
    return head.argument
  }

  /// The next item as an unsigned integer below 2³².
  @inline(never)
  @_lifetime(self: copy self)
  public mutating func unsigned32() -> UInt32? {
    guard let head, head.kind == .unsigned, head.argument.high32 == 0 else { return nil }
    offset &+= head.size
    return head.argument.low32
  }

  /// The next item as an integer, −2⁶³…2⁶³−1.
  @_lifetime(self: copy self)
  public mutating func integer() -> Int64? {
    guard let head, head.argument.high32 < 0x8000_0000 else { return nil }
    let value = Int64(bitPattern: head.argument)
    switch head.kind {
    case .unsigned:
      offset &+= head.size
      return value
    case .negative:
      offset &+= head.size
      return ~value
    default: return nil
    }
  }

  /// The next item as false or true.
  @_lifetime(self: copy self)
  public mutating func boolean() -> Bool? {
    guard let head, head.kind == .simple, head.size == 1, head.argument == 20 || head.argument == 21 else {
      return nil
    }
    offset &+= 1
    return head.argument == 21
  }

  /// The next item as a text string of definite length, borrowed. Its UTF-8 is not checked.
  @_lifetime(copy self)
  public mutating func text() -> Span<UInt8>? { string(.text) }

  /// The next item as a byte string of definite length, borrowed.
  @_lifetime(copy self)
  public mutating func byteString() -> Span<UInt8>? { string(.bytes) }

  /// The next item as a string of a kind, `.text` or `.bytes`.
  @inline(never)
  @_lifetime(copy self)
  mutating func string(_ kind: CBORKind) -> Span<UInt8>? {
    guard let head, head.kind == kind, !head.isIndefinite else { return nil }
    let start = offset &+ head.size
    guard let count = bounded(head.argument, by: bytes.count &- start) else { return nil }
    offset = start &+ count
    return bytes.extracting(start..<offset)
  }

  /// `argument` as a count, unless it is more than `limit`.
  private func bounded(_ argument: UInt64, by limit: Int) -> Int? {
    guard argument.high32 == 0, argument.low32 <= 0x7FFF_FFFF else { return nil }
    let count = Int(argument.low32)
    return count <= limit ? count : nil
  }

  /// Enters an array: its elements come next, each after a `next(in:)` that returns `true`.
  @_lifetime(self: copy self)
  public mutating func array() -> CBORContainer? { container(.array) }

  /// Enters a map: its keys and values come next, each pair after a `next(in:)` that returns `true`.
  @_lifetime(self: copy self)
  public mutating func map() -> CBORContainer? { container(.map) }

  @inline(never)
  @_lifetime(self: copy self)
  private mutating func container(_ kind: CBORKind) -> CBORContainer? {
    guard let head, head.kind == kind else { return nil }
    // Every entry takes at least a byte, so a count beyond the buffer is invalid.
    guard let count = bounded(head.argument, by: bytes.count &- offset &- head.size) else { return nil }
    offset &+= head.size
    return CBORContainer(remaining: count, isIndefinite: head.isIndefinite)
  }

  /// Whether another element, or key and value, follows in `container`. Consumes the end of an indefinite
  /// one. The entry before must have been read or skipped whole.
  @inline(never)
  @_lifetime(self: copy self)
  public mutating func next(in container: inout CBORContainer) -> Bool {
    if container.isIndefinite {
      guard let head, head.kind == .end else { return true }
      offset &+= 1
      container.isIndefinite = false
      container.remaining = 0
      return false
    }
    guard container.remaining > 0 else { return false }
    container.remaining &-= 1
    return true
  }

  /// Skips the next item with all it contains; `false`, consuming nothing, if it is malformed, incomplete, or
  /// nested deeper than `maximumDepth`.
  @_lifetime(self: copy self)
  public mutating func skip() -> Bool {
    // How many items each open container still needs. Of the indefinite ones: `openArray`, or a map before a
    // key or a value.
    var lacking: [16 of UInt32] = .init(repeating: 0)
    let openArray = UInt32.max
    let openMapKey = UInt32.max &- 1
    let openMapValue = UInt32.max &- 2
    var depth = 0
    var position = offset
    var isTagged = false
    while true {
      guard let head = head(at: position) else { return false }
      position &+= head.size
      var opened: UInt32 = 0
      switch head.kind {
      case .unsigned, .negative, .simple, .float: break
      case .bytes, .text:
        guard let end = endOfString(head, at: position) else { return false }
        position = end
      case .tag:
        isTagged = true
        continue
      case .array where head.isIndefinite: opened = openArray
      case .map where head.isIndefinite: opened = openMapKey
      case .array, .map:
        guard let count = bounded(head.argument, by: bytes.count &- position) else { return false }
        opened = UInt32(truncatingIfNeeded: count) &* (head.kind == .map ? 2 : 1)
      case .end:
        guard depth > 0, !isTagged else { return false }
        let top = lacking[depth &- 1]
        guard top == openArray || top == openMapKey else { return false }
        depth &-= 1
      }
      isTagged = false
      if opened > 0 {
        guard depth < Self.maximumDepth else { return false }
        lacking[depth] = opened
        depth &+= 1
        continue
      }
      // An item is complete; so may be the containers it was the last of.
      while depth > 0 {
        let top = lacking[depth &- 1]
        if top == openArray { break }
        if top == openMapKey || top == openMapValue {
          lacking[depth &- 1] = top == openMapKey ? openMapValue : openMapKey
          break
        }
        lacking[depth &- 1] = top &- 1
        if top > 1 { break }
        depth &-= 1
      }
      if depth == 0 {
        offset = position
        return true
      }
    }
  }

  /// Where the string whose head ends at `start` ends, its chunks included.
  private func endOfString(_ head: CBORHead, at start: Int) -> Int? {
    guard head.isIndefinite else {
      guard let count = bounded(head.argument, by: bytes.count &- start) else { return nil }
      return start &+ count
    }
    var position = start
    while let chunk = self.head(at: position) {
      position &+= chunk.size
      if chunk.kind == .end { return position }
      guard chunk.kind == head.kind, !chunk.isIndefinite,
        let count = bounded(chunk.argument, by: bytes.count &- position)
      else { return nil }
      position &+= count
    }
    return nil
  }
}
