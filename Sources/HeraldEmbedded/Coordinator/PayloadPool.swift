import HeraldBluetooth
import HeraldHAL

/// A buffer for one payload, or one signal message, in transfer.
struct PayloadBuffer: BitwiseCopyable {
  /// What a buffer is used for.
  enum Use: UInt8, BitwiseCopyable {
    case free = 0
    case reading = 1
    case serving = 2
    /// A message that a peer writes to us, as far as it was received.
    case receiving = 3
    /// A message that we write to a peer.
    case signalling = 4
    /// A message of the application that is being sent.
    case message = 5
    /// Our payload for peers without Herald.
    case servingLegacy = 6
    /// A prepared write of a peer, as far as it was received.
    case preparing = 7

    /// Whether it belongs to a request of a peer, not of this device.
    var isOfPeers: Bool {
      self == .serving || self == .servingLegacy || self == .receiving || self == .preparing
    }
  }

  /// Room for the longest message, which is longer than the longest value.
  var bytes: [516 of UInt8]
  var length: UInt16
  var connection: UInt8
  var use: Use

  init() {
    bytes = .init(repeating: 0)
    length = 0
    connection = 0
    use = .free
  }

  /// Copies a part of a value to its offset; `false` if it would not fit or leaves a gap.
  mutating func put(_ piece: Span<UInt8>, at offset: Int) -> Bool {
    guard offset >= 0, offset <= Int(length), piece.count <= 516 &- offset else { return false }
    var byte = 0
    while byte < piece.count {
      bytes[offset &+ byte] = piece[byte]
      byte &+= 1
    }
    length = UInt16(truncatingIfNeeded: offset &+ piece.count)
    return true
  }

  /// Fills it with our payload; `false` if there is none.
  mutating func fill<Supplier: PayloadSupplier & ~Copyable>(
    from supplier: inout Supplier, at unixSeconds: UInt64?, now: Instant, isLegacy: Bool
  ) -> Bool {
    var buffer = bytes.mutableSpan
    let count =
      isLegacy
      ? supplier.legacyPayload(at: unixSeconds, now: now, into: &buffer)
      : supplier.payload(at: unixSeconds, now: now, into: &buffer)
    guard count > 0, count <= Payload.maximumLength else { return false }
    length = UInt16(truncatingIfNeeded: count)
    return true
  }

  /// Serves it from `offset` on.
  mutating func read(from offset: Int, into buffer: inout MutableSpan<UInt8>) -> AttributeRead {
    .copying(bytes.span.extracting(0..<Int(length)), from: offset, into: &buffer)
  }

  /// Stores the payload in it for sharing, as that of the target at `slot`.
  mutating func keep<let capacity: Int>(
    in store: inout SharingStore, of slot: Int, in table: inout TargetTable<capacity>, at now: Instant
  ) {
    store.keep(bytes.span.extracting(0..<Int(length)), of: slot, in: &table, at: now)
  }

  /// Fills it with the message that shares payloads with the target at `slot`, with the RSSI at which it was
  /// last received (HP-42); `false` if that is not known or there is nothing to share.
  mutating func fill<let capacity: Int>(
    sharing store: inout SharingStore, for slot: Int, in table: inout TargetTable<capacity>, at now: Instant
  ) -> Bool {
    length = 0
    let rssi = table[slot].lastRSSI
    guard rssi.isAvailable else { return false }
    let header = SignalMessage.Kind.payloadSharing.headerLength
    var buffer = bytes.mutableSpan
    var data = buffer._mutatingExtracting(header..<ATTLimits.longestValue)
    let count = store.compose(for: slot, in: &table, at: now, into: &data)
    guard count > 0 else { return false }
    _ = SignalMessage.writeHeader(.payloadSharing, rssi: Int16(rssi.rawValue), length: count, to: &buffer)
    length = UInt16(truncatingIfNeeded: header &+ count)
    return true
  }

  /// The range of its contents.
  var all: Range<Int> {
    mutating get { 0..<Int(length) }
  }

  /// The digest of the payload in it.
  mutating func digest() -> UInt64 { digest(all) }

  /// The digest of the payload in a part of it.
  mutating func digest(_ range: Range<Int>) -> UInt64 { PayloadDigest.of(bytes.span.extracting(range)) }

  /// Logs a part of it beside a record; `false` if the log refuses it.
  mutating func record<F: Flash & ~Copyable, let dictionary: Int>(
    _ record: inout LogRecordFields, _ range: Range<Int>, in log: inout FlashLog<F, dictionary>,
    at now: Instant, clock: WallClock
  ) -> Bool {
    do throws(LogError) {
      try log.append(&record, bytes: bytes.span.extracting(range), at: now, clock: clock)
      return true
    } catch {
      return false
    }
  }

  /// Reports it to a delegate.
  mutating func report<Delegate: SensorDelegate & ~Copyable>(
    to delegate: inout Delegate, _ target: TargetIdentity, known: Bool, at now: Instant
  ) {
    report(to: &delegate, target, known: known, all, at: now)
  }

  /// Reports a part of it as a payload to a delegate.
  mutating func report<Delegate: SensorDelegate & ~Copyable>(
    to delegate: inout Delegate, _ target: TargetIdentity, known: Bool, _ range: Range<Int>, at now: Instant
  ) {
    delegate.didRead(target, bytes.span.extracting(range), known: known, at: now)
  }

  /// Reports it to a delegate as shared payloads.
  mutating func reportShared<Delegate: SensorDelegate & ~Copyable>(
    to delegate: inout Delegate, _ sharer: TargetIdentity, at now: Instant
  ) {
    delegate.didShare(sharer, bytes.span.extracting(0..<Int(length)), at: now)
  }

  /// Reports it to a delegate as a message to the application.
  mutating func reportMessage<Delegate: SensorDelegate & ~Copyable>(
    to delegate: inout Delegate, _ sender: TargetIdentity, at now: Instant
  ) {
    delegate.didReceive(sender, bytes.span.extracting(0..<Int(length)), at: now)
  }

  /// How many bytes from `start` on are the first payload (HP-42).
  mutating func lengthOfFirstPayload<Supplier: PayloadSupplier & ~Copyable>(
    from start: Int, by supplier: borrowing Supplier
  ) -> Int {
    supplier.lengthOfFirstPayload(inShared: bytes.span.extracting(start..<Int(length)))
  }
}

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
