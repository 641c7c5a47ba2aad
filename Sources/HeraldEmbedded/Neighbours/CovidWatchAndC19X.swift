import HeraldBluetooth
import HeraldHAL

/// CovidWatch and C19X, each with its own switches.
public struct CovidWatchAndC19X: Neighbours {
  /// One set for Herald and one for each.
  public typealias Sets = AdvertisingScheduler<3>
  /// Herald's 21 attributes, 3 of Service Changed and 3 of each.
  public typealias Services = ComposedGATTTable<30, 183>

  /// CovidWatch.
  public var covidWatch: CovidWatch
  /// C19X.
  public var c19x: C19X

  /// Both switched off.
  public init() {
    covidWatch = CovidWatch()
    c19x = C19X()
  }

  /// The number of systems: two.
  public static var systems: Int { 2 }
  /// CovidWatch has set 1, C19X set 2.
  public static func system(ofSet set: Int) -> NeighbourSystem { set == 1 ? .covidWatch : .c19x }

  /// Whether codes of the system are observed.
  public mutating func observes(_ system: NeighbourSystem) -> Bool {
    covidWatch.observes(system) || c19x.observes(system)
  }

  /// The sightings of both systems.
  public mutating func sighting(in data: Span<UInt8>) -> NeighbourSighting {
    var sighting = covidWatch.sighting(in: data)
    if c19x.sighting(in: data).hasHiddenCode { sighting.hasHiddenCode = true }
    return sighting
  }

  /// Whether either system needs a change.
  public var needsChange: Bool { mutating get { covidWatch.needsChange || c19x.needsChange } }

  /// Informs C19X, which has keys.
  public mutating func dateIs(certain: Bool) { c19x.dateIs(certain: certain) }

  /// Changes the codes of both.
  public mutating func change<Source: RandomSource & ~Copyable>(
    withAddress: Bool, random: inout Source, unixSeconds: UInt64?
  ) -> NeighbourSystems {
    var changed = covidWatch.change(withAddress: withAddress, random: &random, unixSeconds: unixSeconds)
    changed.insert(c19x.change(withAddress: withAddress, random: &random, unixSeconds: unixSeconds))
    return changed
  }

  /// The shorter lifetime of the two.
  public mutating func life(from unixSeconds: UInt64?) -> Interval {
    let number = covidWatch.life(from: unixSeconds)
    let code = c19x.life(from: unixSeconds)
    if number == .zero { return code }
    return code == .zero || number < code ? number : code
  }

  /// Whether there is a code of the system to show.
  public mutating func shows(_ system: NeighbourSystem) -> Bool {
    covidWatch.shows(system) || c19x.shows(system)
  }

  /// The code that is shown.
  public mutating func copyCode(_ system: NeighbourSystem, into buffer: inout MutableSpan<UInt8>) -> Int {
    switch system {
    case .covidWatch: covidWatch.copyCode(system, into: &buffer)
    case .c19x: c19x.copyCode(system, into: &buffer)
    }
  }

  /// The advertising data of the system.
  public mutating func advertise(_ system: NeighbourSystem, into buffer: inout MutableSpan<UInt8>) -> Int {
    switch system {
    case .covidWatch: covidWatch.advertise(system, into: &buffer)
    case .c19x: c19x.advertise(system, into: &buffer)
    }
  }

  /// Herald's services, then CovidWatch's, then C19X's.
  public mutating func serve(behind table: GATTDatabase, in services: inout Services) {
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
  public mutating func takeNews<Source: RandomSource & ~Copyable>(random: inout Source) -> NeighbourNews {
    let news = covidWatch.takeNews(random: &random)
    return news.kind == .nothing ? c19x.takeNews(random: &random) : news
  }
}
