import HeraldHAL

// What a host has set counts more than what was chosen at start-up, from the moment it is set.

extension HeraldCore
where
  FlashType: ~Copyable, RandomType: ~Copyable, SupplierType: ~Copyable, DelegateType: ~Copyable
{
  /// For how many days records of the log are kept, 0 for as long as there is room.
  @inlinable
  public var retentionDays: UInt16 { settings[.keepDays] ?? configuration.retentionDays }

  /// How often the log is brought to flash.
  @inlinable
  var commitPeriod: Interval {
    @inline(never) get {
      guard let seconds = settings[.commitSeconds] else { return configuration.commitPeriod }
      return .seconds(UInt32(seconds))
    }
  }

  /// From one advertisement to the next.
  @inlinable
  var advertisingInterval: Interval {
    if let milliseconds = settings[.advertisingInterval] { return .milliseconds(UInt32(milliseconds)) }
    // A saver's advertisements are those of the defaults.
    return settings[.radioSetting] == 2 ? .milliseconds(100) : configuration.advertisingInterval
  }

  /// How to scan.
  @inlinable
  var scanTiming: ScanTiming {
    var timing = configuration.scanTiming
    switch settings[.radioSetting] {
    case 0: timing.listen(.milliseconds(60), every: .milliseconds(1065))
    case 2: timing.listen(.milliseconds(500), every: .milliseconds(1000))
    default: break
    }
    if let interval = settings[.scanInterval] {
      timing.listen(timing.window, every: .milliseconds(UInt32(interval)))
    }
    if let window = settings[.scanWindow] {
      timing.listen(.milliseconds(UInt32(window)), every: timing.interval)
    }
    return timing
  }

  /// The number of a setting that is in effect; 0 of those that are none.
  @inlinable
  public func inEffect(_ setting: Setting) -> UInt32 {
    switch setting {
    case .keepDays: UInt32(retentionDays)
    case .commitSeconds: (commitPeriod.milliseconds / 1000)
    case .scanInterval: scanTiming.interval.milliseconds
    case .scanWindow: scanTiming.window.milliseconds
    case .advertisingInterval: advertisingInterval.milliseconds
    case .radioSetting: UInt32(settings[.radioSetting] ?? 1)
    case .accessKey: 0
    case .stayOpen: UInt32(settings[.stayOpen] ?? (configuration.staysOpen ? 1 : 0))
    }
  }

  /// Goes by what a host has set, from now on. Another interval of advertisements comes with another address,
  /// as all that is advertised does.
  @inlinable @inline(never)
  public mutating func take(_ new: SettingValues, at now: Instant) {
    self.now = now
    let interval = advertisingInterval
    settings = new
    commitAt = earlier(commitAt, after(commitPeriod))
    if advertisingInterval != interval { rotation.rotateSoon() }
    hasNews = true
  }

  /// Gives the supplier what it needs of the payload that is stored. To be called in each round of the loop,
  /// before the node is polled, so that the key of a new day is there when the payload of its first minutes
  /// is asked for.
  @inlinable
  public mutating func tendPayload<Storage: PayloadStorage & ~Copyable>(
    in storage: inout Storage, at now: Instant
  ) {
    guard values.supplier.storedCapacity > 0,
      values.supplier.tend(&storage, at: clock.unixSeconds(at: now))
    else { return }
    rotation.rotateSoon()
    hasNews = true
  }
}
