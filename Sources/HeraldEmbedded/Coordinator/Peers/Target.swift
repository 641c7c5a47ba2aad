import HeraldBluetooth
import HeraldHAL

/// The state of one peer: 40 bytes, without its payload, of which only a digest is stored.
public struct Target: BitwiseCopyable, Sendable {
  /// The stage that was reached with the peer.
  public enum State: UInt8, BitwiseCopyable, Sendable {
    /// Shows no Herald service, but may hide it: a phone of Apple's with the application in the background.
    case candidate = 0
    /// Advertises a Herald service.
    case advertised = 1
    /// The target's Herald service was found over a connection; its payload has not been read.
    case confirmed = 2
    /// The target's payload has been read.
    case read = 3
    /// Was connected and has no Herald service: not connected until `retryAt`, then a candidate again.
    case ignored = 4
    /// Has a code of an additional service, and no known Herald service.
    case observed = 5
  }

  /// The peer's operating system, by its signal characteristic.
  public enum System: UInt8, BitwiseCopyable, Sendable {
    /// Not known.
    case unknown = 0
    /// A peer that can advertise at all times: Android, and every wearable.
    case compliant = 1
    /// iOS.
    case iOS = 2
  }

  // The order of the members leaves no padding between them; small fields share one word (Target+Bits.swift).
  let identityLow: UInt32
  var addressLow: UInt32
  /// The first eight bytes of its payload's SHA-256, little-endian; 0 before the payload is read.
  public var payloadDigest: UInt64
  /// When it was last received: milliseconds since start-up, their lower 32 bits. `TargetTable.touch` sets
  /// it.
  var seen: UInt32
  /// When it may be connected next, in tenths of a second since start-up.
  var retryTenths: UInt32
  /// Of an iPhone the payloads that were shared with it, a bit for each slot of the `SharingStore`: with
  /// other peers none are shared. Of every other peer the digest of the contact event number that it
  /// advertised last, and when that was logged: iPhones advertise none. In a free slot, the next free slot
  /// + 1.
  var told: UInt32
  var bits: UInt32
  let identityHigh: UInt16
  var addressHigh: UInt16
  /// The last RSSI.
  public var lastRSSI: RSSI
  /// The last transmit power it advertised in dBm; `noTxPower` if none.
  public var txPower: Int8
  /// When an RSSI or others' payloads were last written to it: seconds since start-up, in their lower 8 bits.
  /// While its payload is not known, neither is written to it: the field then holds when it was first
  /// received, or when a reading beyond its allowance was last kept (`mayKeepReading`).
  var signalledAt: UInt8
  /// When our payload was last written to it: units of 16 s since start-up, in their lower 8 bits. While its
  /// payload is not known, the used part of its allowance of readings.
  var writtenAt: UInt8

  /// The value of `txPower` if none was advertised.
  public static var noTxPower: Int8 { 0x7F }

  /// A peer that was just received for the first time.
  init(identity: TargetIdentity, address: DeviceAddress, at now: Instant) {
    identityLow = identity.low
    identityHigh = identity.high
    addressLow = address.low
    addressHigh = address.high
    payloadDigest = 0
    seen = now.milliseconds.low32
    // Rounded down: it may be connected at once. The time since then is how long it has been waiting.
    retryTenths = (now.milliseconds / 100).saturated32
    told = 0
    bits = Self.bits(of: identity, address)
    lastRSSI = .notAvailable
    txPower = Self.noTxPower
    signalledAt = 0
    writtenAt = 0
  }

  /// All zero bits: the contents of an unused slot.
  static var vacant: Target {
    var vacant = Target(
      identity: TargetIdentity(kind: .publicAddress, high: 0, low: 0), address: .zero, at: .start)
    vacant.bits = 0
    vacant.lastRSSI = RSSI(0)
    vacant.txPower = 0
    return vacant
  }

  /// The time since it was last received. For a peer silent for 49 days it would wrap: none is kept for so
  /// long.
  public func silence(at now: Instant) -> Interval {
    Interval(milliseconds: now.milliseconds.low32 &- seen)
  }

  /// The time at which it was last received.
  public func lastSeen(at now: Instant) -> Instant {
    Instant(milliseconds: now.milliseconds &- UInt64(wide: silence(at: now).milliseconds))
  }

  /// The time since a connection to it became permitted, in tenths of a second; 0 if it is not permitted yet.
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
