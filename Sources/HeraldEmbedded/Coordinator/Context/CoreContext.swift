import HeraldBluetooth
import HeraldHAL

/// What the machines of the core receive beside their input: time, configuration, settings, capabilities of
/// the radio, random source, and the sink of events. They also store here when the next `run` is due.
public struct CoreContext<Parts: DeviceParts>: ~Copyable {
  /// The sink of events.
  public var sink: LogSink<Parts>
  /// The source of addresses and keys.
  public var random: Parts.RandomType
  /// The configuration at start-up.
  public let configuration: HeraldConfiguration
  /// The settings that a host has changed since.
  var settings: SettingValues
  /// The latency that makes the cell last, if a host has set for how long it is to.
  var latency: LatencyChoice
  /// The capabilities of the radio.
  var capabilities: RadioCapabilities
  /// Since when the date has held.
  var dateHeldSince: Instant
  /// Whether the supplier had a payload at the last check.
  var offersPayload: Bool
  /// Whether the radio refused a command in this run: it is repeated soon.
  var wasRefused: Bool
  /// Whether something happened since the last `run` that the next one has to process.
  var hasNews: Bool
  /// When to call `run` again at the latest.
  var wakeAt: Instant

  /// The context of a device that has not started.
  @inline(__always)
  public init(
    flash: consuming Parts.FlashType, random: consuming Parts.RandomType, delegate: () -> Parts.DelegateType,
    configuration: () -> HeraldConfiguration
  ) {
    self.configuration = configuration()
    settings = SettingValues()
    latency = LatencyChoice()
    dateHeldSince = .start
    sink = LogSink(flash: flash, delegate: delegate)
    self.random = random
    capabilities = RadioCapabilities(
      canAdvertise: false, canAdvertiseWhileConnected: false, canScanWhileConnecting: false,
      canConnect: false, connections: 0, maximumPDU: ATTLimits.defaultMTU, publicAddress: .zero)
    offersPayload = false
    wasRefused = false
    hasNews = false
    wakeAt = .start
  }
}

extension CoreContext {
  // MARK: Time

  /// The time of the present call from outside. The call sets it first, so that it need not be passed on.
  var now: Instant {
    @inline(__always) get { sink.now }
    @inline(__always) set { sink.now = newValue }
  }

  /// Schedules the next `run` for this moment at the latest.
  @inline(never)
  mutating func wake(by moment: Instant) {
    if moment < wakeAt { wakeAt = moment }
  }

  /// The moment `interval` from now.
  @inline(never)
  mutating func after(_ interval: Interval) -> Instant { now + interval }

  /// Whether a moment has passed.
  @inline(never)
  mutating func hasCome(_ moment: Instant) -> Bool { now >= moment }

  /// The earlier of two moments.
  @inline(never)
  mutating func earlier(_ left: Instant, _ right: Instant) -> Instant { left < right ? left : right }

  /// The largest number of connections, with memory for `capacity` of them.
  func connectionLimit(of capacity: Int) -> Int {
    capacity < capabilities.connections ? capacity : capabilities.connections
  }

  // MARK: Date

  /// The date was set, in place of `former`: it has held since now, unless a host has only corrected that
  /// of a host by less than an hour.
  @inline(never)
  mutating func noteDate(instead former: WallClock) {
    let hour: UInt64 = 3_600_000
    if former.source == .host, sink.clock.source == .host, let before = former.unixMilliseconds(at: now),
      let date = sink.clock.unixMilliseconds(at: now), date &- before &+ hour < 2 &* hour
    {
      return
    }
    dateHeldSince = now
  }

  /// Whether keys of past days may be erased: a host set the date, and it has held for six hours of the
  /// device's own time. A date from a beacon never is certain.
  var isDateCertain: Bool { sink.clock.source == .host && sink.now >= dateHeldSince + .minutes(360) }

  // MARK: Settings
  // A setting of the host overrides the configuration at start-up as soon as it is set.

  /// Whether peers can find this device; otherwise it has to connect to them (HP-06).
  var canAdvertise: Bool { configuration.advertises && capabilities.canAdvertise }

  /// For how many days records of the log are kept, 0: as long as there is room.
  public var retentionDays: UInt16 { settings[.keepDays] ?? configuration.retentionDays }

