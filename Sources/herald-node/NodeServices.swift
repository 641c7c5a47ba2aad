import ArgumentParser
import HeraldBluetooth
import HeraldEmbedded
import HeraldHAL
import HeraldNeighbours

/// The GATT services of the node in addition to a Herald table: another provider's service if configured, and
/// the neighbours that are enabled.
struct NodeServices: AdditionalServices {
  typealias Sets = CovidWatchAndC19X.Sets
  /// Capacity: at most 21 attributes of Herald, 3 of Service Changed, 5 of another provider's service, and 3
  /// of each system.
  typealias Table = ComposedGATTTable<40, 400>

  /// The neighbours.
  var systems: CovidWatchAndC19X
  /// The UUID of another provider's service (HP-37).
  var customService: UUID128?

  init() {
    systems = CovidWatchAndC19X()
    customService = nil
  }

  static var count: Int { CovidWatchAndC19X.count }
  static func number(of index: Int) -> ServiceNumber { CovidWatchAndC19X.number(of: index) }

  mutating func sighting(in data: Span<UInt8>) -> ServiceSighting { systems.sighting(in: data) }
  mutating func search(_ position: Int) -> CodeSearch? { systems.search(position) }

  var needsChange: Bool { mutating get { systems.needsChange } }
  mutating func change<Source: RandomSource & ~Copyable>(
    withAddress: Bool, random: inout Source, unixSeconds: UInt64?
  ) -> ServiceChanges {
    systems.change(withAddress: withAddress, random: &random, unixSeconds: unixSeconds)
  }
  mutating func dateIs(certain: Bool) { systems.dateIs(certain: certain) }
  mutating func life(from unixSeconds: UInt64?) -> Interval { systems.life(from: unixSeconds) }
  mutating func copyCode(_ index: Int, into buffer: inout MutableSpan<UInt8>) -> Int {
    systems.copyCode(index, into: &buffer)
  }
  mutating func advertise(_ index: Int, into buffer: inout MutableSpan<UInt8>) -> Int {
    systems.advertise(index, into: &buffer)
  }

  /// Appends the provider's service with Herald's characteristics, and the systems, to the table. As no
  /// system can be enabled while the node runs, the table is constant and has no Service Changed.
  mutating func serve(behind table: GATTDatabase, in services: inout Table) {
    let isFixed = !systems.covidWatch.isPeripheral && !systems.c19x.isPeripheral
    guard services.start(with: table, isFixed: isFixed) else { return }
    if let customService {
      services.appendHerald(customService)
      services.endConstantPart()
    }
    systems.append(to: &services)
  }
  mutating func read(
    _ tag: AttributeTag, offset: Int, into buffer: inout MutableSpan<UInt8>, on connection: ConnectionID
  ) -> AttributeRead { systems.read(tag, offset: offset, into: &buffer, on: connection) }
  mutating func write(_ tag: AttributeTag, _ value: Span<UInt8>) -> ATTErrorCode? {
    systems.write(tag, value)
  }
  mutating func closed(_ connection: ConnectionID) { systems.closed(connection) }
  mutating func takeEvent<Source: RandomSource & ~Copyable>(random: inout Source) -> ServiceEvent {
    systems.takeEvent(random: &random)
  }
}

extension ComposedGATTTable {
  /// Appends a service with Herald's two characteristics, as wearables have them.
  fileprivate mutating func appendHerald(_ service: UUID128) {
    guard appendService(service),
      appendCharacteristic(HeraldUUIDs.compliantSignal, .write, longest: 512, tag: .signal)
    else { return }
    _ = appendCharacteristic(HeraldUUIDs.payload, .read, longest: 0, tag: .payload)
  }
}

/// The Herald table to be served.
enum TableChoice: String, ExpressibleByArgument, CaseIterable {
  /// The table of wearables.
  case usual
  /// Herald's service with the signal characteristics of Android and iOS phones (HP-36).
  case bothSignals = "both-signals"
  /// With a payload characteristic that supports notifications (HP-08).
  case notifying
  /// With the payload of OpenTrace in addition to Herald's (HP-38, HP-39).
  case legacy
}
