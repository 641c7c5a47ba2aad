import HeraldHAL

// What the table stores of a stranger: a peer known only by its advertisements.

extension Target {
  /// Whether it is known only by its advertisements, and RSSI messages that it wrote.
  @inline(__always)
  var isStranger: Bool { payloadDigest == 0 }

  /// Which budget of strangers it belongs to: 1 if it ever showed a Herald service, else 0.
  var strangerKind: Int { showedService ? 1 : 0 }

  /// Whether only advertisements of one second are known: its address may be generated.
  @inline(__always)
  var mayBeMadeUp: Bool { isStranger && writtenAt == 0 }

  /// Whether this stranger was first received within this time, or a second before.
  func isNew(within time: Interval, at now: Instant) -> Bool {
    UInt32(now.seconds8 &- signalledAt) <= time.milliseconds / 1000 &+ 1
  }

  /// The value of `writtenAt` of a stranger whose allowance is used up: after `readingsPerUnit` readings for
  /// each unit, except those of the first second.
  static var allowance: UInt8 { 255 }
  /// See `allowance`. A power of two.
  static var readingsPerUnit: UInt32 { 4 }

  /// Whether another reading of this stranger is kept; `number` is how many readings of all peers there were
  /// before: about a thousand, then one in each period of 4,096 ms. Frequent advertisements under one
  /// identity do not fill the log.
  mutating func mayKeepReading(number: UInt32, at now: Instant) -> Bool {
    if readings == 0 { signalledAt = now.seconds8 }
    if writtenAt < Self.allowance {
      let isUsed = writtenAt == 0 ? signalledAt != now.seconds8 : number & (Self.readingsPerUnit &- 1) == 0
      if isUsed { writtenAt &+= 1 }
      return true
    }
    let period = UInt8(truncatingIfNeeded: now.milliseconds.low32 &>> 12)
    guard signalledAt != period else { return false }
    signalledAt = period
    return true
  }
}
