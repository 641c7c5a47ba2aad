import HeraldBluetooth

/// What one advertisement shows of systems other than Herald.
public struct NeighbourSighting: Equatable, BitwiseCopyable, Sendable {
  /// Where in the advertising data a contact event number of 16 bytes lies; 0 if there is none.
  public var numberStart: UInt8
  /// Whether the peer has a code that can only be had over a connection.
  public var hasHiddenCode: Bool

  /// Stated one by one.
  @inlinable
  public init(numberStart: UInt8, hasHiddenCode: Bool) {
    self.numberStart = numberStart
    self.hasHiddenCode = hasHiddenCode
  }

  /// None of them.
  @inlinable
  public static var nothing: NeighbourSighting { NeighbourSighting(numberStart: 0, hasHiddenCode: false) }
  /// Whether there is anything.
  @inlinable
  public var isSomething: Bool { numberStart != 0 || hasHiddenCode }
}

/// What a peer's request brought about in a system other than Herald.
public struct NeighbourNews: BitwiseCopyable, Sendable {
  /// What it is about.
  public enum Kind: UInt8, BitwiseCopyable, Sendable {
    /// Nothing happened.
    case nothing = 0
    /// The peer was given a code of ours that nobody was given before.
    case served = 1
    /// The peer wrote its own.
    case observed = 2
  }

  /// What it is about.
  public var kind: Kind
  /// In which system.
  public var system: NeighbourSystem
  /// How strongly the peer hears us, if it said so.
  public var rssi: RSSI
  /// How many bytes the code has: 8 or 16.
  public var length: UInt8
  /// The code, from the front.
  public var code: [16 of UInt8]

  /// A code.
  public init(
    _ kind: Kind, _ system: NeighbourSystem, length: UInt8, _ code: [16 of UInt8], rssi: RSSI = .notAvailable
  ) {
    self.kind = kind
    self.system = system
    self.rssi = rssi
    self.length = length
    self.code = code
  }

  /// Nothing happened.
  public static var nothing: NeighbourNews {
    NeighbourNews(.nothing, .covidWatch, length: 0, .init(repeating: 0), rssi: RSSI(0))
  }
}
