import HeraldBluetooth
import HeraldHAL

// The management link over Bluetooth, on a device that has one (`ManagementPort`).

extension HeraldCore {
  /// Offers the management link over Bluetooth for this time, whatever the setting: for a button.
  public mutating func openBluetoothManagement(for interval: Interval = .minutes(5), at now: Instant) {
    context.now = now
    serving.openManagement(until: now + interval)
    context.hasNews = true
  }

  /// Whether the management link is offered over Bluetooth at present.
  public var offersBluetoothManagement: Bool { serving.values.management.isOpen }

  /// Opens and closes the service. What is advertised changes with the next address, which is taken at once.
  ///
  /// Peers have precedence: the client's connection is closed when all connections are in use, as no peer
  /// could connect, and after a second in which this device could not connect to a peer. It is also closed
  /// when the service closes.
  @inline(never)
  mutating func updateManagement() {
    if serving.switchManagement(&context) { presence.changeSoon() }
    guard let client = serving.managementClient else { return }
    let isInTheWay = blocksPeers()
    guard isInTheWay || !offersBluetoothManagement else { return }
    if isInTheWay { serving.giveUpManagement() }
    exchanges.close(all: 1 &<< UInt32(truncatingIfNeeded: client.index), &serving, &peers, &context)
  }

  /// Whether the client's connection has to give way to peers.
  mutating func blocksPeers() -> Bool {
    let most = context.connectionLimit(of: connections)
    let open = exchanges.table.openCount()
    if open >= most { return true }
    let blocks =
      open &+ 1 >= most && context.configuration.scans && !peers.attempt.isActive
      && context.hasCome(peers.workAt)
    return serving.managementBlocks(blocks, &context)
  }

  // MARK: The link

  /// A number for the client of the link, another one for the next; 0 if there is none.
  public var managementSession: UInt16 { mutating get { serving.managementSession } }

  /// Moves the next request of the client to the start of `packet`. Returns its length; 0 if there is none.
  public mutating func takeManagementRequest(into packet: inout MutableSpan<UInt8>) -> Int {
    serving.takeManagementRequest(into: &packet)
  }

  /// The value of counter `index` of `ManagementPortCounters`.
  public mutating func managementStatistic(_ index: Int) -> UInt32 {
    serving.managementStatistic(index)
  }

  /// The client has had a response in an authenticated session: its connection is kept for another minute.
  public mutating func trustManagementClient(at now: Instant) {
    serving.trustManagementClient(at: now)
  }

  /// The longest value that is notified to the client: its ATT_MTU less three; 0 if there is no client, or it
  /// has not enabled notifications.
  public var managementRoom: Int {
    mutating get { serving.managementRoom() }
  }

  /// Notifies a part of a response to the client: the bytes of `pdu` from the third on, before which the
  /// header is written. Throws `.busy` if the radio does not accept it now (`readyToSend` follows), and
  /// `.notConnected` if there is no client.
  public mutating func notifyManagement<R: Radio & ~Copyable>(
    _ pdu: inout MutableSpan<UInt8>, by radio: inout R, at now: Instant
  ) throws(RadioError) {
    guard let client = serving.managementClient, serving.writeManagementHeader(&pdu) else {
      throw .notConnected
    }
    try radio.send(pdu.span, on: client)
    exchanges.table.used(client.index, at: now)
  }
}
