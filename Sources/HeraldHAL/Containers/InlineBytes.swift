/// A byte string of at most `capacity` bytes, stored in place and copied by value.
///
/// What does not fit is refused as a whole, never cut. Two strings are equal when their bytes are, whatever
/// is in the unused rest.
public struct InlineBytes<let capacity: Int>: Equatable, Sendable {
  private var storage: [capacity of UInt8]
  /// How many bytes it holds: 0…`capacity`.
  public private(set) var count: Int

  /// An empty byte string.
  public init() {
    storage = .init(repeating: 0)
    count = 0
  }

  /// A copy of `bytes`, or `nil` if they are more than `capacity`.
  public init?(_ bytes: Span<UInt8>) {
    self.init()
    guard append(bytes) else { return nil }
  }

  /// Whether it holds no bytes.
  public var isEmpty: Bool { count == 0 }
  /// How many more bytes fit.
  public var remaining: Int { capacity &- count }

  /// The byte at `index`, or `nil` outside `0..<count`.
  public subscript(index: Int) -> UInt8? {
    guard index >= 0, index < count else { return nil }
    return storage[index]
  }

  /// The bytes, borrowed. `mutating` because a borrow of a stored array would copy the whole value (see
  /// docs/architecture.md).
  public var span: Span<UInt8> {
    @_lifetime(&self)
    mutating get { storage.span.extracting(0..<count) }
  }

  /// Appends one byte; `false`, changing nothing, when full.
  @discardableResult
  public mutating func append(_ byte: UInt8) -> Bool {
    guard count < capacity else { return false }
    storage[count] = byte
    count &+= 1
    return true
  }

  /// Appends all of `bytes`; `false`, changing nothing, if they do not fit.
  @discardableResult
  public mutating func append(_ bytes: Span<UInt8>) -> Bool {
    guard bytes.count <= remaining else { return false }
    for index in 0..<bytes.count { storage[count &+ index] = bytes[index] }
    count &+= bytes.count
    return true
  }

  /// Appends the UTF-8 bytes of a text constant; `false`, changing nothing, if they do not fit.
  @discardableResult
  public mutating func append(_ text: StaticString) -> Bool {
    let size = text.utf8CodeUnitCount
    guard text.hasPointerRepresentation, size <= remaining else { return false }
    let start = text.utf8Start
    for index in 0..<size { storage[count &+ index] = start[index] }
    count &+= size
    return true
  }

  /// Empties the string and overwrites its bytes with zeros.
  public mutating func removeAll() {
    storage = .init(repeating: 0)
    count = 0
  }

  /// Whether both hold the same bytes.
  public static func == (left: Self, right: Self) -> Bool {
    guard left.count == right.count else { return false }
    var index = 0
    while index < left.count {
      if left.storage[index] != right.storage[index] { return false }
      index &+= 1
    }
    return true
  }
}
