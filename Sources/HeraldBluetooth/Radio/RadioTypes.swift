import HeraldHAL

/// A received signal strength in dBm, or "not available".
public struct RSSI: Hashable, BitwiseCopyable, Sendable {
  /// dBm, −127…+20, or 127 for "not available": the coding of HCI (Vol 4, Part E, 7.7.65.2).
  public let rawValue: Int8

  /// From dBm as HCI codes them.
  @inlinable
  public init(_ rawValue: Int8) { self.rawValue = rawValue }

  /// The radio could not tell.
  @inlinable
  public static var notAvailable: RSSI { RSSI(127) }
  /// Whether there is a value.
  @inlinable
  public var isAvailable: Bool { rawValue != 127 }
}

/// One connection of the radio: a small number, `0..<capabilities.connections`, used again after the
/// connection closed.
public struct ConnectionID: Hashable, BitwiseCopyable, Sendable {
  /// The number.
  public let index: Int
  /// The connection with this number.
  @inlinable
  public init(index: Int) { self.index = index }
}

/// Who opened a connection.
public enum ConnectionRole: UInt8, BitwiseCopyable, Sendable {
  /// We did.
  case central = 0
  /// The peer did, answering our advertisement.
  case peripheral = 1
}

/// A connection that was opened.
public struct ConnectionOpened: BitwiseCopyable, Sendable {
  /// Its number from now on.
  public let connection: ConnectionID
  /// Who opened it.
  public let role: ConnectionRole
  /// The peer's address as it showed it.
  public let peer: DeviceAddress

  /// Stated one by one.
  @inlinable
  public init(connection: ConnectionID, role: ConnectionRole, peer: DeviceAddress) {
    self.connection = connection
    self.role = role
    self.peer = peer
  }
}

/// Why a connection ended or did not come about: an HCI error code (Core Specification, Vol 1, Part F).
public struct DisconnectReason: Hashable, BitwiseCopyable, RawRepresentable, Sendable {
  /// The error code.
  public let rawValue: UInt8
  /// The reason with this error code.
  @inlinable
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Connection Timeout (0x08): the peer walked away.
  public static var connectionTimeout: Self { Self(rawValue: 0x08) }
  /// Remote User Terminated Connection (0x13).
  public static var remoteUserTerminated: Self { Self(rawValue: 0x13) }
  /// Connection Terminated By Local Host (0x16).
  public static var localHostTerminated: Self { Self(rawValue: 0x16) }
  /// Unknown Connection Identifier (0x02): what a cancelled attempt ends with.
  public static var cancelled: Self { Self(rawValue: 0x02) }
  /// Connection Failed to be Established (0x3E).
  public static var failedToBeEstablished: Self { Self(rawValue: 0x3E) }
  /// Connection Rejected due to Limited Resources (0x0D): more connections than we have places.
  public static var limitedResources: Self { Self(rawValue: 0x0D) }
}

/// The head of one advertisement or scan response that was heard. Its data comes beside it.
public struct AdvertisingReport: BitwiseCopyable, Sendable {
  /// Who sent it.
  public let address: DeviceAddress
  /// How strong it was.
  public let rssi: RSSI
  /// What kind of packet it was.
  public let kind: Kind

  /// The properties of the packet, as bits of the extended report's Event_Type (Vol 4, Part E, 7.7.65.13).
  /// Not an `OptionSet`, whose array literal would bring in the allocator.
  public struct Kind: Hashable, BitwiseCopyable, Sendable {
    public let rawValue: UInt8
    @inlinable
    public init(rawValue: UInt8) { self.rawValue = rawValue }
    /// A connection can be opened.
    public static var connectable: Kind { Kind(rawValue: 1) }
    /// It answers scan requests.
    public static var scannable: Kind { Kind(rawValue: 2) }
    /// It is meant for one device.
    public static var directed: Kind { Kind(rawValue: 4) }
    /// It is a scan response.
    public static var scanResponse: Kind { Kind(rawValue: 8) }
    /// It is a legacy PDU.
    public static var legacy: Kind { Kind(rawValue: 16) }
    /// Whether all properties of `other` are among these.
    @inlinable
    public func contains(_ other: Kind) -> Bool { rawValue & other.rawValue == other.rawValue }
    /// The properties of both.
    @inlinable
    public func union(_ other: Kind) -> Kind { Kind(rawValue: rawValue | other.rawValue) }
  }

  /// Stated one by one.
  @inlinable
  public init(address: DeviceAddress, rssi: RSSI, kind: Kind) {
    self.address = address
    self.rssi = rssi
    self.kind = kind
  }
}

/// How to advertise: legacy advertising on all three channels.
public struct AdvertisingParameters: Equatable, BitwiseCopyable, Sendable {
  /// Milliseconds between advertising events, 20…10,240.
  public var interval: Interval
  /// The own address to show.
  public var ownAddress: DeviceAddress
  /// Whether peers may connect.
  public var connectable: Bool

  /// Stated one by one.
  @inlinable
  public init(ownAddress: DeviceAddress, interval: Interval, connectable: Bool) {
    self.ownAddress = ownAddress
    self.interval = interval
    self.connectable = connectable
  }
}

/// How to scan.
public struct ScanParameters: Equatable, BitwiseCopyable, Sendable {
  /// Milliseconds from the start of one window to the next, 3…10,240.
  public var interval: Interval
  /// Scan window in ms, 3…`interval`.
  public var window: Interval
  /// The own address shown when scanning actively.
  public var ownAddress: DeviceAddress
  /// Whether to send scan requests.
  public var active: Bool

  /// Stated one by one.
  @inlinable
  public init(ownAddress: DeviceAddress, interval: Interval, window: Interval, active: Bool) {
    self.ownAddress = ownAddress
    self.interval = interval
    self.window = window
    self.active = active
  }
}

/// How to connect.
public struct ConnectionParameters: Equatable, BitwiseCopyable, Sendable {
  /// Connection interval in units of 1.25 ms, 6…3,200.
  public var interval: UInt16
  /// Supervision timeout in units of 10 ms, 10…3,200.
  public var supervisionTimeout: UInt16
  /// The own address to show.
  public var ownAddress: DeviceAddress

  /// Stated one by one; by default 15 ms between connection events, the least that iPhones take, and 4 s
  /// until a silent peer counts as gone.
  @inlinable
  public init(ownAddress: DeviceAddress, interval: UInt16 = 12, supervisionTimeout: UInt16 = 400) {
    self.ownAddress = ownAddress
    self.interval = interval
    self.supervisionTimeout = supervisionTimeout
  }
}
