import HeraldBluetooth
import HeraldHAL

/// The part of the GATT server that passes requests of the management link on: requests of the Simple
/// Management Protocol that a central writes to a characteristic. What serves the link takes them from here
/// and notifies the responses.
///
/// A device is compiled for one type of it, so that an image without management over Bluetooth contains none
/// of its code.
public protocol ManagementPort: ~Copyable {
  /// Whether there is such a part.
  static var isPresent: Bool { get }
  /// The part, closed, without a client.
  init()
  /// Whether the service is in the GATT table. It is closed initially.
  var isOpen: Bool { get set }
  /// Until when the service is open without a setting; `.start` if it is not.
  var openUntil: Instant { get set }
  /// The connection whose requests are served; `nil` if there is none.
  var client: ConnectionID? { mutating get }
  /// A number for the client that differs from that of the client before; 0 if there is none.
  var session: UInt16 { mutating get }
  /// A value was written to the characteristic at `now`.
  mutating func receive(_ value: Span<UInt8>, on connection: ConnectionID, at now: Instant)
  /// Moves the oldest whole packet to the start of `packet` and returns its length; 0 if there is none. A
  /// packet that does not fit is dropped.
  mutating func take(into packet: inout MutableSpan<UInt8>) -> Int
  /// When the client last had a response in an authenticated session; `.start` if it had none.
  var trustedAt: Instant { get set }
  /// Since when the client's connection has kept this device from connecting to a peer; `.start` if it does
  /// not.
  var blocksSince: Instant { get set }
  /// A connection ended, or is being closed: its requests are discarded.
  mutating func closed(_ connection: ConnectionID)
  /// The client's connection is closed because all connections are in use.
  mutating func giveUp()
  /// The value of counter `index` of `ManagementPortCounters`.
  mutating func statistic(_ index: Int) -> UInt32
}

/// The counters of a `ManagementPort`.
public enum ManagementPortCounters {
  /// The name of the group.
  public static var name: StaticString { "ble_smp" }
  /// How many there are.
  public static var count: Int { 5 }
  /// The names of the counters: packets received; packets dropped because they were damaged, incomplete, too
  /// long or without room; writes of a connection beside the client's; clients; and clients whose connection
  /// was closed because all connections were in use.
  public static var names: StaticString { "packets dropped refused clients given_up" }
}

/// No management over Bluetooth.
public struct NoBluetoothManagement: ManagementPort {
  public init() {}
  public static var isPresent: Bool { false }
  public var isOpen: Bool {
    get { false }
    set {}
  }
  public var openUntil: Instant {
    get { .start }
    set {}
  }
  public var trustedAt: Instant {
    get { .start }
    set {}
  }
  public var blocksSince: Instant {
    get { .start }
    set {}
  }
  public var client: ConnectionID? { mutating get { nil } }
  public var session: UInt16 { mutating get { 0 } }
  public mutating func receive(_ value: Span<UInt8>, on connection: ConnectionID, at now: Instant) {}
  public mutating func take(into packet: inout MutableSpan<UInt8>) -> Int { 0 }
  public mutating func closed(_ connection: ConnectionID) {}
  public mutating func giveUp() {}
  public mutating func statistic(_ index: Int) -> UInt32 { 0 }
}
