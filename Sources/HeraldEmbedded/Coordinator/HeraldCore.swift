import HeraldBluetooth
import HeraldHAL

/// A Herald device without its radio: all of its state and decisions.
///
/// It is a sequencer of machines, each of which owns its state: it passes the radio's events to them
/// (HeraldCore+Events.swift), and between these issues their commands to the radio (HeraldCore+Run.swift). It
/// never blocks and reads no clock; a step that takes time has a deadline, and `run` returns the earliest.
///
/// - `targets` is how many peers it tracks at once; `TargetTable` says what happens beyond that.
/// - `connections` is how many connections it holds at once; further ones are closed when they open.
/// - `payloads` is how many payloads and messages may be in transfer at once, over all connections, 516 bytes
///   each; `PayloadPool` says what happens beyond that. With fewer than `connections` a peer may have to
///   repeat its request, or get this device's request a second later.
public struct HeraldCore<Parts: DeviceParts, let targets: Int, let connections: Int, let payloads: Int>:
  ~Copyable
{
  /// What the machines share: time, configuration, settings, random source, and the sink of events.
  public typealias Context = CoreContext<Parts>
  /// The type of the log.
  public typealias Log = FlashLog<Parts.FlashType, 64>

  // Members that are used together are adjacent, large and rare things first: functions then reach most of it
  // from one address.

  /// The state that the machines share.
  public var context: Context
  /// The peers.
  var peers: Peers<Parts, targets>
  /// The exchanges, one for each connection.
  var exchanges: Exchanges<Parts, targets, connections, payloads>
  var outbox: Outbox

  /// Address, payload, advertising.
  var presence: OwnPresence<Parts, targets, connections, payloads>
  var scanning: Scanning

  /// Whether the sensor is on.
  var power: SensorSwitch
  var isStarted: Bool
  /// When the table is searched for peers that have been silent for too long.
  var ageing: Ageing
  // Last, because of its large buffers: the members before it keep small offsets.

  /// The GATT server.
  var serving: Serving<Parts, targets, connections, payloads>

  /// A device that has not started. It starts at the first `run`.
  ///
  /// Inlined by a function that makes the device (`ManagedNode`): supplier and delegate are then made in
  /// place, and not on the stack first.
  public init(
    flash: consuming Parts.FlashType, random: consuming Parts.RandomType,
    supplier: () -> Parts.SupplierType, delegate: () -> Parts.DelegateType,
    configuration: () -> HeraldConfiguration
  ) {
    context = CoreContext(flash: flash, random: random, delegate: delegate, configuration: configuration)
    serving = Serving(supplier: supplier)
    peers = Peers()
    exchanges = Exchanges()
    outbox = Outbox()
    presence = OwnPresence(addressPeriod: context.configuration.addressPeriod)
    scanning = Scanning(context.configuration.scanTiming)
    power = SensorSwitch()
    isStarted = false
    ageing = Ageing()
  }

  /// Sets the date: it is `unixMilliseconds` after 1970-01-01T00:00:00Z at `now`. Address and payload
  /// change at the next opportunity. Nothing is erased because of it (`CoreContext.isDateCertain`). `false`
  /// for a date before the device's own start.
  public mutating func setClock(unixMilliseconds: UInt64, at now: Instant, source: WallClock.Source) -> Bool {
    context.now = now
    if !isStarted { start(reason: context.configuration.startReason) }
    let former = context.sink.clock
    guard context.sink.clock.set(unixMilliseconds: unixMilliseconds, at: now, source: source) else {
      return false
    }
    context.noteDate(instead: former)
    context.sink.record(.clockSet(unixMilliseconds: unixMilliseconds, source: source))
    presence.changeSoon()
    return true
  }

  // MARK: What is to be seen of it

  /// The services that this device has in addition to Herald's.
  public var services: Parts.ServicesType {
    mutating get { serving.values.services }
    _modify { yield &serving.values.services }
  }
  /// The values of the GATT table, the supplier of payloads included.
  public var values: ServedValues<Parts, connections, payloads> {
    _read { yield serving.values }
    _modify { yield &serving.values }
  }
  /// The peers, for reading; the core alone changes them.
  public var table: TargetTable<targets> {
    _read { yield peers.table }
    _modify { yield &peers.table }
  }
  /// The log.
  public var log: Log {
    _read { yield context.sink.log }
    _modify { yield &context.sink.log }
  }
  /// Receives the sensor's events.
  public var delegate: Parts.DelegateType {
    _read { yield context.sink.delegate }
    _modify { yield &context.sink.delegate }
  }
  /// The source of addresses and keys.
  public var random: Parts.RandomType {
    _read { yield context.random }
    _modify { yield &context.random }
  }
  /// The date, if known. `setClock` sets it.
  public var clock: WallClock { context.sink.clock }
  /// Whether it advertises while the radio is ready: it may, and has a payload.
  public var isAdvertising: Bool { context.canAdvertise && context.offersPayload }
  /// For how many days records of the log are kept, 0: as long as there is room.
  public var retentionDays: UInt16 { context.retentionDays }
  /// The number of a setting that is in effect; 0 for an unknown setting.
  public func inEffect(_ setting: Setting) -> UInt32 { context.inEffect(setting) }

  /// Whether the application holds back the change of address and payload.
  public var holdsRotation: Bool {
    get { presence.rotation.isHeld }
    set { presence.rotation.isHeld = newValue }
  }

  /// The names of the device. They are set before the first `run`.
  public var names: DeviceNames {
    get { serving.values.names }
    set { serving.values.names = newValue }
  }

  /// The present own address; `.zero` before the first.
  public var ownAddress: DeviceAddress { presence.address }

  /// The key from which own addresses are generated. A device that keeps it sets it before its first `run`,
  /// so that holders of the key can resolve its addresses; without one (all zeros) the device generates a new
  /// one when it starts.
  public var key: IdentityResolvingKey {
    get { presence.key }
    set { presence.key = newValue }
  }

  /// The value of a counter.
  public mutating func counter(_ counter: HeraldCounter) -> UInt32 {
    serving.values.count(of: counter) ?? context.sink.counters[counter]
  }
}

extension HeraldCore: StatisticsSource {
  /// "herald".
  public static var statisticsName: StaticString { "herald" }
  /// The counters of `HeraldCounter`, the evictions, and how many peers are tracked and known.
  public static var statisticsCount: Int { HeraldCounter.count &+ 2 }
  /// The name of counter `index`.
  public static func statisticName(_ index: Int) -> StaticWord {
    StaticWord(index, of: HeraldCounters.names)
  }
  /// The value of counter `index`.
  public mutating func statistic(_ index: Int) -> UInt32 {
    switch index {
    case HeraldCounter.count: return peers.table.evictions
    case HeraldCounter.count &+ 1: return UInt32(truncatingIfNeeded: peers.table.count)
    default:
      guard let counter = HeraldCounter(rawValue: index) else { return 0 }
      return self.counter(counter)
    }
  }
}
