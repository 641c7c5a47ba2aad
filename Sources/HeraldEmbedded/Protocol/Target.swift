/// What is known of one peer: 56 bytes, without its payload, of which only a digest is kept.
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

  /// Under what the peer is tracked and logged.
  public internal(set) var identity: TargetIdentity
  /// Under what address it was last heard, which is where a connection goes.
  public var address: DeviceAddress
  /// When it was last heard; `TargetTable.touch` sets it.
  public var lastSeen: Instant
  /// The first eight bytes of its payload's SHA-256, little-endian; 0 before the payload is read.
  public var payloadDigest: UInt64
  /// When it may be connected next, in tenths of a second since start-up.
  var retryTenths: UInt32
  /// How many strengths were measured. Stays at the largest value.
  public var readings: UInt32
  /// Neighbours in the list of its kind, as place + 1; 0 at the ends. `older` chains the free places too.
  @usableFromInline var newer: UInt16
  @usableFromInline var older: UInt16
  /// How far the acquaintance has got.
  public var state: State
  /// What runs on it.
  public var system: System
  /// The last strength measured.
  public var lastRSSI: RSSI
  /// The last transmit power it advertised in dBm; `noTxPower` if none.
  public var txPower: Int8
  /// Failed exchanges since the last success. Stays at the largest value.
  public var failures: UInt8
  /// How often it turned out to have no Herald service. Stays at the largest value.
  public var ignores: UInt8
  /// The bits of `owesWork`, `isHeld`, `isConnectable` and `showedService`.
  @usableFromInline var flags: UInt8

  /// The value of `txPower` that says that none was advertised.
  public static var noTxPower: Int8 { 0x7F }
  @usableFromInline static var owesWorkFlag: UInt8 { 1 }
  @usableFromInline static var heldFlag: UInt8 { 2 }
  @usableFromInline static var connectableFlag: UInt8 { 4 }
  @usableFromInline static var showedServiceFlag: UInt8 { 8 }

  /// A peer that was just heard for the first time.
  @usableFromInline
  init(identity: TargetIdentity, address: DeviceAddress, at now: Instant) {
    self.identity = identity
    self.address = address
    lastSeen = now
    payloadDigest = 0
    retryTenths = 0
    readings = 0
    newer = 0
    older = 0
    state = .candidate
    system = .unknown
    lastRSSI = .notAvailable
    txPower = Self.noTxPower
    failures = 0
    ignores = 0
    flags = 0
  }

  /// All zero bits: what stands in a place nobody has taken.
  @usableFromInline
  static var vacant: Target {
    var vacant = Target(
      identity: TargetIdentity(kind: .publicAddress, high: 0, low: 0), address: .zero, at: .start)
    vacant.lastRSSI = RSSI(0)
    vacant.txPower = 0
    return vacant
  }

  /// When it may be connected next, rounded up to tenths of a second; `.start` means at once.
  public var retryAt: Instant {
    get { Instant(milliseconds: UInt64(wide: retryTenths) &* 100) }
    set {
      let (rounded, overflow) = newValue.milliseconds.addingReportingOverflow(99)
      retryTenths = overflow ? .max : (rounded / 100).saturated32
    }
  }

  /// Whether an exchange with it is wanted, or will be when `retryAt` has come. `TargetTable.setOwesWork` sets it.
  @inlinable
  public var owesWork: Bool { flags & Self.owesWorkFlag != 0 }
  /// Whether an exchange with it is in progress. `TargetTable.setHeld` sets it.
  @inlinable
  public var isHeld: Bool { flags & Self.heldFlag != 0 }

  /// Whether it was ever heard to take connections.
  @inlinable
  public var isConnectable: Bool {
    get { flags & Self.connectableFlag != 0 }
    set { if newValue { flags |= Self.connectableFlag } else { flags &= ~Self.connectableFlag } }
  }

  /// Whether it ever advertised a Herald service.
  @inlinable
  public var showedService: Bool {
    get { flags & Self.showedServiceFlag != 0 }
    set { if newValue { flags |= Self.showedServiceFlag } else { flags &= ~Self.showedServiceFlag } }
  }
}
