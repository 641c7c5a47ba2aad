import HeraldHAL

// What the table keeps of a stranger: a peer of which nothing is known but its advertisements.

extension Target {
  /// Whether nothing is known of it but its advertisements, and what it wrote of strengths.
  @inlinable @inline(__always)
  var isStranger: Bool { payloadDigest == 0 }

  /// Which budget of strangers it counts for: 1 if it ever showed a Herald service, else 0.
  @inlinable
  var strangerKind: Int { showedService ? 1 : 0 }

  /// Whether nothing is known of it but advertisements of one second: it may be made up.
  @usableFromInline @inline(__always)
  var mayBeMadeUp: Bool { isStranger && writtenAt == 0 }

  /// What `writtenAt` of a stranger says when all of its allowance is used: after `readingsPerUnit` readings
  /// for each unit, those of the first second apart.
  @usableFromInline static var allowance: UInt8 { 255 }
  /// See `allowance`. A power of two.
  @usableFromInline static var readingsPerUnit: UInt32 { 4 }

  /// Whether another reading of this stranger is kept, `number` being how many readings of whomever there
  /// were before: about a thousand, then one in each period of 4,096 ms. Who sends ever so much under one
  /// identity fills no log.
  @usableFromInline
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
