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
  /// Of an iPhone the payloads it has been told of, a bit for each place of the `SharingStore`: nobody else is told of any. Of every other
  /// peer the digest of the contact event number that it advertised last, and when that was logged: iPhones advertise none.
  @usableFromInline var told: UInt32
  /// How many strengths were measured. Stays at the largest value.
  public var readings: UInt16
  /// When a strength or others' payloads were last written to it: seconds since start-up, in their lower 16 bits.
  @usableFromInline var signalledAt: UInt16
  /// Neighbours in the list of its kind, as place + 1; 0 at the ends. `older` chains the free places too.
  @usableFromInline var newer: UInt16
  @usableFromInline var older: UInt16
  /// The bits of `owesWork`, `isHeld` and the rest.
  @usableFromInline var flags: UInt16
  /// How far the acquaintance has got.
  public var state: State
  /// What runs on it.
  public var system: System
  /// The last strength measured.
  public var lastRSSI: RSSI
  /// The last transmit power it advertised in dBm; `noTxPower` if none.
  public var txPower: Int8
  /// Failed exchanges since the last success in the lower four bits, how often it turned out to have no Herald service in the upper.
  var setbacks: UInt8
  /// When our payload was last written to it: units of 16 s since start-up, in their lower 8 bits.
  @usableFromInline var writtenAt: UInt8

  /// The value of `txPower` that says that none was advertised.
  public static var noTxPower: Int8 { 0x7F }
  @usableFromInline static var owesWorkFlag: UInt16 { 1 }
  @usableFromInline static var heldFlag: UInt16 { 2 }
  @usableFromInline static var connectableFlag: UInt16 { 4 }
  @usableFromInline static var showedServiceFlag: UInt16 { 8 }
  @usableFromInline static var receiveOnlyFlag: UInt16 { 16 }
  @usableFromInline static var awaitsMessageFlag: UInt16 { 32 }
  @usableFromInline static var sharedLastFlag: UInt16 { 64 }
  @usableFromInline static var signalledFlag: UInt16 { 128 }
  @usableFromInline static var modelReadFlag: UInt16 { 256 }
  @usableFromInline static var payloadWrittenFlag: UInt16 { 512 }
  @usableFromInline static var owesCodeFlag: UInt16 { 1024 }
  @usableFromInline static var codeReadFlag: UInt16 { 2048 }
  /// It takes no connections at present, or did not when it was heard last.
  @usableFromInline static var takesNobodyFlag: UInt16 { 4096 }

  /// A peer that was just heard for the first time.
  @usableFromInline
  init(identity: TargetIdentity, address: DeviceAddress, at now: Instant) {
    self.identity = identity
    self.address = address
    lastSeen = now
    payloadDigest = 0
    retryTenths = 0
    told = 0
    readings = 0
    signalledAt = 0
    newer = 0
    older = 0
    flags = 0
    state = .candidate
    system = .unknown
    lastRSSI = .notAvailable
    txPower = Self.noTxPower
    setbacks = 0
    writtenAt = 0
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
    @inline(never) set {
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

  @inlinable @inline(__always)
  func has(_ flag: UInt16) -> Bool { flags & flag != 0 }
  @inlinable @inline(__always)
  mutating func set(_ flag: UInt16, _ value: Bool) {
    if value { flags |= flag } else { flags &= ~flag }
  }

  /// Whether it was ever heard to take connections.
  @inlinable
  public var isConnectable: Bool {
    get { has(Self.connectableFlag) }
    set { set(Self.connectableFlag, newValue) }
  }

  /// Whether it ever advertised a Herald service.
  @inlinable
  public var showedService: Bool {
    get { has(Self.showedServiceFlag) }
    set { set(Self.showedServiceFlag, newValue) }
  }

  /// Whether it cannot advertise and comes to us to write what it has to say: it is never connected to.
  @inlinable
  public var isReceiveOnly: Bool {
    get { has(Self.receiveOnlyFlag) }
    set { set(Self.receiveOnlyFlag, newValue) }
  }

  /// Failed exchanges since the last success: 0…15, where it stays.
  public var failures: UInt8 {
    get { setbacks & 15 }
    set { setbacks = setbacks & 0xF0 | (newValue < 15 ? newValue : 15) }
  }

  /// How often it turned out to have no Herald service: 0…15, where it stays.
  public var ignores: UInt8 {
    get { setbacks &>> 4 }
    set { setbacks = setbacks & 15 | (newValue < 15 ? newValue : 15) &<< 4 }
  }
}
