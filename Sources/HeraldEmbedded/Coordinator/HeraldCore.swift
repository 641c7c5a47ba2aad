import HeraldBluetooth
import HeraldHAL

/// A Herald device without its radio: everything it knows and decides.
///
/// It handles the radio's events (CoordinatorHearing.swift, CoordinatorExchange.swift) and, between them,
/// says what the radio is to do (CoordinatorRun.swift). It never waits and reads no clock; a step that takes
/// time has a deadline, and `run` returns the earliest.
///
/// - `targets` is how many peers it tracks at once; `TargetTable` says what happens to more.
/// - `connections` is how many connections it holds at once; more are closed as they come.
/// - `payloads` is how many payloads and messages may be on their way at once, over all connections, 516
///   bytes each; `PayloadPool` says what happens to more. With fewer than `connections` a peer may be told to
///   come again, or be asked by us a second later.
public struct HeraldCore<
  FlashType: Flash & ~Copyable, RandomType: RandomSource & ~Copyable,
  SupplierType: PayloadSupplier & ~Copyable, DelegateType: SensorDelegate & ~Copyable,
  NeighbourType: Neighbours,
  let targets: Int, let connections: Int, let payloads: Int
>: ~Copyable {
  /// The type of the log.
  public typealias Log = FlashLog<FlashType, 64>

  /// What was chosen at start-up.
  public let configuration: HeraldConfiguration
  /// What a host has set since (`take`).
  @usableFromInline var settings: SettingValues
  // What is used together lies together, large and rare things first: functions then reach most of it from
  // one address.

  /// The payloads that are passed on.
  @usableFromInline var sharing: SharingStore
  /// The log. Its dictionary is as large as the format allows: with 60 peers about, one of 32 would take 4.5
  /// bytes for a reading instead of 1.7, to save 416 bytes of RAM.
  public var log: Log
  /// Who hears of the sensor's events.
  public var delegate: DelegateType
  /// The source of addresses and keys.
  public var random: RandomType
  /// The date, if known. `setClock` sets it.
  public var clock: WallClock
  /// The peers. For looking at: what happens to them is decided here.
  public var table: TargetTable<targets>
  @usableFromInline var counters: CoordinatorCounters
  /// What strangers may still take.
  @usableFromInline var strangers: StrangerBudget<targets>
  @usableFromInline var server: ATTServer<NeighbourType.Table, connections, 1>
  /// The GATT table.
  @usableFromInline var services: NeighbourType.Services
  @usableFromInline var links: [connections of Link]
  /// Connections with numbers beyond our places that are to be closed, a bit each.
  @usableFromInline var surplus: UInt32
  @usableFromInline var surplusAt: Instant
  @usableFromInline var attempt: Attempt
  @usableFromInline var outbox: Outbox
  /// When it is worth looking for a peer to connect to.
  @usableFromInline var workAt: Instant
  /// Until when to scan more, as several peers wait to have their payloads read.
  @usableFromInline var busyUntil: Instant
  /// How much more than scheduled may be listened for strangers.
  @usableFromInline var listening: RateBudget

  @usableFromInline var advertising: NeighbourType.Sets
  @usableFromInline var scanning: ScanSchedule
  @usableFromInline var shownScan: ScanParameters?
  @usableFromInline var rotation: AddressRotation
  /// What own addresses are made with. A device that keeps it sets it before its first `run` and stays
  /// recognisable to whoever has it; without one (all zeros) the device makes a new one when it starts.
  public var key: IdentityResolvingKey
  /// Whether the supplier had a payload when asked last.
  @usableFromInline var offersPayload: Bool
  @usableFromInline var loggedPayload: UInt64
  /// The payload before that: peers may pass it on to us for some time.
  @usableFromInline var formerPayload: UInt64
  /// Connections that are to be told of a new payload if they asked for that, a bit each.
  @usableFromInline var unnotified: UInt32

  @usableFromInline var capabilities: RadioCapabilities
  @usableFromInline var radioState: RadioState
  /// What the delegate was told last, and whether the application switched the sensor off.
  @usableFromInline var shownState: SensorState
  @usableFromInline var isSwitchedOff: Bool
  @usableFromInline var isStarted: Bool
  /// Whether the radio refused something in this run: try again soon.
  @usableFromInline var wasRefused: Bool
  /// Whether something happened since the last `run` that it has to act upon.
  public var hasNews: Bool
  /// When to call `run` again at the latest.
  @usableFromInline var wakeAt: Instant
  @usableFromInline var commitAt: Instant
  /// When to look for peers that have been silent for too long.
  @usableFromInline var ageAt: Instant
  /// From when on the log is tidied also while somebody is connected.
  @usableFromInline var tidyAt: Instant
  // Behind the rest: the buffers in it are in nobody's way there.

  /// What our GATT table serves, the supplier of payloads included.
  public var values: ServedValues<SupplierType, NeighbourType, connections, payloads>

  /// A device that has not started. It starts at the first `run`.
  ///
  /// Whoever makes a device in a function of its own (`ManagedNode`) inlines this: then supplier and delegate
  /// are made in their places, and not on the stack first.
  @inlinable
  public init(
    flash: consuming FlashType, random: consuming RandomType,
    supplier: consuming SupplierType, delegate: consuming DelegateType,
    configuration: HeraldConfiguration
  ) {
    self.configuration = configuration
    settings = SettingValues()
    log = FlashLog(flash: flash)
    self.delegate = delegate
    self.random = random
    clock = WallClock()
    values = ServedValues(supplier: supplier)
    services = NeighbourType.Services()
    table = TargetTable()
    strangers = StrangerBudget()
    sharing = SharingStore()
    server = ATTServer()
    links = .init(repeating: Link())
    surplus = 0
    surplusAt = .start
    attempt = Attempt()
    outbox = Outbox()
    workAt = .never
    busyUntil = .start
    listening = RateBudget()
    advertising = NeighbourType.Sets()
    scanning = ScanSchedule(configuration.scanTiming)
    shownScan = nil
    rotation = AddressRotation(period: configuration.addressPeriod)
    key = .none
    offersPayload = false
    loggedPayload = 0
    formerPayload = 0
    unnotified = 0
    capabilities = RadioCapabilities(
      canAdvertise: false, canAdvertiseWhileConnected: false, canScanWhileConnecting: false,
      canConnect: false, connections: 0, maximumPDU: ATTLimits.defaultMTU, publicAddress: .zero)
    radioState = .starting
    shownState = .off
    isSwitchedOff = false
    isStarted = false
    wasRefused = false
    hasNews = false
    wakeAt = .start
    commitAt = .start
    ageAt = .start
    tidyAt = .start
    counters = CoordinatorCounters()
  }

  /// Sets the date: it is `unixMilliseconds` after 1970-01-01T00:00:00Z at `now`. Address and payload change
  /// at the next opportunity. `false` for a date before the device's own start.
  @inlinable
  public mutating func setClock(unixMilliseconds: UInt64, at now: Instant, source: WallClock.Source) -> Bool {
    self.now = now
    if !isStarted { start() }
    guard clock.set(unixMilliseconds: unixMilliseconds, at: now, source: source) else { return false }
    values.supplier.dateWasSet(isCertain: source == .host)
    values.neighbours.dateWasSet(isCertain: source == .host)
    record(.clockSet(unixMilliseconds: unixMilliseconds, source: source))
    rotation.rotateSoon()
    return true
  }

  /// The moment of the call that is being made from outside, which sets it first of all, so that it need not
  /// be handed on. What is served goes by it as well.
  @inlinable
  var now: Instant {
    mutating get { values.askedAt }
    set { values.askedAt = newValue }
  }

  /// Whether the application holds back the change of address and payload.
  @inlinable
  public var holdsRotation: Bool {
    get { rotation.isHeld }
    set { rotation.isHeld = newValue }
  }

  /// The address shown at present; `.zero` before the first.
  @inlinable
  public var ownAddress: DeviceAddress { advertising.address }

  /// Advertisements heard. Wraps.
  @inlinable
  var heard: UInt32 { counters[.adverts] }

  /// The value of a counter.
  @inlinable
  public mutating func counter(_ counter: CoordinatorCounter) -> UInt32 {
    switch counter {
    case .payloadsServed: values.served
    case .payloadsNotServed: values.notServed
    case .signals: values.signals
    case .signalWakes: values.wakes
    case .signalsMalformed: values.malformed
    case .signalsWithoutBuffer: values.withoutBuffer
    default: counters[counter]
    }
  }

  /// Puts an event into the log; one it does not take is counted.
  @inlinable @inline(__always)
  mutating func record(_ event: LogEvent) {
    var record = LogRecordFields(event)
    add(&record)
  }

  /// The same for what happened to a peer, in the shape in which it is logged: there are many calls, and this
  /// is short at each. `extra` is the strength of a reading, and of other kinds the plain field.
  @inlinable @inline(never)
  mutating func record(_ kind: LogKind, of target: TargetIdentity, extra: UInt8 = 0) {
    var record = LogRecordFields(
      kind: kind, target: target, rssi: Int8(bitPattern: extra), extra: extra)
    add(&record)
  }

  /// The same with bytes that are in a buffer beside it.
  @inlinable @inline(never)
  mutating func record(
    _ kind: LogKind, of target: TargetIdentity = LogRecordFields.nobody, extra: UInt8 = 0,
    _ range: Range<Int>, in buffer: Int
  ) {
    var record = LogRecordFields(kind: kind, target: target, extra: extra)
    if !values.pool.buffers[buffer].record(&record, range, in: &log, at: now, clock: clock) {
      counters.count(.logErrors)
    }
  }

  /// Puts a record into the log; one it does not take is counted.
  @inlinable @inline(never)
  mutating func add(_ record: inout LogRecordFields) {
    do throws(LogError) { try log.append(&record, bytes: Span(), at: now, clock: clock) } catch {
      counters.count(.logErrors)
      delegate.tell(.fault, "an event could not be logged", at: now)
    }
  }

  /// Logs a reading.
  @inlinable @inline(__always)
  mutating func record(reading rssi: RSSI, of target: TargetIdentity) {
    if !log.take(reading: rssi, of: target, at: now) {
      record(.measured, of: target, extra: UInt8(bitPattern: rssi.rawValue))
    }
  }
}

extension HeraldCore: StatisticsSource
where
  FlashType: ~Copyable, RandomType: ~Copyable, SupplierType: ~Copyable, DelegateType: ~Copyable
{
  /// "herald".
  @inlinable public static var statisticsName: StaticString { "herald" }
  /// The counters of `CoordinatorCounter`, the evictions, and how many peers are tracked and known.
  @inlinable public static var statisticsCount: Int { CoordinatorCounter.count &+ 2 }
  /// The name of counter `index`.
  @inlinable
  public static func statisticName(_ index: Int) -> StaticWord {
    StaticWord(index, of: CoordinatorCounters.names)
  }
  /// The value of counter `index`.
  @inlinable
  public mutating func statistic(_ index: Int) -> UInt32 {
    switch index {
    case CoordinatorCounter.count: return table.evictions
    case CoordinatorCounter.count &+ 1: return UInt32(truncatingIfNeeded: table.count)
    default:
      guard let counter = CoordinatorCounter(rawValue: index) else { return 0 }
      return self.counter(counter)
    }
  }
}
