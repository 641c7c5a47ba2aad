/// Supplies and takes the values of a table's dynamic attributes.
public protocol AttributeValues: ~Copyable {
  /// Copies the bytes of the value from `offset` on into `buffer`, as many as fit, and returns the length of
  /// the *whole* value, 0…512. At or past the end nothing is copied; the server answers Invalid Offset by the
  /// length.
  ///
  /// A value is read in pieces: once with `offset` 0, then on from there. All pieces of one exchange must be
  /// of one value: an implementation that generates values keeps, per connection, the one made at `offset` 0
  /// until the next read at 0 of that attribute or the end of the connection.
  mutating func read(
    _ tag: AttributeTag, offset: Int, into buffer: inout MutableSpan<UInt8>, on connection: ConnectionID
  ) -> AttributeRead

  /// Takes a whole value, at most as long as the record says: of one Write Request or Write Command. Returns
  /// `nil`, or why the value is refused, which a Write Command's sender never learns.
  mutating func write(
    _ tag: AttributeTag, _ value: Span<UInt8>, withResponse: Bool, on connection: ConnectionID
  ) -> ATTErrorCode?

  // MARK: Prepared writes

  /// Keeps a part of a value that a peer prepares to write, `offset` bytes behind its beginning: for one
  /// connection after the other, first that at 0, then each where the one before it ended. `false`, keeping
  /// what it has, if there is no room, or if the parts before it are gone as nothing had come for 30 s: the
  /// peer receives the error Prepare Queue Full. A value has at most 512 bytes, or will be refused.
  mutating func prepare(_ part: Span<UInt8>, at offset: Int, on connection: ConnectionID) -> Bool

  /// Takes the value that was prepared, as `write` takes one with response. It may be gone, too:
  /// `.unlikelyError`.
  mutating func writePrepared(_ tag: AttributeTag, on connection: ConnectionID) -> ATTErrorCode?

  /// Gives up the value that was prepared, if one is left.
  mutating func cancelPrepared(on connection: ConnectionID)

  /// Whether a connection that begins to prepare a value may take the place of another one that does so
  /// already.
  mutating func precedes(_ connection: ConnectionID, _ other: ConnectionID) -> Bool
}

/// What a type says that takes no prepared writes.
extension AttributeValues where Self: ~Copyable {
  /// There is no room.
  @inlinable
  public mutating func prepare(_ part: Span<UInt8>, at offset: Int, on connection: ConnectionID) -> Bool {
    false
  }
  @inlinable
  public mutating func writePrepared(_ tag: AttributeTag, on connection: ConnectionID) -> ATTErrorCode? {
    .unlikelyError
  }
  @inlinable public mutating func cancelPrepared(on connection: ConnectionID) {}
  /// All connections have equal priority.
  @inlinable public mutating func precedes(_ connection: ConnectionID, _ other: ConnectionID) -> Bool {
    false
  }
}

/// The outcome of reading a dynamic attribute.
public enum AttributeRead: Equatable, BitwiseCopyable, Sendable {
  /// The length of the whole value.
  case length(Int)
  /// It cannot be read now.
  case failed(ATTErrorCode)

  /// Copies what `read` asks for out of a value that is in memory as a whole.
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
