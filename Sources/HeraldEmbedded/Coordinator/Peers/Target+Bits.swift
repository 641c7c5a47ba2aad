import HeraldBluetooth
import HeraldHAL

// The small fields of a `Target`, in one word: 14 flags, then fields of one to four bits.

extension Target {
  static var owesWorkFlag: UInt32 { 1 }
  static var heldFlag: UInt32 { 2 }
  static var connectableFlag: UInt32 { 4 }
  static var showedServiceFlag: UInt32 { 8 }
  static var receiveOnlyFlag: UInt32 { 16 }
  static var awaitsMessageFlag: UInt32 { 32 }
  static var sharedLastFlag: UInt32 { 64 }
  static var signalledFlag: UInt32 { 128 }
  static var modelReadFlag: UInt32 { 256 }
  static var payloadWrittenFlag: UInt32 { 512 }
  static var owesCodeFlag: UInt32 { 1024 }
  static var codeReadFlag: UInt32 { 2048 }
  /// The target is not connectable at present, or was not when last received.
  static var refusesConnectionsFlag: UInt32 { 4096 }
  /// The slot is in use.
  static var takenFlag: UInt32 { 8192 }

  // The positions of the fields.
  static var addressKindBit: UInt32 { 14 }  // one bit
  static var identityKindBit: UInt32 { 15 }  // two, as the next two
  static var systemBit: UInt32 { 17 }
  static var readingsBit: UInt32 { 19 }
  static var stateBit: UInt32 { 21 }  // three
  static var failuresBit: UInt32 { 24 }  // four, as the next
  static var ignoresBit: UInt32 { 28 }

  @inline(__always)
  func field(_ start: UInt32, _ mask: UInt32) -> UInt8 { UInt8(truncatingIfNeeded: bits &>> start & mask) }
  @inline(__always)
  mutating func setField(_ start: UInt32, _ mask: UInt32, _ value: UInt8) {
    bits = bits & ~(mask &<< start) | (UInt32(value) & mask) &<< start
  }

  /// The bits of a peer that was just received under this identity, from this address.
  static func bits(of identity: TargetIdentity, _ address: DeviceAddress) -> UInt32 {
    takenFlag | UInt32(address.kind.rawValue) &<< addressKindBit
      | UInt32(identity.kind.rawValue) &<< identityKindBit
  }

  /// The identity under which the peer is tracked and logged.
  public var identity: TargetIdentity {
    TargetIdentity(kind: identityKind, high: identityHigh, low: identityLow)
  }
  var identityKind: TargetIdentity.Kind {
    TargetIdentity.Kind(rawValue: field(Self.identityKindBit, 3)) ?? .publicAddress
  }
  /// Whether it is tracked under this identity.
  @inline(__always)
  func has(_ identity: TargetIdentity) -> Bool {
    identityLow == identity.low && identityHigh == identity.high
      && field(Self.identityKindBit, 3) == identity.kind.rawValue
  }

  /// The address under which it was last received, which connections use.
  public var address: DeviceAddress {
    get {
      DeviceAddress(
        high: addressHigh, low: addressLow, kind: field(Self.addressKindBit, 1) == 0 ? .public : .random)
    }
    set {
      addressLow = newValue.low
      addressHigh = newValue.high
      setField(Self.addressKindBit, 1, newValue.kind.rawValue)
    }
  }

  /// Whether it was last received under this address.
  @inline(__always)
  func isAt(_ address: DeviceAddress) -> Bool {
    addressLow == address.low && addressHigh == address.high
      && field(Self.addressKindBit, 1) == address.kind.rawValue
  }

  /// The state of the peer.
  public var state: State {
    get { State(rawValue: field(Self.stateBit, 7)) ?? .candidate }
    set { setField(Self.stateBit, 7, newValue.rawValue) }
  }

  /// The peer's operating system.
  public var system: System {
    get { System(rawValue: field(Self.systemBit, 3)) ?? .unknown }
    set { setField(Self.systemBit, 3, newValue.rawValue) }
  }

  /// How many RSSI readings there were: 0…3, where it stays.
  public var readings: UInt8 {
    get { field(Self.readingsBit, 3) }
    set { setField(Self.readingsBit, 3, newValue < 3 ? newValue : 3) }
  }

  /// Failed exchanges since the last success: 0…15, where it stays.
  public var failures: UInt8 {
    get { field(Self.failuresBit, 15) }
    set { setField(Self.failuresBit, 15, newValue < 15 ? newValue : 15) }
  }

  /// How often it was found to have no Herald service: 0…15, where it stays.
  public var ignores: UInt8 {
    get { field(Self.ignoresBit, 15) }
    set { setField(Self.ignoresBit, 15, newValue < 15 ? newValue : 15) }
  }

  /// Whether it has a task, or will have one at `retryAt`. `TargetTable.setOwesWork` sets it.
  public var owesWork: Bool { has(Self.owesWorkFlag) }
  /// Whether an exchange with it is in progress. `TargetTable.setHeld` sets it.
  public var isHeld: Bool { has(Self.heldFlag) }

  @inline(__always)
  func has(_ flag: UInt32) -> Bool { bits & flag != 0 }
  @inline(__always)
  mutating func set(_ flag: UInt32, _ value: Bool) {
    if value { bits |= flag } else { bits &= ~flag }
  }

  /// Whether it was ever connectable.
  public var isConnectable: Bool {
    get { has(Self.connectableFlag) }
    set { set(Self.connectableFlag, newValue) }
  }

  /// Whether it ever advertised a Herald service.
  public var showedService: Bool {
    get { has(Self.showedServiceFlag) }
    set { set(Self.showedServiceFlag, newValue) }
  }

  /// Whether it cannot advertise and connects to this device to write: no connection to it is attempted.
  public var isReceiveOnly: Bool {
    get { has(Self.receiveOnlyFlag) }
    set { set(Self.receiveOnlyFlag, newValue) }
  }

  /// The target's advertisement shows whether it is connectable: one that is again may be tried again.
  mutating func note(refusesConnections: Bool, at now: Instant) {
    set(Target.refusesConnectionsFlag, refusesConnections)
    if !refusesConnections, failures == 0, retryAt > now { retryAt = now }
  }
}
