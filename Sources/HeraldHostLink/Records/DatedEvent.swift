import HeraldEmbedded

/// An event of a peer at a known date, as input of the tables.
public struct DatedEvent: Equatable, Sendable {
  /// The kind of the event.
  public enum Kind: Equatable, Sendable {
    /// A peer was detected for the first time.
    case detected
    /// A payload was read from the peer.
    case read([UInt8])
    /// An RSSI in dBm, and the transmit power in dBm last advertised by the peer.
    case measured(rssi: Int, txPower: Int?)
    /// A payload that the peer shared.
    case shared([UInt8])
    /// The peer was confirmed to be a Herald device.
    case heraldDetected
    /// The peer was lost.
    case lost
    /// A stay near this peer, a venue beacon, has ended.
    case visited(VenueVisit)
  }

  /// The date in milliseconds since 1970-01-01T00:00:00Z.
  public let unixMilliseconds: UInt64
  /// The peer.
  public let peer: TargetIdentity
  /// The kind of the event.
  public let kind: Kind

  /// Initialises each member.
  public init(unixMilliseconds: UInt64, peer: TargetIdentity, kind: Kind) {
    self.unixMilliseconds = unixMilliseconds
    self.peer = peer
    self.kind = kind
  }
}

/// A battery reading with its date.
public struct BatteryLevel: Equatable, Sendable {
  /// The date in milliseconds since 1970-01-01T00:00:00Z.
  public let unixMilliseconds: UInt64
  /// The level in percent.
  public let level: Double
  /// Whether the device had external power.
  public let isExternal: Bool

  /// Initialises each member.
  public init(unixMilliseconds: UInt64, level: Double, isExternal: Bool) {
    self.unixMilliseconds = unixMilliseconds
    self.level = level
    self.isExternal = isExternal
  }
}

extension TargetIdentity {
  /// Whether the peer is only known from data that another peer shared or wrote, and was not received itself
  /// (HP-43).
  var isHearsay: Bool { kind == .shared }

  /// The 48 bits as `AA:BB:CC:DD:EE:FF`, most significant byte first, as Android writes an address.
  public var addressText: String {
    var bytes: [UInt8] = []
    appendAddress(to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Appends the 17 bytes of `addressText`.
  func appendAddress(to text: inout [UInt8]) {
    let digits: StaticString = "0123456789ABCDEF"
    let value = UInt64(high) << 32 | UInt64(low)
    for index in 0..<6 {
      if index > 0 { text.append(0x3A) }
      let byte = Int(truncatingIfNeeded: value >> UInt64(40 - 8 * index)) & 0xFF
      text.append(digits.utf8Start[byte >> 4])
      text.append(digits.utf8Start[byte & 15])
    }
  }
}
