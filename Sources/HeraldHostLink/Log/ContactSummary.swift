import HeraldEmbedded

/// Who was met, when, how long and how near: one entry for each payload.
public struct ContactSummary: Equatable, Sendable {
  /// One that was met.
  public struct Contact: Equatable, Sendable {
    /// The payload.
    public let payload: [UInt8]
    /// How many addresses it was met under.
    public let addresses: Int
    /// First sign, milliseconds since 1970.
    public let firstSeen: UInt64
    /// Last sign, milliseconds since 1970.
    public let lastSeen: UInt64
    /// How long it was near: half a minute for every half minute of the clock with a sign of it, as Herald's continuity
    /// analysis counts.
    public let presentSeconds: Int
    /// Measurements.
    public let readings: Int
    /// The strongest, dBm; `nil` without measurements.
    public let strongest: Int?
    /// The median, dBm, the weaker of the middle two; `nil` without measurements.
    public let median: Int?
  }

  private struct Gathering {
    var addresses: Set<TargetIdentity> = []
    var first = UInt64.max
    var last = UInt64.min
    var windows: Set<UInt64> = []
    var readings: [Int] = []
  }

  static let window: UInt64 = 30_000

  /// Those met, the longest first.
  public let contacts: [Contact]
  /// Addresses whose payload was never read.
  public let unknownAddresses: Int
  /// Measurements of those.
  public let unknownReadings: Int
  /// All measurements.
  public let readings: Int

  /// Sums up events in the order of time. A measurement belongs to the payload last read under its address, or, before any
  /// was, to the first read there (HP-45). What others told of somebody is left out: who is only known by that was not met.
  public init(_ events: [DatedEvent]) {
    var attribution = PayloadAttribution(events)
    var gatherings: [[UInt8]: Gathering] = [:]
    var unknown: Set<TargetIdentity> = []
    var unknownReadings = 0
    var readings = 0
    for event in events where !event.isHearsay {
      let owner = attribution.owner(of: event)
      var rssi: Int?
      switch event.kind {
      case .read: break
      case .measured(let value, _):
        rssi = value
        readings += 1
      case .detected, .shared, .heraldDetected, .lost, .visited: continue
      }
      guard let owner else {
        unknown.insert(event.peer)
        unknownReadings += rssi == nil ? 0 : 1
        continue
      }
      var gathering = gatherings[owner, default: Gathering()]
      // In place: a copy of the sets at every event would make this quadratic.
      gatherings[owner] = nil
      gathering.addresses.insert(event.peer)
      gathering.first = min(gathering.first, event.unixMilliseconds)
      gathering.last = max(gathering.last, event.unixMilliseconds)
      gathering.windows.insert(event.unixMilliseconds / Self.window)
      if let rssi { gathering.readings.append(rssi) }
      gatherings[owner] = gathering
    }
    contacts = gatherings.map { payload, gathering in
      let sorted = gathering.readings.sorted()
      return Contact(
        payload: payload, addresses: gathering.addresses.count, firstSeen: gathering.first,
        lastSeen: gathering.last, presentSeconds: gathering.windows.count * Int(Self.window / 1000),
        readings: sorted.count, strongest: sorted.last,
        median: sorted.isEmpty ? nil : sorted[(sorted.count - 1) / 2])
    }.sorted { left, right in
      (right.presentSeconds, right.readings, left.firstSeen) < (
        left.presentSeconds, left.readings, right.firstSeen
      )
    }
    unknownAddresses = unknown.count
    self.unknownReadings = unknownReadings
    self.readings = readings
  }
}
