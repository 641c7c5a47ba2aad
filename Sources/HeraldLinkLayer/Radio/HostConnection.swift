import HeraldBluetooth

/// The state of one connection of a `LinkLayerRadio`.
struct HostConnection: BitwiseCopyable {
  /// The state as the host has seen it.
  enum Life: UInt8, BitwiseCopyable {
    /// The index is free.
    case free = 0
    /// The connection is open.
    case open = 1
    /// The host has ended it, and the link layer has not reported its end: received PDUs are discarded.
    case closing = 2
  }

  var life: Life
  /// The link layer has refused a payload, and `.ready` has not followed.
  var isBlocked: Bool
  /// The host has requested the RSSI.
  var wantsRSSI: Bool
  /// Explicit padding, so that an array of these is cleared by one call.
  private var padding: UInt8
  var l2cap: L2CAPConnection

  /// A free index: all zero bits.
  init() {
    life = .free
    isBlocked = false
    wantsRSSI = false
    padding = 0
    l2cap = L2CAPConnection()
  }

  /// Whether there is something to be passed to the link layer now.
  var hasOutgoing: Bool { life == .open && !isBlocked && l2cap.hasOutgoing }
}
