import HeraldHAL

/// The host's handler of radio events: requests of peers get responses from the application's table,
/// responses go to the connection's client, other events to the application.
public struct HostConnections<Application: BluetoothApplication & ~Copyable, let connections: Int>:
  RadioEventHandler, ~Copyable
{
  /// The application.
  public var application: Application
  var server: ATTServer<Application.Table, connections, 1>
  var clients: [connections of GATTClient]
  /// Connections that are open, a bit each.
  var open: UInt32
  /// Whether the commands have not been issued yet, or the radio was restarted.
  var isStale: Bool

  /// By the application's declaration.
  @inline(__always) public static var isObserver: Bool { Application.isObserver }

  init(application: consuming Application) {
    self.application = application
    server = ATTServer()
    clients = .init(repeating: GATTClient())
    open = 0
    isStale = true
  }

  /// Whether a connection is open.
  func isOpen(_ connection: ConnectionID) -> Bool {
    let index = connection.index
    return index >= 0 && index < connections && open & 1 &<< UInt32(truncatingIfNeeded: index) != 0
  }

  /// Discards all connections and issues all commands to the radio again.
  public mutating func radioChanged(_ state: RadioState, at now: Instant) {
    isStale = true
    guard state != .ready else { return }
    var index = 0
    while index < connections {
      if open & 1 &<< UInt32(truncatingIfNeeded: index) != 0 {
        connectionClosed(ConnectionID(index: index), .localHostTerminated, at: now)
      }
      index &+= 1
    }
  }

  /// Passes it to the application.
  public mutating func received(_ report: AdvertisingReport, data: Span<UInt8>, at now: Instant) {
    application.received(report, data: data, at: now)
  }

  /// Initialises the state of a connection.
  public mutating func connectionOpened(_ opened: ConnectionOpened, at now: Instant) {
    let index = opened.connection.index
    guard index >= 0, index < connections else { return }
    server.opened(opened.connection)
    clients[index] = GATTClient()
    open |= 1 &<< UInt32(truncatingIfNeeded: index)
    application.connected(opened, at: now)
  }

  /// Passes it to the application.
  public mutating func connectionFailed(_ reason: DisconnectReason, at now: Instant) {
    application.connectionFailed(reason, at: now)
  }

  /// Removes a connection.
  public mutating func connectionClosed(
    _ connection: ConnectionID, _ reason: DisconnectReason, at now: Instant
  ) {
    let index = connection.index
    guard index >= 0, index < connections else { return }
    server.closed(connection)
    clients[index] = GATTClient()
    application.cancelPrepared(on: connection)
    open &= ~(1 &<< UInt32(truncatingIfNeeded: index))
    application.disconnected(connection, reason, at: now)
  }

  /// Responds to a request, or passes a response to the client. Returns the length of the response.
  public mutating func pduReceived(
    _ buffer: inout MutableSpan<UInt8>, count: Int, on connection: ConnectionID, at now: Instant
  ) -> Int {
    let index = connection.index
    guard index >= 0, index < connections, count > 0, count <= buffer.count else { return 0 }
    guard ATTOpcode(rawValue: buffer[unchecked: 0]).isForClient else {
      return server.respond(to: &buffer, count: count, on: connection, at: now, values: &application)
    }
    guard Application.isGATTClient else { return 0 }
    let event = clients[index].receive(buffer.span.extracting(0..<count), mtu: server.mtu(connection))
    if case .mtu(let mtu) = event { server.agreed(peerMTU: mtu, on: connection) }
    application.received(event, pdu: buffer.span.extracting(0..<count), on: connection, at: now)
    guard case .indication = event else { return 0 }
    buffer[unchecked: 0] = GATTClient.confirmation
    return 1
  }

  /// No queue to continue: a PDU that was refused as busy is repeated with the next poll.
  public mutating func readyToSend(on connection: ConnectionID, at now: Instant) {}

  /// Passes it to the application.
  public mutating func measured(_ rssi: RSSI, on connection: ConnectionID, at now: Instant) {
    application.measured(rssi, on: connection, at: now)
  }
}
