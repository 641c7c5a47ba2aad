import HeraldBluetooth
import HeraldHAL

// Signal messages in a buffer of the pool.

extension PayloadBuffer {
  /// Makes a message without data in the buffer.
  mutating func compose(_ kind: SignalMessage.Kind, rssi: Int16) -> Bool {
    var buffer = bytes.mutableSpan
    let count = SignalMessage.writeHeader(kind, rssi: rssi, to: &buffer)
    length = UInt16(truncatingIfNeeded: count)
    return count > 0
  }

  /// Makes a message of our payload in the buffer; `false` if there is none, or none that fits into an
  /// attribute.
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

  /// Writes a message with the application's bytes to the buffer; `false` if it exceeds the maximum length of
  /// an attribute value.
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
  mutating func reportModel<Delegate: SensorDelegate & ~Copyable>(
    to delegate: inout Delegate, _ target: TargetIdentity, at now: Instant
  ) {
    delegate.didReadModel(target, bytes.span.extracting(0..<Int(length)), at: now)
  }
}
