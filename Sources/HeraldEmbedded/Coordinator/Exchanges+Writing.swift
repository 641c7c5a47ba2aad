import HeraldBluetooth
import HeraldHAL

// Messages written to the signal characteristics of peers: how they are made, cut into pieces, and noted as
// done.

extension Exchanges {
  /// The longest request that is sent. A buffer for it lies on the stack.
  @inlinable
  static var longestRequest: Int { 128 }

  /// Makes the message a connection's task is about, unless that has begun already, and says how much of it
  /// goes next: all of it if one request holds it, or to an iPhone, which takes prepared writes; else 20
  /// bytes, which is how Android phones write and expect it. `false` if there is no such message; the
  /// exchange is over then.
  @inlinable
  mutating func prepareSignal(
    _ index: Int, _ serving: inout ServingType, _ peers: inout PeersType, _ context: inout Context
  ) -> Bool {
    if table[index].written == 0 {
      switch composeSignal(index, &serving, &peers, &context) {
      case .composed: break
      case .noBuffer:
        deferExchange(index, &serving, &peers, &context)
        return false
      case .nothingToSay:
        // A payload of 510 bytes is one too long for a message.
        if table[index].task == .writePayload { countRefusal(of: .writePayload, &context) }
        peers.noteDone(table[index].task, Int(table[index].place), &context)
        finish(index, &serving, &peers, &context)
        return false
      }
    }
    let length = serving.values.pool.buffers[Int(table[index].buffer) &- 1].length
    let mtu = serving.server.mtu(ConnectionID(index: index))
    let whole = (mtu < Self.longestRequest ? mtu : Self.longestRequest) &- 3
    if table[index].system == .iOS || Int(length) <= whole {
      table[index].piece = length
    } else {
      let left = length &- table[index].written
      table[index].piece = left < 20 ? left : 20
    }
    return true
  }

  /// Makes a message in a buffer.
  @inlinable
  mutating func composeSignal(
    _ index: Int, _ serving: inout ServingType, _ peers: inout PeersType, _ context: inout Context
  ) -> SignalComposition {
    let place = Int(table[index].place)
    let task = table[index].task
    if task == .sendMessage {
      guard let message = serving.values.pool.find(Outbox.connection, .message) else { return .nothingToSay }
      table[index].buffer = UInt8(truncatingIfNeeded: message &+ 1)
      return .composed
    }
    guard let buffer = claimBuffer(index, .signalling, &serving) else { return .noBuffer }
    let rssi = Int16(peers.table[place].lastRSSI.rawValue)
    var isComposed = false
    switch task {
    case .writePayload:
      isComposed = serving.values.composePayload(in: buffer)
    case .writeRSSI:
      isComposed = serving.values.pool.buffers[buffer].compose(.rssi, rssi: rssi)
    case .share:
      isComposed = serving.values.pool.buffers[buffer].fill(
        sharing: &peers.sharing, for: place, in: &peers.table, at: context.now)
    default: break
    }
    if !isComposed {
      freeBuffer(index, &serving)
      return .nothingToSay
    }
    return .composed
  }

  /// A piece of a message was written: whether there is another.
  @inlinable
  mutating func isMoreToWrite(_ index: Int, _ serving: inout ServingType) -> Bool {
    let buffer = Int(table[index].buffer) &- 1
    guard buffer >= 0 else { return false }
    table[index].written &+= table[index].piece
    return table[index].written < serving.values.pool.buffers[buffer].length
  }

  /// A whole message was written.
  @inlinable
  mutating func noteWritten(
    _ index: Int, _ serving: inout ServingType, _ peers: inout PeersType, _ context: inout Context
  ) {
    let task = table[index].task
    context.sink.count(task == .sendMessage ? .messagesSent : .signalsSent)
    // An Android phone begins a new message only after a payload or on a new connection; it would take
    // anything else for the continuation of what it has.
    if table[index].system != .iOS, task != .writePayload { table[index].isSpent = true }
    table[index].written = 0
    freeBuffer(index, &serving)
    peers.noteDone(task, Int(table[index].place), &context)
  }

