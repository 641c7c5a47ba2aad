import HeraldHAL

/// What runs on top of a `BluetoothHost`: the values it serves, and what it does with what is heard.
///
/// Every requirement has a default. A beacon is `NoApplication`; a peripheral names its `Table` and
/// implements `read`, and `write` where a peer may write; a scanner sets `isObserver` and takes `heard`; a
/// central sets `isGATTClient` and takes `received(_:pdu:on:)`.
public protocol BluetoothApplication: AttributeValues, ~Copyable {
  /// The attributes that peers find.
  associatedtype Table: GATTTable = EmptyGATTTable
  /// Whether it scans: `BluetoothHost.scan(_:)` and `heard` have effect. An image of one that does not has no
  /// code for that.
  static var isObserver: Bool { get }
  /// Whether it runs procedures on the tables of peers. An image of one that does not has no code for that.
  static var isGATTClient: Bool { get }

  /// An advertisement or scan response was heard. `data` is borrowed for the duration of the call.
  mutating func heard(_ report: AdvertisingReport, data: Span<UInt8>, at now: Instant)
  /// A connection was opened, by us or by a peer.
  mutating func connected(_ opened: ConnectionOpened, at now: Instant)
  /// An attempt to connect ended without a connection.
  mutating func connectionFailed(_ reason: DisconnectReason, at now: Instant)
  /// A connection ended.
  mutating func disconnected(_ connection: ConnectionID, _ reason: DisconnectReason, at now: Instant)
  /// A PDU brought this about at the connection's GATT client; value bytes are those of `pdu`. Also
  /// `.failed(.timeout)`, with no bytes.
  mutating func received(
    _ event: GATTClientEvent, pdu: Span<UInt8>, on connection: ConnectionID, at now: Instant)
  /// Writes the client's next request to the start of `buffer` and returns its length, 0 if it has none. Who
  /// writes values to peers overrides this to hand over the value.
  mutating func nextRequest(
    of client: inout GATTClient, into buffer: inout MutableSpan<UInt8>, mtu: Int,
    on connection: ConnectionID, at now: Instant
  ) -> Int
  /// The RSSI of a connection in dBm; follows `Radio.readRSSI(_:)`.
  mutating func measured(_ rssi: RSSI, on connection: ConnectionID, at now: Instant)
}

extension BluetoothApplication where Self: ~Copyable {
  /// `false`.
  @inlinable @inline(__always) public static var isObserver: Bool { false }
  /// `false`.
  @inlinable @inline(__always) public static var isGATTClient: Bool { false }
  @inlinable public mutating func heard(_ report: AdvertisingReport, data: Span<UInt8>, at now: Instant) {}
  /// Accepts it.
  @inlinable public mutating func connected(_ opened: ConnectionOpened, at now: Instant) {}
  @inlinable public mutating func connectionFailed(_ reason: DisconnectReason, at now: Instant) {}
  @inlinable
  public mutating func disconnected(
    _ connection: ConnectionID, _ reason: DisconnectReason, at now: Instant
  ) {}
  @inlinable
  public mutating func received(
    _ event: GATTClientEvent, pdu: Span<UInt8>, on connection: ConnectionID, at now: Instant
  ) {}
  /// The client's next request, without a value to write.
  @inlinable
  public mutating func nextRequest(
    of client: inout GATTClient, into buffer: inout MutableSpan<UInt8>, mtu: Int,
    on connection: ConnectionID, at now: Instant
  ) -> Int {
    client.nextRequest(into: &buffer, mtu: mtu, value: Span(), at: now)
  }
  @inlinable public mutating func measured(_ rssi: RSSI, on connection: ConnectionID, at now: Instant) {}
  /// Refuses with Read Not Permitted.
  @inlinable
  public mutating func read(
    _ tag: AttributeTag, offset: Int, into buffer: inout MutableSpan<UInt8>, on connection: ConnectionID
  ) -> AttributeRead { .failed(.readNotPermitted) }
  /// Refuses with Write Not Permitted.
  @inlinable
  public mutating func write(
    _ tag: AttributeTag, _ value: Span<UInt8>, withResponse: Bool, on connection: ConnectionID
  ) -> ATTErrorCode? { .writeNotPermitted }
}

/// An application that does nothing: for beacons, which only advertise.
public struct NoApplication: BluetoothApplication {
  @inlinable public init() {}
}

/// A table without attributes. Discovery finds nothing in it.
public enum EmptyGATTTable: GATTTable {
  /// The table.
  @inlinable public static var database: GATTDatabase {
    @_lifetime(immortal) get { GATTDatabase(attributes: Span(), bytes: Span()) }
  }
}
