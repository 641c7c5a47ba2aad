import HeraldArchive
import HeraldHostLink
import HeraldText

/// A row of `herald-host contacts`, with the names that its JSON has.
struct ContactRow: Encodable {
  /// Minutes, as whole seconds, and how strong the signals were.
  struct Exposure: Encodable {
    let seconds: Int
    /// In each band.
    let bandSeconds: [Int]
    /// In windows of minutes without a measurement.
    let unmeasuredSeconds: Int
    let weightedMinutes: Double?
    let medianAttenuationDb: Int?

    init(_ windows: DayWindows, _ bands: ContactBands) {
      seconds = windows.seconds
      bandSeconds = bands.seconds(of: windows)
      unmeasuredSeconds = seconds - bandSeconds.reduce(0, +)
      weightedMinutes = bands.weightedMinutes(bandSeconds)
      medianAttenuationDb = windows.medianAttenuation
    }
  }

  let day: String
  let who: Who
  let other: Who
  /// The begin of the first window and the end of the last, in UTC.
  let begin: String
  let end: String
  /// The interruptions within contacts.
  let gaps: Int
  /// The number of contacts.
  let contacts: Int
  /// Both directions joined.
  let joined: Exposure
  /// What `who` heard of `other`, and what `other` heard of `who`.
  private(set) var heard: Exposure?
  private(set) var wasHeard: Exposure?
  private(set) var distanceM: Double?
  private(set) var distanceErrorM: Double?
  /// The same in local time, with its distance from UTC.
  let localBegin: String
  let localEnd: String
  /// The same for people, who need the distance on the days on which clocks are set.
  let shownBegin: String
  let shownEnd: String

  private enum CodingKeys: CodingKey {
    case day, who, other, begin, end, gaps, contacts, joined, heard, wasHeard, distanceM, distanceErrorM
    case localBegin, localEnd
  }

  init(_ meeting: DayMeeting, _ days: LocalDays, _ bands: ContactBands, _ calibration: DistanceCalibration?) {
    self.init(
      meeting.who, meeting.other, day: meeting.day, meeting.joined, meeting.joined.periods, days, bands,
      calibration)
    heard = Exposure(meeting.heard, bands)
    wasHeard = Exposure(meeting.wasHeard, bands)
  }

  init(
    _ contact: PairContact, _ days: LocalDays, _ bands: ContactBands, _ calibration: DistanceCalibration?
  ) {
    self.init(
      contact.who, contact.other, day: days.day(of: contact.period.begin), contact.period.windows,
      [contact.period], days, bands, calibration)
  }

  private init(
    _ who: Who, _ other: Who, day: Int64, _ windows: DayWindows, _ periods: [DayWindows.Period],
    _ days: LocalDays, _ bands: ContactBands, _ calibration: DistanceCalibration?
  ) {
    self.day = LocalDays.text(ofDay: day)
    (self.who, self.other) = (who, other)
    let first = periods.first?.begin ?? 0
    let last = periods.last?.end ?? 0
    (begin, end) = (UTCTimestamp.json(UInt64(clamping: first)), UTCTimestamp.json(UInt64(clamping: last)))
    (localBegin, localEnd) = (days.text(of: first), days.text(of: last))
    (shownBegin, shownEnd) = (days.localTime(of: first), days.localTime(of: last))
    contacts = periods.count
    gaps = periods.reduce(0) { $0 + $1.gaps }
    joined = Exposure(windows, bands)
    guard let calibration, let level = joined.medianAttenuationDb else { return }
    distanceM = calibration.distance(attenuation: level)
    distanceErrorM = calibration.error
  }
}
