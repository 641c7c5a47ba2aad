import HeraldBluetooth
import HeraldHAL

/// The services that a device has in addition to Herald's: their attributes, an advertising set for each, and
/// what they observe of peers. A device is compiled for one type of them (`DeviceParts.ServicesType`): an
/// image without any contains none of this code.
///
/// A service has an index, from 0 on. Every member has a default; a service implements those that it needs.
/// An example is in docs/porting.md.
///
/// Functions that only read are `mutating`, too: through a borrow the compiler would copy the whole value to
/// the stack.
///
/// The core calls these functions; nothing here calls the core. What is advertised and served changes with
/// the own address, in one step.
public protocol AdditionalServices: BitwiseCopyable, Sendable {
  /// A scheduler with an advertising set for Herald, number 0, and one for each service: index + 1.
  associatedtype Sets: AdvertisingSets & ~Copyable = AdvertisingScheduler<1>
  /// The device's GATT table with the attributes of the services.
  associatedtype Table: GATTTableSource = UnchangedGATTTable

  /// The number of services, at most 8. If it is 0, the core calls nothing of them.
  static var count: Int { get }
  /// The number in the log of a service. By default, the free numbers in the order of the indices.
  static func number(of index: Int) -> ServiceNumber

  /// The state at the start.
  init()

  // MARK: Attributes

  /// Builds the table again: `table`, which never changes, and behind it the attributes of the services that
  /// are offered. Tags from 16 on are free for services, those from 32 on for services of applications.
  mutating func serve(behind table: GATTDatabase, in services: inout Table)
  /// A value of one of their attributes is read; see `AttributeValues`.
  mutating func read(
    _ tag: AttributeTag, offset: Int, into buffer: inout MutableSpan<UInt8>, on connection: ConnectionID
  ) -> AttributeRead
  /// A value of one of their attributes is written; see `AttributeValues`.
  mutating func write(_ tag: AttributeTag, _ value: Span<UInt8>) -> ATTErrorCode?
  /// A connection ended.
  mutating func closed(_ connection: ConnectionID)
  /// An effect of the last request, returned once; `.nothing` when there is no other.
  mutating func takeEvent<Source: RandomSource & ~Copyable>(random: inout Source) -> ServiceEvent

  // MARK: Advertising

  /// Whether what there is to advertise or to serve changed since the last `change`.
  var needsChange: Bool { mutating get }
  /// Changes the codes: with a new own address those of every service that is offered, else only where one is
  /// missing. `unixSeconds` is the date, if known. Returns the services that advertise something else than
  /// before, or no longer advertise. By default, all of them with a new address.
  mutating func change<Source: RandomSource & ~Copyable>(
    withAddress: Bool, random: inout Source, unixSeconds: UInt64?
  ) -> ServiceChanges
  /// Whether the date is certain from now on; see `PayloadSupplier.dateIs(certain:)`.
  mutating func dateIs(certain: Bool)
  /// How long the codes may be advertised, from `unixSeconds` on; `.zero` if there is no limit.
  mutating func life(from unixSeconds: UInt64?) -> Interval
  /// Writes the advertising data of a service to `buffer`, which has 31 bytes, and returns the length; 0 if
  /// the service does not advertise.
  mutating func advertise(_ index: Int, into buffer: inout MutableSpan<UInt8>) -> Int
  /// Writes the code that a service advertises to `buffer`, which has 31 bytes, and returns its length. It is
  /// logged before it is advertised; a code of 0 bytes is not logged.
  mutating func copyCode(_ index: Int, into buffer: inout MutableSpan<UInt8>) -> Int

  // MARK: Observing

  /// What an advertisement shows of the services that are observed.
  mutating func sighting(in data: Span<UInt8>) -> ServiceSighting
  /// Which codes are searched for on a connection to a peer, in the order of positions 0…61; `nil` behind the
  /// last, and for 0 if none are.
  mutating func search(_ position: Int) -> CodeSearch?
}

/// Defaults for a service without the respective part.
extension AdditionalServices {
  public static func number(of index: Int) -> ServiceNumber {
    ServiceNumber(rawValue: ServiceNumber.firstFree.rawValue &+ UInt8(truncatingIfNeeded: index))
  }
  public mutating func serve(behind table: GATTDatabase, in services: inout Table) {}
  public mutating func read(
    _ tag: AttributeTag, offset: Int, into buffer: inout MutableSpan<UInt8>, on connection: ConnectionID
  ) -> AttributeRead { .failed(.readNotPermitted) }
  public mutating func write(_ tag: AttributeTag, _ value: Span<UInt8>) -> ATTErrorCode? {
    .writeNotPermitted
  }
  public mutating func closed(_ connection: ConnectionID) {}
  public mutating func takeEvent<Source: RandomSource & ~Copyable>(random: inout Source) -> ServiceEvent {
    .nothing
  }
  public var needsChange: Bool { mutating get { false } }
  public mutating func change<Source: RandomSource & ~Copyable>(
    withAddress: Bool, random: inout Source, unixSeconds: UInt64?
  ) -> ServiceChanges { withAddress ? .all : ServiceChanges() }
  public mutating func dateIs(certain: Bool) {}
  public mutating func life(from unixSeconds: UInt64?) -> Interval { .zero }
  public mutating func advertise(_ index: Int, into buffer: inout MutableSpan<UInt8>) -> Int { 0 }
  public mutating func copyCode(_ index: Int, into buffer: inout MutableSpan<UInt8>) -> Int { 0 }
  public mutating func sighting(in data: Span<UInt8>) -> ServiceSighting { .nothing }
  public mutating func search(_ position: Int) -> CodeSearch? { nil }
}

/// Herald's service only.
public struct NoAdditionalServices: AdditionalServices {
  public init() {}
  public static var count: Int { 0 }
}
