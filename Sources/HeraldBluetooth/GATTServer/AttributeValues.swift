/// Supplies and accepts the values of a table's dynamic attributes.
public protocol AttributeValues: ~Copyable {
  /// Copies the bytes of the value from `offset` on into `buffer`, as many as fit, and returns the length of
  /// the *whole* value, 0…512. At or past the end nothing is copied; the server then returns Invalid Offset,
  /// by the length.
  ///
  /// A value is read in parts: first with `offset` 0, then from the end of each part. All parts of one
  /// exchange must be of one value: an implementation that generates values keeps, per connection, the one
  /// generated at `offset` 0 until the next read at 0 of that attribute or the end of the connection.
  mutating func read(
    _ tag: AttributeTag, offset: Int, into buffer: inout MutableSpan<UInt8>, on connection: ConnectionID
  ) -> AttributeRead

  /// Accepts a whole value, at most as long as the record permits: of one Write Request or Write Command.
  /// Returns `nil`, or the error with which the value is refused, which is not sent for a Write Command.
  mutating func write(
    _ tag: AttributeTag, _ value: Span<UInt8>, withResponse: Bool, on connection: ConnectionID
  ) -> ATTErrorCode?

  // MARK: Prepared writes

  /// Keeps a part of a value that a peer prepares to write, `offset` bytes behind its beginning: for one
  /// connection after the other, first that at 0, then each where the one before it ended. `false`, keeping
  /// the parts before it, if there is no room, or if these were discarded because nothing was received for 30
  /// s: the peer receives the error Prepare Queue Full. A value has at most 512 bytes, or is refused.
  mutating func prepare(_ part: Span<UInt8>, at offset: Int, on connection: ConnectionID) -> Bool

  /// Writes the prepared value, as `write` does with response. `.unlikelyError` if it was discarded.
  mutating func writePrepared(_ tag: AttributeTag, on connection: ConnectionID) -> ATTErrorCode?

  /// Discards the prepared value, if there is one.
  mutating func cancelPrepared(on connection: ConnectionID)

  /// Whether a connection that begins to prepare a value may displace another one that has begun already.
  mutating func precedes(_ connection: ConnectionID, _ other: ConnectionID) -> Bool
}

/// Defaults for a type that accepts no prepared writes.
extension AttributeValues where Self: ~Copyable {
  /// There is no room.
  public mutating func prepare(_ part: Span<UInt8>, at offset: Int, on connection: ConnectionID) -> Bool {
    false
  }
  public mutating func writePrepared(_ tag: AttributeTag, on connection: ConnectionID) -> ATTErrorCode? {
    .unlikelyError
  }
  public mutating func cancelPrepared(on connection: ConnectionID) {}
  /// All connections have equal priority.
  public mutating func precedes(_ connection: ConnectionID, _ other: ConnectionID) -> Bool {
    false
  }
}

/// The result of reading a dynamic attribute.
public enum AttributeRead: Equatable, BitwiseCopyable, Sendable {
  /// The length of the whole value.
  case length(Int)
  /// The value cannot be read now.
  case failed(ATTErrorCode)

  /// Copies the part requested by `read` from a value that is in memory as a whole.
  public static func copying(_ value: Span<UInt8>, from offset: Int, into buffer: inout MutableSpan<UInt8>)
    -> AttributeRead
  {
    guard offset >= 0, offset < value.count else { return .length(value.count) }
    let end = offset &+ min(value.count &- offset, buffer.count)
    buffer.set(value.extracting(unchecked: Range(uncheckedBounds: (offset, end))), at: 0)
    return .length(value.count)
  }
}
