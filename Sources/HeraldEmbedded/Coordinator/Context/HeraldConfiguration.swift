import HeraldHAL

/// Which connection is closed for a new peer (HP-25).
public enum ConnectionPolicy: UInt8, BitwiseCopyable, Sendable {
  /// The one that was opened first.
  case oldest = 0
  /// The one to the peer with the lowest RSSI.
  case weakest = 1
}

/// The configuration of a Herald device at start-up. The defaults suit a wearable.
public struct HeraldConfiguration: BitwiseCopyable, Sendable {
  /// The reason of the start, by the board's numbering; 0 is "power came on". It goes to the log.
  public var startReason: UInt8 = 0
  /// Whether to advertise, if the radio can. A device that does not advertise writes its payload, and the
  /// RSSI of peers, to the peers it meets (HP-06).
  public var advertises = true
  /// Whether to scan, and to connect to peers. A beacon does not.
  public var scans = true
  /// Whether to send to iPhones the payloads of other peers that they may not receive themselves (HP-42).
  public var sharesPayloads = true
  /// Whether to read peers' models (HP-28).
  public var readsModel = false
  /// Whether to stay connected to peers whose system may withhold their advertisements (HP-23).
  public var keepsConnections = false
  /// Which connection is closed for a new peer when there are as many as there may be (HP-25).
  public var connectionPolicy = ConnectionPolicy.oldest
  /// Whether to use the date that a venue beacon advertises, as long as no other source has set it. Needs a
  /// `VisitSensor`.
  public var takesTimeFromBeacons = false
  /// Whether the device gives every host access to its log on its management link while it has no access key
  /// and no host has set `access/stay-open`.
  public var staysOpen = false
  /// Whether the management link is offered over Bluetooth, unless a host has set `bluetooth/management`.
  /// Needs a `ManagementPort`.
  public var managesOverBluetooth = false
  /// The scan timing.
  public var scanTiming = ScanTiming()
  /// Milliseconds between advertising events, 20…10,240.
  public var advertisingInterval: Interval = .milliseconds(250)
  /// What to advertise. The pseudo device address is filled in if `addressPeriod` is so short that one is
  /// needed.
  public var advertisement = HeraldAdvertisement()
  /// How advertisements are evaluated.
  public var introspection = Introspection()
  /// The lifetime of an own address, unless the payload changes sooner.
  public var addressPeriod: Interval = AddressRotation.usualPeriod
  /// How long a connection attempt may take (HP-10).
  public var attemptTimeout: Interval = .seconds(8)
  /// How long a connected peer may take to respond to one request.
  public var stepTimeout: Interval = .seconds(6)
  /// The longest duration of a connection that this device opened, whatever its step (HP-02).
  public var exchangeLife: Interval = .seconds(20)
  /// The longest duration of a connection that a peer opened.
  public var servingLife: Interval = .minutes(1)
  /// How long a connection that a peer opened may lie idle.
  public var servingIdle: Interval = .seconds(15)
  /// How recently a peer must have been received for a connection attempt.
  public var inRange: Interval = .seconds(10)
  /// How long a peer must be silent to count as gone. If it is less than two latencies of `scanTiming`,
  /// scanning is not in rounds.
  public var expiry: Interval = .minutes(15)
  /// The wait after a first failed exchange; it doubles with each further one…
  public var firstRetry: Interval = .seconds(4)
  /// …up to this.
  public var longestRetry: Interval = .minutes(5)
  /// How often pending records are committed to flash: a loss of power loses at most this much. Each commit
  /// costs about six bytes of flash: on a recording a reading takes 1.36 bytes with 10 s, 1.29 with 30 s,
  /// 1.28 with 60 s, and 1.24 without.
  public var commitPeriod: Interval = .seconds(30)
  /// How many days a record is kept. What is older is erased, page by page (docs/log-format.md, section 6); 0
  /// keeps it until the ring needs its page.
  public var retentionDays: UInt16 = 14
  /// The capacity of the cell in mAh, unless a host has set `radio/cell-mah`: for the current that lets it
  /// last for the days of `radio/lifetime-days`. By default that of a CR2032.
  public var cellCapacity: UInt16 = 220

  /// The defaults: scans in rounds, for the least charge with a reading of each peer in 30 s
  /// (docs/energy.md). 0.11 mA on average, with a few devices in range.
  public init() {}

  /// A configuration that scans a little at all times: 0.4 mA. Devices like this one are received several
  /// times in 30 s; phones that advertise once a second are received once or twice in 30 s, and are read as
  /// soon as they arrive.
  public static var saver: HeraldConfiguration { HeraldConfiguration(.saver) }

  /// A configuration for mains supply, and for measurements: scans half of the time and advertises ten times
  /// a second. 3 mA.
  public static var dense: HeraldConfiguration { HeraldConfiguration(.dense) }

  /// Scanning in rounds with a latency of 30 s: the defaults.
  public static var balanced: HeraldConfiguration { HeraldConfiguration(.balanced) }

  /// A configuration that scans a ninth of the time, at all times: 0.7 mA. Phones that advertise once a
  /// second are received several times in 30 s.
  public static var steady: HeraldConfiguration { HeraldConfiguration(.steady) }

  private init(_ setting: RadioSetting) {
    self.init()
    scanTiming.listen(as: setting)
    advertisingInterval = setting.advertisingInterval ?? advertisingInterval
  }

  /// The back-off after a peer's `failures`-th failed exchange in a row: `first`, doubled with each further
  /// one up to `longest`. Static, as a method would copy the configuration to the stack.
  static func retryDelay(failures: UInt8, first: Interval, longest: Interval) -> Interval {
    var delay = first.milliseconds
    var further = failures
    while further > 1, delay < longest.milliseconds {
      delay = delay &<< 1
      further &-= 1
    }
    return delay < longest.milliseconds ? Interval(milliseconds: delay) : longest
  }

  /// How long no connection is made to a peer that was found for the `ignores`-th time to have no Herald
  /// service: a minute, and a fifth more each time until it is three minutes or more, as phones do.
  static func ignoreDelay(ignores: UInt8) -> Interval {
    var delay: UInt32 = 60_000
    var further = ignores
    while further > 1, delay < 180_000 {
      delay = delay &* 6 / 5
      further &-= 1
    }
    return Interval(milliseconds: delay)
  }
}
