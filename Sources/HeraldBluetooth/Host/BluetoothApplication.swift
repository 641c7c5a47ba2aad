import HeraldHAL

/// The application of a `BluetoothHost`: the values it serves, and its processing of events.
///
/// Every requirement has a default. A beacon is `NoApplication`; a peripheral names its `Table` and
/// implements `read`, and `write` where a peer may write; a scanner sets `isObserver` and implements
/// `received`; a central sets `isGATTClient` and implements `received(_:pdu:on:)`.
public protocol BluetoothApplication: AttributeValues, ~Copyable {
  /// The GATT table that is served to peers.
  associatedtype Table: GATTTable = EmptyGATTTable
  /// Whether it scans: `BluetoothHost.scan(_:)` and `received` have effect. Otherwise the image contains no
  /// code for it.
  static var isObserver: Bool { get }
  /// Whether it runs GATT procedures with peers. Otherwise the image contains no code for them.
  static var isGATTClient: Bool { get }

  /// An advertisement or scan response was received. `data` is borrowed for the duration of the call.
  mutating func received(_ report: AdvertisingReport, data: Span<UInt8>, at now: Instant)
  /// A connection was opened, by this device or by a peer.
  mutating func connected(_ opened: ConnectionOpened, at now: Instant)
  /// An attempt to connect ended without a connection.
  mutating func connectionFailed(_ reason: DisconnectReason, at now: Instant)
  /// A connection ended.
  mutating func disconnected(_ connection: ConnectionID, _ reason: DisconnectReason, at now: Instant)
  /// The event of a PDU at the connection's GATT client; value bytes are those of `pdu`. Also
  /// `.failed(.timeout)`, with no bytes.
  mutating func received(
    _ event: GATTClientEvent, pdu: Span<UInt8>, on connection: ConnectionID, at now: Instant)
  /// Writes the client's next request to the start of `buffer` and returns its length, 0 if it has none. An
  /// application that writes values to peers overrides this to supply the value.
  mutating func nextRequest(
    of client: inout GATTClient, into buffer: inout MutableSpan<UInt8>, mtu: Int,
    on connection: ConnectionID, at now: Instant
  ) -> Int
  /// The RSSI of a connection in dBm; follows `Radio.readRSSI(_:)`.
  mutating func measured(_ rssi: RSSI, on connection: ConnectionID, at now: Instant)
}

extension BluetoothApplication where Self: ~Copyable {
  /// `false`.
  @inline(__always) public static var isObserver: Bool { false }
  /// `false`.
  @inline(__always) public static var isGATTClient: Bool { false }
  public mutating func received(_ report: AdvertisingReport, data: Span<UInt8>, at now: Instant) {}
  /// Accepts it.
  public mutating func connected(_ opened: ConnectionOpened, at now: Instant) {}
  public mutating func connectionFailed(_ reason: DisconnectReason, at now: Instant) {}
  public mutating func disconnected(
    _ connection: ConnectionID, _ reason: DisconnectReason, at now: Instant
  ) {}
  public mutating func received(
    _ event: GATTClientEvent, pdu: Span<UInt8>, on connection: ConnectionID, at now: Instant
  ) {}
  /// The client's next request, without a value to write.
  public mutating func nextRequest(
    of client: inout GATTClient, into buffer: inout MutableSpan<UInt8>, mtu: Int,
    on connection: ConnectionID, at now: Instant
  ) -> Int {
    client.nextRequest(into: &buffer, mtu: mtu, value: Span(), at: now)
  }
  public mutating func measured(_ rssi: RSSI, on connection: ConnectionID, at now: Instant) {}
  /// Refuses with Read Not Permitted.
  public mutating func read(
    _ tag: AttributeTag, offset: Int, into buffer: inout MutableSpan<UInt8>, on connection: ConnectionID
  ) -> AttributeRead { .failed(.readNotPermitted) }
  /// Refuses with Write Not Permitted.
  public mutating func write(
    _ tag: AttributeTag, _ value: Span<UInt8>, withResponse: Bool, on connection: ConnectionID
  ) -> ATTErrorCode? { .writeNotPermitted }
}

/// An empty application, for beacons, which only advertise.
public struct NoApplication: BluetoothApplication {
  public init() {}
}

/// A table without attributes. Discovery finds nothing in it.
public enum EmptyGATTTable: GATTTable {
  /// The table.
  public static var database: GATTDatabase {
    @_lifetime(immortal) get { GATTDatabase(attributes: Span(), bytes: Span()) }
  }
}
