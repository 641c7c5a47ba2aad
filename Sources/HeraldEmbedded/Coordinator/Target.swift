import HeraldBluetooth
import HeraldHAL

/// What is known of one peer: 40 bytes, without its payload, of which only a digest is kept.
public struct Target: BitwiseCopyable, Sendable {
  /// How far the acquaintance has got.
  public enum State: UInt8, BitwiseCopyable, Sendable {
    /// Shows no Herald service, but may hide it: a phone of Apple's whose application is in the background.
    case candidate = 0
    /// Shows a Herald service in its advertisement.
    case advertised = 1
    /// Its Herald service was seen over a connection; its payload has not been read.
    case confirmed = 2
    /// Its payload has been read.
    case read = 3
    /// Was connected and has no Herald service: left alone until `retryAt`, then a candidate again.
    case ignored = 4
    /// Is a peer of another system, and of Herald's as far as anybody knows not.
    case neighbour = 5
  }

  /// What runs on the peer, as its signal characteristic tells.
  public enum System: UInt8, BitwiseCopyable, Sendable {
    /// Not known.
    case unknown = 0
    /// One that can advertise at all times: Android, and every wearable.
    case compliant = 1
    /// iOS.
    case iOS = 2
  }

  // The members are in such an order that there is no gap between them; what is small shares one word
  // (Target+Bits.swift).
  @usableFromInline let identityLow: UInt32
  @usableFromInline var addressLow: UInt32
  /// The first eight bytes of its payload's SHA-256, little-endian; 0 before the payload is read.
  public var payloadDigest: UInt64
  /// When it was last heard: milliseconds since start-up, their lower 32 bits. `TargetTable.touch` sets it.
  @usableFromInline var seen: UInt32
  /// When it may be connected next, in tenths of a second since start-up.
  var retryTenths: UInt32
  /// Of an iPhone the payloads it has been told of, a bit for each place of the `SharingStore`: nobody else
  /// is told of any. Of every other peer the digest of the contact event number that it advertised last, and
  /// when that was logged: iPhones advertise none. In a place that was given back, the next such place + 1.
  @usableFromInline var told: UInt32
  @usableFromInline var bits: UInt32
  @usableFromInline let identityHigh: UInt16
  @usableFromInline var addressHigh: UInt16
  /// The last strength measured.
  public var lastRSSI: RSSI
  /// The last transmit power it advertised in dBm; `noTxPower` if none.
  public var txPower: Int8
  /// When a strength or others' payloads were last written to it: seconds since start-up, in their lower 8
  /// bits. While its payload is not known, no such thing is written to it: then when it was first heard, or a
  /// reading beyond its allowance last kept (`mayKeepReading`).
  @usableFromInline var signalledAt: UInt8
  /// When our payload was last written to it: units of 16 s since start-up, in their lower 8 bits. While its
  /// payload is not known, how much of its allowance of readings it has used.
  @usableFromInline var writtenAt: UInt8

  /// The value of `txPower` that says that none was advertised.
  public static var noTxPower: Int8 { 0x7F }

  /// A peer that was just heard for the first time.
  @usableFromInline
  init(identity: TargetIdentity, address: DeviceAddress, at now: Instant) {
    identityLow = identity.low
    identityHigh = identity.high
    addressLow = address.low
    addressHigh = address.high
    payloadDigest = 0
    seen = now.milliseconds.low32
    // Rounded down: it may be connected at once. How long ago this was is how long it has been waiting.
    retryTenths = (now.milliseconds / 100).saturated32
    told = 0
    bits = Self.bits(of: identity, address)
    lastRSSI = .notAvailable
    txPower = Self.noTxPower
    signalledAt = 0
    writtenAt = 0
  }

  /// All zero bits: what stands in a place nobody has taken.
  @usableFromInline
  static var vacant: Target {
    var vacant = Target(
      identity: TargetIdentity(kind: .publicAddress, high: 0, low: 0), address: .zero, at: .start)
    vacant.bits = 0
    vacant.lastRSSI = RSSI(0)
    vacant.txPower = 0
    return vacant
  }

  /// How long ago it was last heard. A peer silent for 49 days would begin anew: none is kept for so long.
  @inlinable
  public func silence(at now: Instant) -> Interval {
    Interval(milliseconds: now.milliseconds.low32 &- seen)
  }

  /// When it was last heard.
  public func lastSeen(at now: Instant) -> Instant {
    Instant(milliseconds: now.milliseconds &- UInt64(wide: silence(at: now).milliseconds))
  }

  /// For how many tenths of a second it could have been connected: 0 if it is to be left alone.
  @usableFromInline
  func wait(at now: Instant) -> UInt32 {
    let tenths = (now.milliseconds / 100).saturated32
    return tenths > retryTenths ? tenths &- retryTenths : 0
  }

  /// When it may be connected next, rounded up to tenths of a second; `.start` means at once.
  public var retryAt: Instant {
    get { Instant(milliseconds: UInt64(wide: retryTenths) &* 100) }
    @inline(never) set {
      let (rounded, overflow) = newValue.milliseconds.addingReportingOverflow(99)
      retryTenths = overflow ? .max : (rounded / 100).saturated32
    }
  }
}