  /// How often pending records are committed to flash.
  var commitPeriod: Interval {
    @inline(never) get {
      guard let seconds = settings[.commitSeconds] else { return configuration.commitPeriod }
      return .seconds(UInt32(seconds))
    }
  }

  /// The duty of the radio, as far as its timings are not set individually.
  var radioSetting: RadioSetting { RadioSetting(value: settings[.radioSetting]) }

  /// The advertising interval.
  var advertisingInterval: Interval {
    if let milliseconds = settings[.advertisingInterval] { return .milliseconds(UInt32(milliseconds)) }
    return radioSetting.advertisingInterval ?? configuration.advertisingInterval
  }

  /// The scan timing. Scanning is not in rounds if two of them last for longer than `expiry`: peers would be
  /// removed between them, and their payloads read in each.
  var scanTiming: ScanTiming {
    var timing = configuration.scanTiming
    timing.listen(as: radioSetting)
    if timing.latency > .zero, let latency = wantedLatency { timing.latency = latency }
    if timing.latency.milliseconds > configuration.expiry.milliseconds / 2 { timing.latency = .zero }
    if let interval = settings[.scanInterval] {
      timing.listen(timing.window, every: .milliseconds(UInt32(interval)))
    }
    if let window = settings[.scanWindow] {
      timing.listen(.milliseconds(UInt32(window)), every: timing.interval)
    }
    return timing
  }

  /// The latency that a host has set, or that follows from what it has set; `nil` for that of the image.
  var wantedLatency: Interval? {
    guard Parts.takesSettings else { return nil }
    if let seconds = settings[.latency] { return .seconds(UInt32(seconds)) }
    return settings.isSet(.lifetimeDays) ? latency.latency : nil
  }

  /// The capacity of the cell in mAh.
  var cellCapacity: UInt32 { UInt32(settings[.cellCapacity] ?? configuration.cellCapacity) }

  /// The scan timing of the present state: of a lying device that does not scan in rounds, that of the saver
  /// if it scans less.
  var presentScanTiming: ScanTiming {
    var timing = scanTiming
    if Parts.DelegateType.hasMotion, timing.latency == .zero, sink.delegate.motion == .lying {
      timing.reduce(to: .saver)
    }
    return timing
  }

  /// The number of a setting that is in effect; 0 for an unknown setting.
  public func inEffect(_ setting: Setting) -> UInt32 {
    switch setting {
    case .keepDays: UInt32(retentionDays)
    case .commitSeconds: (commitPeriod.milliseconds / 1000)
    case .scanInterval: scanTiming.interval.milliseconds
    case .scanWindow: scanTiming.window.milliseconds
    case .advertisingInterval: advertisingInterval.milliseconds
    case .radioSetting: UInt32(radioSetting.rawValue)
    case .latency: scanTiming.latency.milliseconds / 1000
    case .lifetimeDays: UInt32(settings[.lifetimeDays] ?? 0)
    case .cellCapacity: cellCapacity
    case .accessKey, .ownerKey: 0
    case .stayOpen, .motionDetection:
      UInt32(
        settings[setting]
          ?? ((setting == .stayOpen ? configuration.staysOpen : sink.delegate.motion != .unknown) ? 1 : 0))
    case .bluetoothManagement:
      // A device without the link has the setting, without effect.
      Parts.ManagementType.isPresent
        ? UInt32(settings[.bluetoothManagement] ?? (configuration.managesOverBluetooth ? 1 : 0)) : 0
    }
  }

  // MARK: Sensors beside the radio

  /// Runs the sensors beside the radio, as much as there is room for in one `run`, and schedules their next
  /// run. Returns the date that a venue beacon has advertised, if one has, in milliseconds since 1970.
  mutating func runSensors() -> UInt64? {
    var round = 0
    while round < 16 {
      round &+= 1
      switch sink.delegate.nextWork(at: now) {
      case .none(let until):
        wake(by: until)
        return nil
      case .log(let event): sink.record(event)
      case .visited(let visit):
        sink.record(
          .visited(
            visit.venue, firstReceived: now.since(visit.begin).milliseconds / 1000,
            lastReceived: now.since(visit.end).milliseconds / 1000))
        sink.delegate.didVisit(visit, at: now)
      case .date(let unixMilliseconds):
        if configuration.takesTimeFromBeacons, !sink.clock.isSet {
          wake(by: now)
          return unixMilliseconds
        }
      }
    }
    wake(by: now)
    return nil
  }
}
