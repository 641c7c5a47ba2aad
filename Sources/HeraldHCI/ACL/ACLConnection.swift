import HeraldBluetooth

/// The host's state of one connection of a controller: its L2CAP state, and pending commands.
struct ACLConnection: BitwiseCopyable {
  /// The state of a connection.
  enum Life: UInt8, BitwiseCopyable {
    /// The slot is free.
    case free = 0
    /// The connection is open.
    case open = 1
    /// The connection is to be closed; the Disconnect command has not been sent yet.
    case closing = 2
    /// The Disconnect command was sent; the connection has not ended yet.
    case closed = 3
    /// The same, and the connection must have ended by `HCIRadio.disconnectedBy`.
    case due = 4
  }

  var handle: ConnectionHandle
  /// How many packets of this connection the controller holds.
  var inFlight: UInt16
  // Without padding, all connections are cleared by one call.
  var life: Life
  // The pending commands.
  var wantsDataLength: Bool
  var wantsKeyRefused: Bool
  var wantsRSSI: Bool
  var l2cap: L2CAPConnection

  /// A free slot: all zero bits.
  init() {
    handle = ConnectionHandle(rawValue: 0)
    inFlight = 0
    life = .free
    wantsDataLength = false
    wantsKeyRefused = false
    wantsRSSI = false
    l2cap = L2CAPConnection()
  }
}
