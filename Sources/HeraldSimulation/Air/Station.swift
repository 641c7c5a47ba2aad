import HeraldBluetooth

/// A report of a radio to its host.
enum AirReport {
  case state(RadioState)
  case opened(ConnectionOpened)
  case failed(DisconnectReason)
  case closed(ConnectionID, DisconnectReason)
  /// A PDU is in the line's box of the other side.
  case pdu(line: Int, token: UInt32, from: AirLine.Side, isAnswer: Bool)
  case readyToSend(ConnectionID)
  case measured(RSSI, ConnectionID)
}

/// One radio: the commands of its host and its state. State that is checked for every packet is in its
/// `Receiver`.
struct Station {
  var capabilities: RadioCapabilities
  var isOn = false

  // Advertising
  var advertising: AdvertisingParameters?
  var dataLength = 0
  /// When the last advertising event began, and the number of the one that is planned.
  var advertisedAt: UInt64?
  var advertisingToken: UInt32 = 0

  // Scanning and connecting
  var scan: ScanParameters?
  /// Since when the windows are as they are.
  var listeningSince: UInt64 = 0
  var peer = DeviceAddress.zero
  var connection = ConnectionParameters(ownAddress: .zero)

  /// The line of each connection: its number, `none` or `dead`.
  var lines: [8 of Int32] = .init(repeating: Self.none)

  /// When it is to be polled; events at other times are out of date.
  var pollAt = UInt64.max
  /// How many reports its host was given.
  var delivered: UInt64 = 0
  var use = RadioUse()

  static var none: Int32 { -1 }
  /// A connection that has ended without a notification of the host.
  static var dead: Int32 { -2 }

  init(_ capabilities: RadioCapabilities) { self.capabilities = capabilities }

  /// The most connections it can have.
  var places: Int { min(capabilities.connections, 8) }

  /// A number for a new connection.
  func freePlace() -> Int? {
    for place in 0..<places where lines[place] == Self.none { return place }
    return nil
  }
}
