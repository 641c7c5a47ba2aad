import HeraldBluetooth
import HeraldHAL

/// Recognises venue beacons among the peers whose payload is read, and reports stays near them (HP-51).
///
/// A stay begins when the beacon is detected. It counts as a visit if the beacon was received for more than
/// `presence`, usually two minutes, from first to last, and ends when the beacon has not been received for
/// `absence`, usually five; then every delegate gets `didVisit` and the log its record. A venue is identified
/// by country, state and number, whatever addresses its beacon uses and whatever extended data it has; for a
/// payload version of unknown layout, by the whole payload. Shared payloads of a beacon are not a stay.
///
/// `venues` is how many it tracks at once, ended stays included. A further one replaces the stay that ended
/// longest ago; else the stay under `presence` that was received longest ago; and if all count already, it is
/// skipped and counted in `missed`. A beacon whose stay lost its slot is recognised when its payload is next
/// read.
///
/// When eight peers without a payload have been received since a beacon was detected, its stay begins when
/// its payload is read.
public struct VisitSensor<let venues: Int>: SensorDelegate, ~Copyable {
  enum State: UInt8, BitwiseCopyable {
    case vacant = 0
    /// The stay continues.
    case open = 1
    /// The stay has ended; kept in case the beacon is received again.
    case over = 2
  }

  struct Stay: BitwiseCopyable {
    var key: UInt64
    var digest: UInt64
    var beacon: TargetIdentity
    var begin: Instant
    var end: Instant
    var state: State
    var isOpaque: Bool

    init() {
      key = 0
      digest = 0
      beacon = TargetIdentity(kind: .publicAddress, high: 0, low: 0)
      begin = .start
      end = .start
      state = .vacant
      isOpaque = false
    }
  }

  /// A peer whose payload has not been read.
  struct StayCandidate: BitwiseCopyable {
    var peer: TargetIdentity
    var first: Instant
    var last: Instant

    init(_ peer: TargetIdentity, at now: Instant) {
      self.peer = peer
      first = now
      last = now
    }
  }

  private var stays: [venues of Stay]
  private var strangers: [8 of StayCandidate]
  private var strangerCount: Int
  private var hasDate: Bool
  private var date: UInt64
  private var datedAt: Instant
  /// How many visits there were.
  public private(set) var visits: UInt32
  /// How many venues were skipped because there was no slot.
  public private(set) var missed: UInt32

  /// The minimum time from first to last reception for a visit, exclusive.
  public let presence: Interval
  /// The time without reception after which a stay ends.
  public let absence: Interval

  /// A sensor without venues.
  public init(presence: Interval = Self.usualPresence, absence: Interval = Self.usualAbsence) {
    self.presence = presence
    self.absence = absence
    stays = .init(repeating: Stay())
    strangers = .init(
      repeating: StayCandidate(TargetIdentity(kind: .publicAddress, high: 0, low: 0), at: .start))
    strangerCount = 0
    hasDate = false
    date = 0
    datedAt = .start
    visits = 0
    missed = 0
  }

  /// Two minutes.
  public static var usualPresence: Interval { .minutes(2) }
  /// Five minutes.
  public static var usualAbsence: Interval { .minutes(5) }
  /// Dates before 2020-09-24T00:00:00Z, the start of Herald's calendar, are rejected.
  public static var earliestDate: UInt32 { 1_600_905_600 }

  // MARK: Events

  /// Stores when a peer was detected, in case it is a beacon.
  public mutating func didDetect(_ target: TargetIdentity, at now: Instant) {
    var slot = 0
    while slot < strangerCount, strangers[slot].peer != target { slot &+= 1 }
    if slot == strangerCount {
      if strangerCount < 8 { strangerCount &+= 1 } else { slot = longestSilentStranger() }
    }
    strangers[slot] = StayCandidate(target, at: now)
  }

  /// Records that a beacon was received: for the latest of its stays, as its payload may have changed.
  public mutating func didMeasure(_ target: TargetIdentity, _ rssi: RSSI, at now: Instant) {
    var slot = 0
    var latest = -1
    while slot < venues {
      if stays[slot].state != .vacant, stays[slot].beacon == target,
        latest < 0 || stays[latest].end < stays[slot].end
      {
        latest = slot
      }
      slot &+= 1
    }
    guard latest < 0 else {
      hear(latest, since: now, at: now)
      return
    }
    slot = 0
    while slot < strangerCount {
      if strangers[slot].peer == target {
        if now >= strangers[slot].last + absence { strangers[slot].first = now }
        strangers[slot].last = now
        return
      }
      slot &+= 1
    }
  }

