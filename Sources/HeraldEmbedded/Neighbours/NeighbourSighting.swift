import HeraldBluetooth

/// What one advertisement shows of systems other than Herald.
public struct NeighbourSighting: Equatable, BitwiseCopyable, Sendable {
  /// Where in the advertising data a contact event number of 16 bytes lies; 0 if there is none.
  public var numberStart: UInt8
  /// Whether the peer has a code that is readable over a connection only.
  public var hasHiddenCode: Bool

  /// Initialises each member.
  public init(numberStart: UInt8, hasHiddenCode: Bool) {
    self.numberStart = numberStart
    self.hasHiddenCode = hasHiddenCode
  }

  /// No sighting.
  public static var nothing: NeighbourSighting { NeighbourSighting(numberStart: 0, hasHiddenCode: false) }
  /// Whether there is any sighting.
  public var isSomething: Bool { numberStart != 0 || hasHiddenCode }
}

/// The effect of a peer's request in a system other than Herald.
public struct NeighbourNews: BitwiseCopyable, Sendable {
  /// The kind of event.
  public enum Kind: UInt8, BitwiseCopyable, Sendable {
    /// No event.
    case nothing = 0
    /// A code of ours was served to the peer that was served to no other peer before.
    case served = 1
    /// The peer wrote its own code.
    case observed = 2
  }

  /// The kind of event.
  public var kind: Kind
  /// The system concerned.
  public var system: NeighbourSystem
  /// The RSSI at which the peer receives this device, if it was written.
  public var rssi: RSSI
  /// How many bytes the code has: 8 or 16.
  public var length: UInt8
  /// The code, from the front.
  public var code: [16 of UInt8]

  /// News of a code.
  public init(
    _ kind: Kind, _ system: NeighbourSystem, length: UInt8, _ code: [16 of UInt8], rssi: RSSI = .notAvailable
  ) {
    self.kind = kind
    self.system = system
    self.rssi = rssi
    self.length = length
    self.code = code
  }

  /// No event.
  public static var nothing: NeighbourNews {
    NeighbourNews(.nothing, .covidWatch, length: 0, .init(repeating: 0), rssi: RSSI(0))
  }
}
