import HeraldEmbedded
import HeraldSystem

/// Decides whether a device gets the date of this computer, which may be wrong: the one way to `setClock`.
///
/// The date is compared with the device's, with those of records that are known, with the release of this
/// program and with the kernel's statement on NTP. A date that is refused stays what it is on the device.
public struct ClockGuard: Sendable {
  /// The dates of the newest records that are known, in milliseconds since 1970-01-01T00:00:00Z.
  public struct Records: Equatable, Sendable {
    /// Of the device itself; `nil` if none is known.
    public var ofDevice: UInt64?
    /// Of other devices; `nil` if none is known.
    public var ofOthers: UInt64?

    /// Initialises each member.
    public init(ofDevice: UInt64? = nil, ofOthers: UInt64? = nil) {
      self.ofDevice = ofDevice
      self.ofOthers = ofOthers
    }

    /// The date of other devices, given that of each: the second latest, so that one device with a wrong
    /// clock does not decide; the only one if there is one.
    public static func common(of newest: [UInt64]) -> UInt64? {
      let latest = newest.sorted().suffix(2)
      return latest.first
    }
  }

  /// What becomes of the clock of a device.
  public enum Verdict: Equatable, Sendable {
    /// The clock is right, and is left as it is.
    case agrees(remark: String?)
    /// The clock is set.
    case sets(remark: String?)
    /// The clock is not set, for this reason.
    case refused(HostLinkError)
  }

  /// What became of the clock of a device.
  public struct Outcome: Equatable, Sendable {
    /// Whether it was set; otherwise it was right.
    public let isSet: Bool
    /// The device's date before, in milliseconds since 1970-01-01T00:00:00Z; `nil` if it had none.
    public let before: UInt64?
    /// This computer's date at that time.
    public let computer: UInt64
    /// What the user should know of it.
    public let remark: String?
  }

  /// The option that sets a clock in spite of a refusal.
  public static let option = "--trust-clock"
  /// The difference of two dates, in milliseconds, up to which they are the same: each date that is set is a
  /// record in the device's log.
  static let tolerance: UInt64 = 1_000
  /// The same for a computer that is not synchronised, whose date is no better than the device's.
  static let unsynchronisedTolerance: UInt64 = 60_000
  /// The greatest error of a clock that is set, in milliseconds: a day.
  static let limit: UInt64 = 86_400_000
  /// How far records may be ahead, in milliseconds: more than a clock drifts.
  static let recordTolerance: UInt64 = 3_600_000

  private let insists: Bool
  private let now: @Sendable () -> UInt64
  private let synchronisation: @Sendable () -> ClockSynchronisation

  /// If `insists`, nothing is refused. `now` is this computer's date in milliseconds.
  package init(
    insists: Bool = false, now: @escaping @Sendable () -> UInt64 = { PlausibleDate.now },
    synchronisation: @escaping @Sendable () -> ClockSynchronisation = { .ofThisMachine }
  ) {
    self.insists = insists
    self.now = now
    self.synchronisation = synchronisation
  }

  /// Sets the clock of a device, unless it is right. `records` are the newest records that are known; of a
  /// device without a date those in its own log are read as well, as far as it serves them.
  /// - Throws: `.notConfirmed` if this computer's date is not believed, and the errors of the link.
  public func setClock(of device: DeviceClient, records: Records = Records()) throws(HostLinkError) -> Outcome
  {
    let (verdict, before) = try examine(device, records)
    switch verdict {
    case .refused(let error): throw error
    case .agrees(let remark): return Outcome(isSet: false, before: before, computer: now(), remark: remark)
    case .sets(let remark):
      let moment = now()
      try device.setClock(unixMilliseconds: moment)
      return Outcome(isSet: true, before: before, computer: moment, remark: remark)
    }
  }

  /// The verdict on a device, and its date: nothing is changed.
  private func examine(_ device: DeviceClient, _ records: Records) throws(HostLinkError) -> (
    Verdict, before: UInt64?
  ) {
    let status = try device.logStatus()
    var records = records
    if status.unixMilliseconds == nil, let own = try Self.newestDate(in: device, status) {
      records.ofDevice = max(records.ofDevice ?? 0, own)
    }
    let verdict = verdict(device: status.unixMilliseconds, records: records)
    guard case .refused(let error) = verdict else { return (verdict, status.unixMilliseconds) }
    var advice = error.advice ?? ""
    if status.unixMilliseconds != nil, status.pageCount > 0 {
      let pages = status.pageCount == 1 ? "the page" : "the \(status.pageCount) pages"
      advice = "pull \(pages) of its log before its clock changes; \(advice)"
    }
    let what = "the date of this computer is not given to \(device.client.location): \(error.what)"
    return (.refused(HostLinkError(error.cause, what, advice: advice)), status.unixMilliseconds)
  }

  /// The latest date in the two newest pages of a log; `nil` if they have none or are not served.
  private static func newestDate(in device: DeviceClient, _ status: DeviceLogStatus) throws(HostLinkError)
    -> UInt64?
  {
    do {
      let pages = try device.newestPages(status).compactMap { LogPage($0) }
      return pages.flatMap(\.fixes).map(\.unixMilliseconds).max()
    } catch  where error.cause == .refused || error.cause == .protocolViolation {
      return nil
    }
  }