  /// Checks whether the payload that was read is a beacon's.
  public mutating func didRead(
    _ target: TargetIdentity, _ payload: Span<UInt8>, known: Bool, at now: Instant
  ) {
    let begin = takeStranger(target) ?? now
    guard target.kind != .shared, let header = PayloadHeader(payload), header.family == .venueBeacon
    else { return }
    var stay = Stay()
    stay.digest = PayloadDigest.of(payload)
    stay.beacon = target
    if let venue = VenuePayload(payload) {
      stay.key = UInt64(high: UInt32(venue.country) &<< 16 | UInt32(venue.state), low: venue.code)
      noteDate(venue.extendedData.data, at: now)
    } else {
      guard header.version != 0 else { return }  // too short to be a venue's
      stay.key = stay.digest
      stay.isOpaque = true
    }
    guard let slot = slot(for: stay) else {
      missed &+= 1
      return
    }
    if stays[slot].state == .vacant {
      stay.begin = begin
      stay.end = now
      stay.state = .open
      stays[slot] = stay
    } else {
      stays[slot].beacon = stay.beacon
      stays[slot].digest = stay.digest
      hear(slot, since: begin, at: now)
    }
  }

  /// Reports stays that have ended, and the date of a beacon.
  public mutating func nextWork(at now: Instant) -> SensorWork {
    if hasDate {
      hasDate = false
      return .date(unixMilliseconds: date &+ UInt64(wide: now.since(datedAt).milliseconds))
    }
    var next = Instant.never
    var slot = 0
    while slot < venues {
      if stays[slot].state == .open {
        let due = stays[slot].end + absence
        if now >= due {
          stays[slot].state = .over
          if counts(slot) {
            visits &+= 1
            return .visited(
              Visit(
                venue: stays[slot].beacon, payloadDigest: stays[slot].digest, begin: stays[slot].begin,
                end: stays[slot].end))
          }
        } else if due < next {
          next = due
        }
      }
      slot &+= 1
    }
    return .none(until: next)
  }

  // MARK: Stays

  /// The beacon at `slot` was received. A stay that is to end is left to `nextWork`; the next reception of
  /// the beacon begins another.
  private mutating func hear(_ slot: Int, since begin: Instant, at now: Instant) {
    if stays[slot].state == .over {
      stays[slot].state = .open
      stays[slot].begin = begin
      stays[slot].end = now
    } else if now < stays[slot].end + absence {
      stays[slot].end = now
    }
  }

  private mutating func counts(_ slot: Int) -> Bool {
    stays[slot].end.since(stays[slot].begin) > presence
  }

  /// The slot of the same venue, or a slot freed for it; `nil` if there is none.
  private mutating func slot(for wanted: Stay) -> Int? {
    var vacant: Int?
    var over: Int?
    var passing: Int?
    var slot = 0
    while slot < venues {
      switch stays[slot].state {
      case .vacant: vacant = slot
      case .open, .over:
        if stays[slot].key == wanted.key, stays[slot].isOpaque == wanted.isOpaque { return slot }
        if stays[slot].state == .over {
          over = longerSilent(slot, over)
        } else if !counts(slot) {
          passing = longerSilent(slot, passing)
        }
      }
      slot &+= 1
    }
    guard let free = vacant ?? over ?? passing else { return nil }
    stays[free].state = .vacant
    return free
  }

  private mutating func longerSilent(_ slot: Int, _ other: Int?) -> Int {
    guard let other, stays[other].end <= stays[slot].end else { return slot }
    return other
  }

  // MARK: Strangers and dates

  private mutating func longestSilentStranger() -> Int {
    var oldest = 0
    var slot = 1
    while slot < strangerCount {
      if strangers[slot].last < strangers[oldest].last { oldest = slot }
      slot &+= 1
    }
    return oldest
  }

  /// When a peer was detected; it is then removed from the candidates. `nil` if unknown.
  private mutating func takeStranger(_ peer: TargetIdentity) -> Instant? {
    var slot = 0
    while slot < strangerCount {
      if strangers[slot].peer == peer {
        let first = strangers[slot].first
        strangerCount &-= 1
        strangers[slot] = strangers[strangerCount]
        return first
      }
      slot &+= 1
    }
    return nil
  }

  private mutating func noteDate(_ extendedData: Span<UInt8>, at now: Instant) {
    guard let bytes = ExtendedData(extendedData).first(.startTime), bytes.count == 4 else { return }
    var reader = ByteReader(bytes)
    guard let seconds = reader.u32(), seconds >= Self.earliestDate else { return }
    hasDate = true
    date = UInt64(wide: seconds) &* 1000
    datedAt = now
  }
}
