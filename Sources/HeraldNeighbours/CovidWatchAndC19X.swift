import HeraldBluetooth
import HeraldEmbedded
import HeraldHAL

/// CovidWatch and C19X, each with its own switches.
public struct CovidWatchAndC19X: AdditionalServices {
  /// One set for Herald and one for each.
  public typealias Sets = AdvertisingScheduler<3>
  /// Herald's 21 attributes, 3 of Service Changed and 3 of each.
  public typealias Table = ComposedGATTTable<30, 183>

  /// CovidWatch.
  public var covidWatch: CovidWatch
  /// C19X.
  public var c19x: C19X

  /// Both switched off.
  public init() {
    covidWatch = CovidWatch()
    c19x = C19X()
  }

  /// The number of services: two.
  public static var count: Int { 2 }
  /// CovidWatch has index 0, C19X index 1.
  public static func number(of index: Int) -> ServiceNumber { index == 0 ? .covidWatch : .c19x }

  /// The sightings of both systems.
  public mutating func sighting(in data: Span<UInt8>) -> ServiceSighting {
    var sighting = covidWatch.sighting(in: data)
    if c19x.sighting(in: data).hasHiddenCode { sighting.hasHiddenCode = true }
    return sighting
  }

  /// CovidWatch's search, if its numbers are observed, then C19X's.
  public mutating func search(_ position: Int) -> CodeSearch? {
    covidWatch.search(position) ?? c19x.search(covidWatch.isObserver ? position &- 1 : position)
  }

  /// Whether either system needs a change.
  public var needsChange: Bool { mutating get { covidWatch.needsChange || c19x.needsChange } }

  /// Informs C19X, which has keys.
  public mutating func dateIs(certain: Bool) { c19x.dateIs(certain: certain) }

  /// Changes the codes of both.
  public mutating func change<Source: RandomSource & ~Copyable>(
    withAddress: Bool, random: inout Source, unixSeconds: UInt64?
  ) -> ServiceChanges {
    var changed = covidWatch.change(withAddress: withAddress, random: &random, unixSeconds: unixSeconds)
    changed.insert(
      c19x.change(withAddress: withAddress, random: &random, unixSeconds: unixSeconds), from: 1)
    return changed
  }

  /// The shorter lifetime of the two.
  public mutating func life(from unixSeconds: UInt64?) -> Interval {
    let number = covidWatch.life(from: unixSeconds)
    let code = c19x.life(from: unixSeconds)
    if number == .zero { return code }
    return code == .zero || number < code ? number : code
  }

  /// The code that is shown.
  public mutating func copyCode(_ index: Int, into buffer: inout MutableSpan<UInt8>) -> Int {
    index == 0 ? covidWatch.copyCode(0, into: &buffer) : c19x.copyCode(0, into: &buffer)
  }

  /// The advertising data of the system.
  public mutating func advertise(_ index: Int, into buffer: inout MutableSpan<UInt8>) -> Int {
    index == 0 ? covidWatch.advertise(0, into: &buffer) : c19x.advertise(0, into: &buffer)
  }

  /// Herald's services, then CovidWatch's, then C19X's.
  public mutating func serve(behind table: GATTDatabase, in services: inout Table) {
    guard services.start(with: table) else { return }
    append(to: &services)
  }

  /// Appends the services of the systems that show a code to a table of the caller.
  public mutating func append<let attributes: Int, let room: Int>(
    to table: inout ComposedGATTTable<attributes, room>
  ) {
    covidWatch.append(to: &table)
    c19x.append(to: &table)
  }

  /// Only CovidWatch has a readable value.
  public mutating func read(
    _ tag: AttributeTag, offset: Int, into buffer: inout MutableSpan<UInt8>, on connection: ConnectionID
  ) -> AttributeRead { covidWatch.read(tag, offset: offset, into: &buffer, on: connection) }

  /// Passes the write to the system of the attribute.
  public mutating func write(_ tag: AttributeTag, _ value: Span<UInt8>) -> ATTErrorCode? {
    tag == .beaconCode ? c19x.write(tag, value) : covidWatch.write(tag, value)
  }

  /// Releases the connection's number.
  public mutating func closed(_ connection: ConnectionID) { covidWatch.closed(connection) }

  /// Returns the next change of CovidWatch, or, if there is none, of C19X.
  public mutating func takeEvent<Source: RandomSource & ~Copyable>(random: inout Source) -> ServiceEvent {
    let event = covidWatch.takeEvent(random: &random)
    return event.kind == .nothing ? c19x.takeEvent(random: &random) : event
  }
}