  /// A peer refused a message, has no characteristic for it, or it does not fit.
  @inlinable
  mutating func countRefusal(of task: PeerTask, _ context: inout Context) {
    context.sink.count(.signalsRefused)
    if task == .sendMessage { context.sink.count(.messagesLost) }
  }
}

/// How the making of a message ended.
@usableFromInline
enum SignalComposition: UInt8, BitwiseCopyable {
  /// It is in the connection's buffer.
  case composed
  /// No buffer was free.
  case noBuffer
  /// There is nothing to write.
  case nothingToSay
}

extension ServedValues {
  /// Makes a message of our payload in a buffer.
  @inlinable
  mutating func composePayload(in buffer: Int) -> Bool {
    pool.buffers[buffer].composePayload(from: &supplier, at: rotatedUnixSeconds, now: rotatedAt)
  }
}

extension PayloadBuffer {
  /// Makes a message without data in it.
  @usableFromInline
  mutating func compose(_ kind: SignalMessage.Kind, rssi: Int16) -> Bool {
    var buffer = bytes.mutableSpan
    let count = SignalMessage.writeHeader(kind, rssi: rssi, to: &buffer)
    length = UInt16(truncatingIfNeeded: count)
    return count > 0
  }

  /// Makes a message of our payload in it; `false` if there is none, or none that fits into an attribute.
  @inlinable
  mutating func composePayload<Supplier: PayloadSupplier & ~Copyable>(
    from supplier: inout Supplier, at unixSeconds: UInt64?, now: Instant
  ) -> Bool {
    let head = SignalMessage.Kind.payload.headerLength
    var buffer = bytes.mutableSpan
    var body = buffer._mutatingExtracting(head..<ATTLimits.longestValue)
    let count = supplier.payload(at: unixSeconds, now: now, into: &body)
    guard count > 0, count <= Payload.maximumLength, head &+ count <= ATTLimits.longestValue else {
      return false
    }
    guard SignalMessage.writeHeader(.payload, length: count, to: &buffer) == head else { return false }
    length = UInt16(truncatingIfNeeded: head &+ count)
    return true
  }

  /// Makes a message of the application's bytes in it; `false` if they are too many for an attribute.
  @usableFromInline
  mutating func composeMessage(_ message: Span<UInt8>) -> Bool {
    let head = SignalMessage.Kind.immediate.headerLength
    guard message.count <= ATTLimits.longestValue &- head else { return false }
    var buffer = bytes.mutableSpan
    guard SignalMessage.writeHeader(.immediate, length: message.count, to: &buffer) == head else {
      return false
    }
    var index = 0
    while index < message.count {
      bytes[head &+ index] = message[index]
      index &+= 1
    }
    length = UInt16(truncatingIfNeeded: head &+ message.count)
    return true
  }

  /// Writes a client's next request, which carries some of these bytes if it is a write.
  @usableFromInline
  mutating func request(
    of client: inout GATTClient, from offset: Int, count: Int, into buffer: inout MutableSpan<UInt8>,
    mtu: Int,
    at now: Instant
  ) -> Int {
    guard offset >= 0, count >= 0, offset &+ count <= Int(length) else { return 0 }
    let value = bytes.span.extracting(offset..<(offset &+ count))
    return client.nextRequest(into: &buffer, mtu: mtu, value: value, at: now)
  }

  /// Reports a peer's model to a delegate.
  @inlinable
  mutating func reportModel<Delegate: SensorDelegate & ~Copyable>(
    to delegate: inout Delegate, _ target: TargetIdentity, at now: Instant
  ) {
    delegate.didReadModel(target, bytes.span.extracting(0..<Int(length)), at: now)
  }
}
