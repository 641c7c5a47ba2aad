import HeraldBluetooth
import HeraldHAL

/// The systems beside Herald that a device takes part in. A device is compiled for one type of them, so that
/// an image without neighbours contains none of their code; within a type each system has its switches, all
/// initially off.
///
/// Functions that only read are `mutating`, too: through a borrow the compiler would copy the whole value to
/// the stack.
///
/// The core calls these functions; nothing here calls the core. Own codes change with the own address, in one
/// step. All calls are made in Serving+Neighbours.swift.
public protocol Neighbours: BitwiseCopyable, Sendable {
  /// A scheduler with an advertising set for Herald, number 0, and one for each system, from 1 on.
  associatedtype Sets: AdvertisingSets & ~Copyable = AdvertisingScheduler<1>
  /// The device's GATT table with the services of the systems that are switched on.
  associatedtype Services: GATTTableSource = UnchangedGATTTable

  /// The number of systems.
  static var systems: Int { get }
  /// The system of an advertising set, 1…`systems`.
  static func system(ofSet set: Int) -> NeighbourSystem

  /// None of them switched on.
  init()

  // MARK: Observing

  /// Whether codes of this system are observed.
  mutating func observes(_ system: NeighbourSystem) -> Bool
  /// What an advertisement shows of the systems that are observed.
  mutating func sighting(in data: Span<UInt8>) -> NeighbourSighting

  // MARK: Showing

  /// Whether a switch, or what there is to show, changed since the last `change`.
  var needsChange: Bool { mutating get }
  /// Changes the codes: with a new own address in every system that is switched on, else only where one is
  /// missing. `unixSeconds` is the date, if known. Returns the systems that show another code than before, or
  /// no longer show one.
  mutating func change<Source: RandomSource & ~Copyable>(
    withAddress: Bool, random: inout Source, unixSeconds: UInt64?
  ) -> NeighbourSystems
  /// Whether the date is certain from now on; see `PayloadSupplier.dateIs(certain:)`.
  mutating func dateIs(certain: Bool)
  /// How long the codes may be shown, from `unixSeconds` on; `.zero` if none are shown.
  mutating func life(from unixSeconds: UInt64?) -> Interval
  /// Whether a code of this system is to be shown at present.
  mutating func shows(_ system: NeighbourSystem) -> Bool
  /// Writes the code that is shown, 8 or 16 bytes, to `buffer`, which has 16, and returns its length.
  mutating func copyCode(_ system: NeighbourSystem, into buffer: inout MutableSpan<UInt8>) -> Int
  /// Writes its advertising data to `buffer`, which has 31 bytes, and returns the length.
  mutating func advertise(_ system: NeighbourSystem, into buffer: inout MutableSpan<UInt8>) -> Int

  // MARK: Serving

  /// Builds the table again: `table`, which never changes, and behind it the services of the systems that
  /// show a code.
  mutating func serve(behind table: GATTDatabase, in services: inout Services)
  /// A value of one of their attributes is read; see `AttributeValues`.
  mutating func read(
    _ tag: AttributeTag, offset: Int, into buffer: inout MutableSpan<UInt8>, on connection: ConnectionID
  ) -> AttributeRead
  /// A value of one of their attributes is written; see `AttributeValues`.
  mutating func write(_ tag: AttributeTag, _ value: Span<UInt8>) -> ATTErrorCode?
  /// A connection ended.
  mutating func closed(_ connection: ConnectionID)
  /// The effect of the last request, returned once.
  mutating func takeNews<Source: RandomSource & ~Copyable>(random: inout Source) -> NeighbourNews
}

/// Defaults for a type without systems beside Herald.
extension Neighbours {
  public static var systems: Int { 0 }
  public static func system(ofSet set: Int) -> NeighbourSystem { .covidWatch }
  public mutating func observes(_ system: NeighbourSystem) -> Bool { false }
  public mutating func sighting(in data: Span<UInt8>) -> NeighbourSighting { .nothing }
  public var needsChange: Bool { mutating get { false } }
  public mutating func dateIs(certain: Bool) {}
  public mutating func change<Source: RandomSource & ~Copyable>(
    withAddress: Bool, random: inout Source, unixSeconds: UInt64?
  ) -> NeighbourSystems { NeighbourSystems() }
  public mutating func life(from unixSeconds: UInt64?) -> Interval { .zero }
  public mutating func shows(_ system: NeighbourSystem) -> Bool { false }
  public mutating func copyCode(_ system: NeighbourSystem, into buffer: inout MutableSpan<UInt8>) -> Int { 0 }
  public mutating func advertise(_ system: NeighbourSystem, into buffer: inout MutableSpan<UInt8>) -> Int {
    0
  }
  public mutating func serve(behind table: GATTDatabase, in services: inout Services) {}
  public mutating func read(
    _ tag: AttributeTag, offset: Int, into buffer: inout MutableSpan<UInt8>, on connection: ConnectionID
  ) -> AttributeRead { .failed(.readNotPermitted) }
  public mutating func write(_ tag: AttributeTag, _ value: Span<UInt8>) -> ATTErrorCode? {
    .writeNotPermitted
  }
  public mutating func closed(_ connection: ConnectionID) {}
  public mutating func takeNews<Source: RandomSource & ~Copyable>(random: inout Source) -> NeighbourNews {
    .nothing
  }
}

/// No system but Herald.
public struct NoNeighbours: Neighbours {
  public init() {}
}
