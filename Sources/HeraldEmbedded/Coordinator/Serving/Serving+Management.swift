import HeraldBluetooth
import HeraldHAL

// The management link over Bluetooth in the GATT server (`ManagementPort`).

extension Serving {
  /// How long the client's connection may keep this device from connecting to a peer.
  static var longestBlock: Interval { .seconds(1) }

  /// The connection of the client; `nil` if there is none.
  var managementClient: ConnectionID? { mutating get { values.management.client } }

  /// The number of the client; 0 if there is none.
  var managementSession: UInt16 { mutating get { values.management.session } }

  /// Opens the service until this moment, whatever the setting.
  mutating func openManagement(until end: Instant) { values.management.openUntil = end }

  /// Opens or closes the service. Returns whether that was a change.
  mutating func switchManagement(_ context: inout Context) -> Bool {
    let until = values.management.openUntil
    let isOpen = context.inEffect(.bluetoothManagement) != 0 || context.now < until
    if context.now < until { context.wake(by: until) }
    guard isOpen != values.management.isOpen else { return false }
    values.management.isOpen = isOpen
    return true
  }

  /// Whether the client's connection has kept this device from connecting to a peer for too long, if it does
  /// so now.
  mutating func managementBlocks(_ blocks: Bool, _ context: inout Context) -> Bool {
    guard blocks else {
      values.management.blocksSince = .start
      return false
    }
    if values.management.blocksSince == .start { values.management.blocksSince = context.now }
    let end = values.management.blocksSince + Self.longestBlock
    context.wake(by: end)
    return context.now >= end
  }

  /// Counts a client whose connection is closed for peers.
  mutating func giveUpManagement() { values.management.giveUp() }

  /// Moves the next request to the start of `packet`.
  mutating func takeManagementRequest(into packet: inout MutableSpan<UInt8>) -> Int {
    values.management.take(into: &packet)
  }

  /// The client has had a response in a session.
  mutating func trustManagementClient(at now: Instant) { values.management.trustedAt = now }

  /// The value of counter `index` of `ManagementPortCounters`.
  mutating func managementStatistic(_ index: Int) -> UInt32 { values.management.statistic(index) }

  /// The longest value that is notified to the client; 0 if there is none, or it has not enabled it.
  mutating func managementRoom() -> Int {
    guard let client = values.management.client, let value = managedValue(),
      server.configuration(slot: value.slot, on: client) == .notifications
    else { return 0 }
    return server.mtu(client) &- 3
  }

  /// Writes the header of a notification of a response to the first three bytes of `pdu`; `false` if it has
  /// no others, or there is no service.
  mutating func writeManagementHeader(_ pdu: inout MutableSpan<UInt8>) -> Bool {
    guard pdu.count > 3, let value = managedValue() else { return false }
    pdu[0] = ATTOpcode.handleValueNotification.rawValue
    pdu[1] = UInt8(truncatingIfNeeded: value.handle)
    pdu[2] = UInt8(truncatingIfNeeded: value.handle &>> 8)
    return true
  }

  /// The constant part of the table, with the service of the management link if that `isManaged`.
  @inline(__always)
  @_lifetime(immortal)
  static func constantTable(isManaged: Bool) -> GATTDatabase {
    guard Parts.ManagementType.isPresent else { return Parts.TableType.database }
    guard !isManaged else { return Parts.TableType.managed }
    let count = Parts.TableType.managed.attributes.count &- Parts.TableType.managementCount
    return GATTDatabase(
      attributes: Parts.TableType.managed.attributes.extracting(first: count),
      bytes: Parts.TableType.managed.bytes)
  }

  /// The value that is notified with responses of the management link, if it is in the table.
  mutating func managedValue() -> NotifiedValue? {
    let table = Self.constantTable(isManaged: values.management.isOpen)
    return tableSource.database(over: table, isFormer: false).notifiedValue(.management)
  }

  /// When a connection that a peer opened and uses ends: that of a client of the management link with a
  /// session lasts as long as the session is used.
  mutating func end(of end: Instant, _ index: Int, _ context: inout Context) -> Instant {
    guard Parts.ManagementType.isPresent, values.management.client == ConnectionID(index: index) else {
      return end
    }
    let trusted = values.management.trustedAt
    guard trusted != .start else { return end }
    let extended = trusted + context.configuration.servingLife
    return extended < end ? end : extended
  }
}
