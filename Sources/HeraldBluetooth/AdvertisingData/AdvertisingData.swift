/// The structures of advertising data or a scan response, one after the other (Core Specification, Vol 3,
/// Part C, 11).
///
/// Each is a length byte L, a type byte and L − 1 bytes of data. A length of 0 ends the data early; a
/// structure that runs past the end is dropped and ends it too. There are no other errors.
///
/// ```swift
/// var structures = AdvertisingData(data)
/// while structures.next() { use(structures.type, structures.bytes) }
/// ```
public struct AdvertisingData: ~Escapable {
  let data: Span<UInt8>
  /// The position of the data of the current structure, and the position behind; both 0 before the first.
  public internal(set) var start: Int
  public internal(set) var end: Int
  /// The number of bytes behind the length byte of the next structure; −1 at the end.
  var room: Int
  var typeByte: UInt8

  /// The type of the current structure; 0 before the first.
  public var type: AdvertisingDataType { AdvertisingDataType(rawValue: typeByte) }

  /// In front of the first structure of `data`.
  @_lifetime(copy data)
  public init(_ data: Span<UInt8>) {
    self.data = data
    start = 0
    end = 0
    typeByte = 0
    room = data.count &- 1
  }

  /// Moves to the next structure; `false`, staying put, when there is none.
  @_lifetime(self: copy self)
  public mutating func next() -> Bool {
    guard room >= 0 else { return false }
    let count = Int(data[unchecked: end]) &- 1
    guard UInt(bitPattern: count) < UInt(bitPattern: room) else { return false }
    typeByte = data[unchecked: end &+ 1]
    start = end &+ 2
    end = start &+ count
    room = room &- count &- 2
    return true
  }

  /// Position of the data of the current structure; empty before the first.
  public var range: Range<Int> { Range(uncheckedBounds: (start, end)) }

  /// The data of the current structure; empty before the first.
  public var bytes: Span<UInt8> {
    @_lifetime(copy self) get { data.extracting(unchecked: Range(uncheckedBounds: (start, end))) }
  }
}