  /// Throws if what is derived from this computer's date for a device would be refused as its clock.
  public func check(_ device: DeviceClient) throws(HostLinkError) {
    if case .refused(let error) = try examine(device, Records()).0 { throw error }
  }

  /// The verdict on a device with this date; `nil`: it has none.
  public func verdict(device: UInt64?, records: Records = Records()) -> Verdict {
    let computer = now()
    let isUnsynchronised = synchronisation() == .unsynchronised
    let gap = device.map { max($0, computer) - min($0, computer) }
    var reasons: [String] = []
    if computer < HeraldRelease.unixSeconds * 1000 {
      reasons.append(
        "this computer's date is before \(DateWords.day(HeraldRelease.unixSeconds * 1000, near: 0)), the release of this program"
      )
    }
    let ahead = recordsAhead(of: computer, records)
    let agrees = gap.map { $0 <= (isUnsynchronised ? Self.unsynchronisedTolerance : Self.tolerance) } ?? false
    if agrees, reasons.isEmpty {
      return .agrees(remark: ahead.map { "its clock is left as it is, and may be wrong: \($0.words)" })
    }
    if let device, let gap, gap > (isUnsynchronised ? Self.unsynchronisedTolerance : Self.limit) {
      reasons.append(DateWords.apart(computer: computer, device: device))
      if gap <= Self.limit { reasons.append("this computer's clock is not synchronised by NTP") }
    }
    var remark: String?
    if let ahead {
      // A device whose former clock was wrong, and is right now, has records ahead for a time.
      let isPast = ahead.isOwn && !isUnsynchronised && (gap ?? .max) <= Self.recordTolerance
      if isPast { remark = ahead.words } else { reasons.append(ahead.words) }
    }
    guard !reasons.isEmpty else {
      if device == nil, isUnsynchronised {
        remark = "its date is that of this computer, whose clock is not synchronised by NTP"
      }
      return .sets(remark: remark)
    }
    let what = reasons.joined(separator: "; ")
    guard !insists else { return .sets(remark: "its clock was set as \(Self.option) says: \(what)") }
    return .refused(
      HostLinkError(
        .notConfirmed, what,
        advice:
          "find out which date is right; if it is this computer's, \(Self.option) sets the clock, otherwise set this computer's"
      ))
  }

  private func recordsAhead(of computer: UInt64, _ records: Records) -> (words: String, isOwn: Bool)? {
    func isAhead(_ date: UInt64) -> Bool { date > computer && date - computer > Self.recordTolerance }
    if let others = records.ofOthers, isAhead(others) {
      return (
        "there are records of other devices of \(DateWords.moment(others, near: computer)), and this computer says \(DateWords.moment(computer, near: others))",
        false
      )
    }
    if let own = records.ofDevice, isAhead(own) {
      return (
        "there are records of this device of \(DateWords.moment(own, near: computer)), and this computer says \(DateWords.moment(computer, near: own))",
        true
      )
    }
    return nil
  }
}

/// Dates in words, in UTC.
enum DateWords {
  private static let months = [
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
    "November", "December",
  ]
  private static let day: UInt64 = 86_400_000
  private static let hour: UInt64 = 3_600_000

  /// `14 November`, with the year unless `other` is of the same one.
  static func day(_ unixMilliseconds: UInt64, near other: UInt64) -> String {
    let text = Array(UTCTimestamp.text(unixMilliseconds).utf8.prefix(16))
    func number(_ range: Range<Int>) -> Int { text[range].reduce(0) { $0 * 10 + Int($1) - 0x30 } }
    let words = "\(number(8..<10)) \(months[(number(5..<7) + 11) % 12])"
    let isSameYear = UTCTimestamp.text(other).prefix(4) == UTCTimestamp.text(unixMilliseconds).prefix(4)
    return isSameYear ? words : "\(words) \(number(0..<4))"
  }

  /// The day; with the time in UTC if `other` is less than two days away.
  static func moment(_ unixMilliseconds: UInt64, near other: UInt64) -> String {
    let gap = max(unixMilliseconds, other) - min(unixMilliseconds, other)
    let words = day(unixMilliseconds, near: other)
    return gap < 2 * day
      ? "\(words) \(UTCTimestamp.text(unixMilliseconds).dropFirst(11).prefix(5)) UTC" : words
  }

  /// `this computer says 14 November, the badge 28 November: 14 days apart`.
  static func apart(computer: UInt64, device: UInt64) -> String {
    let gap = max(computer, device) - min(computer, device)
    return
      "this computer says \(moment(computer, near: device)), the badge \(moment(device, near: computer)): \(length(gap)) apart"
  }

  /// Whole days, from two days on; a shorter length with hours, minutes or seconds.
  static func length(_ milliseconds: UInt64) -> String {
    let days = milliseconds / day + (milliseconds % day >= day / 2 ? 1 : 0)
    return days >= 2 ? "\(days) days" : DurationText.of(seconds: milliseconds / 1000)
  }
}
