import HeraldBluetooth
import HeraldEnergy

/// A report of a radio to its host.
enum AirReport {
  case state(RadioState)
  case opened(ConnectionOpened)
  case failed(DisconnectReason)
  case closed(ConnectionID, DisconnectReason)
  /// A PDU of the other side is in the buffer of the connection.
  case pdu(line: Int, token: UInt32, from: AirLine.Side, isAnswer: Bool)
  case readyToSend(ConnectionID)
  case measured(RSSI, ConnectionID)
}

/// The state of one radio and the commands of its host. State that is examined for every packet is in its
/// `Receiver`.
struct Station {
  var capabilities: RadioCapabilities
  var isOn = false

  // Advertising.
  var advertising: AdvertisingParameters?
  var dataLength = 0
  /// The time of the last advertising event, and the token of the scheduled one.
  var advertisedAt: UInt64?
  /// When the scheduled one would be if none had been delayed.
  var nominalAt: UInt64 = 0
  /// The delays of the address, of a radio with this project's link layer; `nil` for random ones.
  var rhythm: AdvertisingRhythm? = AdvertisingRhythm()
  /// The deviation of the crystal in ppm.
  var deviation = 0.0
  var advertisingToken: UInt32 = 0
  /// When that is.
  var plannedAt: UInt64 = 0

  // Scanning and connecting.
  var scan: ScanParameters?
  /// The time of the last change of the scan or initiating windows.
  var listeningSince: UInt64 = 0
  var peer = DeviceAddress.zero
  var connection = ConnectionParameters(ownAddress: .zero)

  /// The index of each connection in `Air.lines`, `none`, or `dead`.
  var lines: [8 of Int32] = .init(repeating: Self.none)

  /// The time of the next poll; poll events at other times are void.
  var pollAt = UInt64.max
  /// The number of advertisements delivered to the host.
  var delivered: UInt64 = 0
  var use = RadioUse()

  static var none: Int32 { -1 }
  /// A connection that has ended without a notification of the host.
  static var dead: Int32 { -2 }

  init(_ capabilities: RadioCapabilities) { self.capabilities = capabilities }

  /// The maximum number of connections.
  var connections: Int { min(capabilities.connections, 8) }

  /// How long an interval in microseconds takes by its crystal.
  func lengthened(_ interval: UInt64) -> UInt64 {
    UInt64((Double(interval) * (1 + deviation / 1e6)).rounded())
  }

  /// The first free connection identifier.
  func freeIndex() -> Int? {
    for index in 0..<connections where lines[index] == Self.none { return index }
    return nil
  }
}
