/// Buffers of 512 bytes for payloads on their way: a peer's while it is read in pieces, or ours while a peer reads it in pieces
/// (every piece must be of the same payload).
///
/// A buffer belongs to one connection and one use. When none is free the claim fails: our reading of a peer is tried
/// again later, and a peer's request is answered with Insufficient Resources.
@usableFromInline
struct PayloadPool<let count: Int>: ~Copyable {
  /// What a buffer is used for.
  @usableFromInline
  enum Use: UInt8, BitwiseCopyable {
    case free = 0
    case reading = 1
    case serving = 2
  }

  @usableFromInline
  struct Buffer: BitwiseCopyable {
    @usableFromInline var bytes: [512 of UInt8]
    @usableFromInline var length: UInt16
    @usableFromInline var connection: UInt8
    @usableFromInline var use: Use
    @usableFromInline init() {
      bytes = .init(repeating: 0)
      length = 0
      connection = 0
      use = .free
    }
  }

  @usableFromInline var buffers: [count of Buffer]

  @usableFromInline
  init() { buffers = .init(repeating: Buffer()) }

  /// The buffer a connection has for a use.
  @inlinable
  func find(_ connection: ConnectionID, _ use: Use) -> Int? {
    var index = 0
    while index < count {
      if buffers[index].use == use, Int(buffers[index].connection) == connection.index { return index }
      index &+= 1
    }
    return nil
  }

  /// A buffer for a connection and a use: the one it has, or a free one; `nil` if there is none.
  @inlinable
  mutating func claim(_ connection: ConnectionID, _ use: Use) -> Int? {
    if let index = find(connection, use) { return index }
    var index = 0
    while index < count {
      if buffers[index].use == .free {
        buffers[index].use = use
        buffers[index].connection = UInt8(truncatingIfNeeded: connection.index)
        buffers[index].length = 0
        return index
      }
      index &+= 1
    }
    return nil
  }

  /// Gives up every buffer of a connection.
  @inlinable
  mutating func release(_ connection: ConnectionID) {
    var index = 0
    while index < count {
      if buffers[index].use != .free, Int(buffers[index].connection) == connection.index {
        buffers[index].use = .free
      }
      index &+= 1
    }
  }

  /// Gives up every buffer.
  @inlinable
  mutating func releaseAll() {
    var index = 0
    while index < count {
      buffers[index].use = .free
      index &+= 1
    }
  }

  /// Puts a piece of a value at its place; `false` if it would not fit or leaves a gap.
  @inlinable
  mutating func put(_ piece: Span<UInt8>, at offset: Int, in index: Int) -> Bool {
    guard offset >= 0, offset <= 512, offset <= Int(buffers[index].length), piece.count <= 512 &- offset
    else { return false }
    var byte = 0
    while byte < piece.count {
      buffers[index].bytes[offset &+ byte] = piece[byte]
      byte &+= 1
    }
    buffers[index].length = UInt16(truncatingIfNeeded: offset &+ piece.count)
    return true
  }
}
