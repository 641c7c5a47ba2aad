import HeraldBluetooth
import HeraldHAL

/// Buffers of 516 bytes for payloads and messages in transfer: a peer's payload while it is read in parts,
/// ours while a peer reads it in parts (every part must be of the same payload), signals in either direction,
/// and prepared writes of peers.
///
/// A buffer belongs to one connection and one use. When none is free, a claim for this device's own request
/// takes one from a peer that reads our payload, which is made again for the rest. Otherwise the claim fails:
/// this device's read is repeated later, and a peer's request gets the error Insufficient Resources, or
/// Prepare Queue Full. A second buffer for the peer of one connection is never the last free one.
struct PayloadPool<let count: Int>: ~Copyable {
  var buffers: [count of PayloadBuffer]

  init() { buffers = .init(repeating: PayloadBuffer()) }

  /// The buffer a connection has for a use.
  mutating func find(_ connection: ConnectionID, _ use: PayloadBuffer.Use) -> Int? {
    var index = 0
    while index < count {
      if buffers[index].use == use, Int(buffers[index].connection) == connection.index { return index }
      index &+= 1
    }
    return nil
  }

  /// A buffer for a connection and a use: the one it has, or a free one; `nil` if there is none.
  @inline(never)
  mutating func claim(_ connection: ConnectionID, _ use: PayloadBuffer.Use) -> Int? {
    if let index = find(connection, use) { return index }
    if !use.isOfPeers { _ = makeRoom() }
    guard let index = firstFree, !use.isOfPeers || !isOnlyFree(index) || !hasPeersBuffer(connection)
    else { return nil }
    buffers[index].use = use
    buffers[index].connection = UInt8(truncatingIfNeeded: connection.index)
    buffers[index].length = 0
    return index
  }

  /// Whether the peer of a connection has a buffer already.
  mutating func hasPeersBuffer(_ connection: ConnectionID) -> Bool {
    var index = 0
    while index < count {
      if buffers[index].use.isOfPeers, Int(buffers[index].connection) == connection.index { return true }
      index &+= 1
    }
    return false
  }

  /// Takes a buffer away from a peer that reads our payload, if no other is free; `false` if there is none.
  mutating func makeRoom() -> Bool {
    if firstFree != nil { return true }
    var index = 0
    while index < count {
      if buffers[index].use == .serving || buffers[index].use == .servingLegacy {
        buffers[index].use = .free
        return true
      }
      index &+= 1
    }
    return false
  }

  /// An unused buffer.
  var firstFree: Int? {
    mutating get {
      var index = 0
      while index < count {
        if buffers[index].use == .free { return index }
        index &+= 1
      }
      return nil
    }
  }

  mutating func isOnlyFree(_ only: Int) -> Bool {
    var index = 0
    while index < count {
      if index != only, buffers[index].use == .free { return false }
      index &+= 1
    }
    return true
  }

  /// The buffer a connection has for one use, reassigned to another; `nil` if it has none.
  mutating func convert(
    _ connection: ConnectionID, from use: PayloadBuffer.Use, to other: PayloadBuffer.Use
  ) -> Int? {
    guard let index = find(connection, use) else { return nil }
    buffers[index].use = other
    buffers[index].length = 0
    return index
  }

  /// A buffer for what the peer of a connection writes, or prepares to write: that of `claim`, else the one
  /// from which it reads our payload, which is made again if the peer continues to read.
  @inline(never)
  mutating func claimForWriting(_ connection: ConnectionID, _ use: PayloadBuffer.Use) -> Int? {
    claim(connection, use) ?? convert(connection, from: .serving, to: use)
  }

  /// Appends the contents of one buffer to those of another; `false` if they do not fit.
  mutating func append(_ source: Int, to target: Int) -> Bool {
    let end = Int(buffers[target].length)
    let count = Int(buffers[source].length)
    guard count <= 516 &- end else { return false }
    var byte = 0
    while byte < count {
      let copied = buffers[source].bytes[byte]
      buffers[target].bytes[end &+ byte] = copied
      byte &+= 1
    }
    buffers[target].length = UInt16(truncatingIfNeeded: end &+ count)
    return true
  }

  /// Releases every buffer of a connection.
  mutating func release(_ connection: ConnectionID) {
    var index = 0
    while index < count {
      if buffers[index].use != .free, Int(buffers[index].connection) == connection.index {
        buffers[index].use = .free
      }
      index &+= 1
    }
  }
}
