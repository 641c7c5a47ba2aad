/// Supplies and takes the values of a table's dynamic attributes.
public protocol AttributeValues: ~Copyable {
  /// Copies the bytes of the value from `offset` on into `buffer`, as many as fit, and returns the length of the *whole*
  /// value, 0…512. At or past the end nothing is copied; the server answers Invalid Offset by the length.
  ///
  /// A value is read in pieces: once with `offset` 0, then on from there. All pieces of one exchange must be of one
  /// value: whoever generates values keeps, per connection, the one made at `offset` 0 until the next read at 0 of that
  /// attribute or the end of the connection.
  mutating func read(
    _ tag: AttributeTag, offset: Int, into buffer: inout MutableSpan<UInt8>, on connection: ConnectionID
  ) -> AttributeRead

  /// Takes a whole value, at most as long as the record says: of one Write Request or Write Command, or joined from the prepared
  /// writes of one Execute Write (also a request, so `withResponse`). Returns `nil`, or why the value is refused, which
  /// a Write Command's sender never learns.
  mutating func write(
    _ tag: AttributeTag, _ value: Span<UInt8>, withResponse: Bool, on connection: ConnectionID
  ) -> ATTErrorCode?
}

/// The outcome of reading a dynamic attribute.
public enum AttributeRead: Equatable, BitwiseCopyable, Sendable {
  /// The length of the whole value.
  case length(Int)
  /// It cannot be read now.
  case failed(ATTErrorCode)

  /// Copies what `read` asks for out of a value that lies in memory as a whole.
  @inlinable
  public static func copying(_ value: Span<UInt8>, from offset: Int, into buffer: inout MutableSpan<UInt8>)
    -> AttributeRead
  {
    guard offset >= 0, offset < value.count else { return .length(value.count) }
    let count = min(value.count &- offset, buffer.count)
    var index = 0
    while index < count {
      buffer[unchecked: index] = value[unchecked: offset &+ index]
      index &+= 1
    }
    return .length(value.count)
  }
}
