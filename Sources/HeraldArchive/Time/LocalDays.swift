import HeraldHostLink
import HeraldText

/// The civil days of a time zone: an archive counts days as the people whose contacts it holds do.
///
/// The offsets from UTC are those of a file of the time zone database, or of a rule of POSIX; after the last
/// change that a file lists its rule goes on for ever. Every function takes any number.
package struct LocalDays: Sendable {
  /// The name of the time zone, such as `Europe/Berlin`, or its rule, such as `CET-1CEST,M3.5.0,M10.5.0/3`.
  package let zone: String
  /// The moments, in seconds since 1970-01-01T00:00:00Z, from which `offsets` apply, in ascending order.
  private var moments: [Int64] = [.min]
  /// Seconds to add to UTC.
  private var offsets: [Int64]
  /// The end of `moments`, after which the last 400 years are repeated; `nil` if the last offset stays.
  private var end: Int64?

  /// UTC.
  package static let utc = LocalDays(zone: "UTC", offset: 0)

  /// 400 years of the Gregorian calendar, which have whole weeks, in seconds.
  private static let cycle: Int64 = 146_097 * 86_400

  private init(zone: String, offset: Int64) {
    self.zone = zone
    offsets = [offset]
  }

  /// The days of a file.
  init(zone: String, _ file: ZoneFile) {
    self.init(zone: zone, offset: file.first)
    for change in file.changes { add(change.moment, change.offset) }
    guard let rule = ZoneRule(file.footer) else { return }
    if file.changes.isEmpty { offsets = [rule.standard] }
    add(rule, after: file.changes.last?.moment)
  }

  /// The days of a rule.
  init(zone: String, _ rule: ZoneRule) {
    self.init(zone: zone, offset: rule.standard)
    add(rule, after: nil)
  }

  /// The days of a time zone by its name in the IANA time zone database, or by its rule.
  /// - Throws: `.usage` if this computer has no such time zone.
  package init(zone: String) throws(HostLinkError) {
    if zone == "UTC" {
      self = .utc
    } else if let file = ZoneName().file(named: zone) {
      self.init(zone: zone, file)
    } else if let rule = ZoneRule(zone) {
      self.init(zone: zone, rule)
    } else {
      throw ZoneName.unknown("the time zone is \"\(PrintableText.of(zone, limit: 100))\"")
    }
  }

  /// The name or the rule of this computer's time zone.
  /// - Throws: `.usage` if it cannot be understood.
  package static func systemZone() throws(HostLinkError) -> String { try ZoneName().system() }

  /// The name or the rule of a time zone that a person has named, also by the path of its file.
  /// - Throws: `.usage` if this computer has no such time zone.
  package static func zone(named text: String) throws(HostLinkError) -> String { try ZoneName().named(text) }

  private mutating func add(_ moment: Int64, _ offset: Int64) {
    if moment == moments[moments.count - 1] {
      offsets[offsets.count - 1] = offset
    } else if offset != offsets[offsets.count - 1] {
      moments.append(moment)
      offsets.append(offset)
    }
  }

  /// Adds the changes of a rule after `last`, or from 1970 on, for so long that their last 400 years follow
  /// the rule alone.
  private mutating func add(_ rule: ZoneRule, after last: Int64?) {
    guard rule.daylight != nil else {
      if let last { add(max(last, moments[moments.count - 1]), rule.standard) }
      return
    }
    let known = min(max(last ?? 0, 0), Int64(UTCTimestamp.latest / 1000))
    let year = 1970 + known / (365 * 86_400 + 20_952)
    let all = ((year - 2)...(year + 403)).flatMap { rule.changes(ofYear: $0) }
    var current: Int64?
    for (moment, offset) in all {
      if moment > last ?? .min {
        // The offset that the rule has at the last change of the file may differ from the file's.
        if let start = current, let last { add(max(last, moments[moments.count - 1]), start) }
        current = nil
        add(moment, offset)
      } else {
        current = offset
      }
    }
    end = ZoneRule.days(year + 403, 1, 1) * 86_400
  }

  /// Whether two zones have the same offsets from a moment in seconds on.
  func agrees(with other: LocalDays, from moment: Int64) -> Bool {
    func changes(_ days: LocalDays) -> [[Int64]] {
      zip(days.moments, days.offsets).filter {
        $0.0 > moment && $0.0 < (end ?? .max) && $0.0 < (other.end ?? .max)
      }
      .map { [$0.0, $0.1] }
    }
    return offset(at: moment * 1000) == other.offset(at: moment * 1000) && changes(self) == changes(other)
  }

  /// The seconds to add to UTC at a date in milliseconds since 1970-01-01T00:00:00Z.
  package func offset(at unixMilliseconds: Int64) -> Int64 {
    let seconds = unixMilliseconds / 1000 - (unixMilliseconds % 1000 < 0 ? 1 : 0)
    guard let end, seconds >= end else { return offsets[index(of: seconds)] }
    return offsets[index(of: seconds - ((seconds - end) / Self.cycle + 1) * Self.cycle)]
  }

  /// The index of the offset that applies at a moment in seconds.
  private func index(of moment: Int64) -> Int {
    var (low, high) = (0, moments.count)
    while high - low > 1 {
      let middle = (low + high) / 2
      if moments[middle] <= moment { low = middle } else { high = middle }
    }
    return low
  }

  /// The last date that is computed with, in milliseconds, and the first one; of dates beyond them it takes
  /// the nearest.
  private static let mostDate = Int64.max / 4

  private static func bounded(_ date: Int64) -> Int64 { min(max(date, -mostDate), mostDate) }

  /// A date that clocks show, given as if it were UTC.
  struct LocalTime {
    /// The date in milliseconds since 1970-01-01T00:00:00Z: the first of two, and the moment of the change
    /// if clocks were set forward past it.
    let moment: Int64
    /// The second date, if clocks were set back and showed the time twice.
    let second: Int64?
    /// Whether clocks were set forward past it.
    let isSkipped: Bool
  }

  /// The moments at which clocks show a local time, given as if it were UTC, in milliseconds.
  func moments(local: Int64) -> LocalTime {
    let local = Self.bounded(local)
    // The offsets before and after a change in the day around it.
    let (early, late) = (local - 86_400_000, local + 86_400_000)
    let (before, after) = (offset(at: early), offset(at: late))
    let first = moment(local: local, offset: before)
    let second = before == after ? nil : moment(local: local, offset: after)
    if let first { return LocalTime(moment: first, second: second, isSkipped: false) }
    if let second { return LocalTime(moment: second, second: nil, isSkipped: false) }
    // Clocks are set forward between the two.
    var (low, high) = (early, late)
    while high - low > 1 {
      let middle = low + (high - low) / 2
      if offset(at: middle) == before { low = middle } else { high = middle }
    }
    return LocalTime(moment: high, second: nil, isSkipped: true)
  }

  /// The moment at which clocks show a local time with an offset; `nil` if they have another one then.
  private func moment(local: Int64, offset: Int64) -> Int64? {
    let moment = local - offset * 1000
    return self.offset(at: moment) == offset ? moment : nil
  }

  /// The number of the civil day of a date, counted from 1970-01-01.
  package func day(of unixMilliseconds: Int64) -> Int64 {
    let date = Self.bounded(unixMilliseconds)
    let local = date + offset(at: date) * 1000
    return local >= 0 ? local / 86_400_000 : (local - 86_399_999) / 86_400_000
  }

  /// The first millisecond of a civil day.
  package func begin(ofDay day: Int64) -> Int64 {
    let most = Self.mostDate / 86_400_000
    return moments(local: min(max(day, -most), most) * 86_400_000).moment
  }

  /// A date as local time with its distance from UTC: `2026-09-14 08:30:00+0200`.
  package func text(of unixMilliseconds: Int64) -> String {
    let seconds = offset(at: unixMilliseconds)
    return digits(of: unixMilliseconds) + Self.text(ofOffset: seconds)
  }

  /// A date as local time for people: `2026-09-14 08:30:00`; on a day on which clocks are set, with its
  /// distance from UTC: `2026-10-25 02:30:00 +01:00`. `isToMinutes` says whether it is without seconds.
  package func localTime(of unixMilliseconds: Int64, isToMinutes: Bool = false) -> String {
    let text = String(digits(of: unixMilliseconds).prefix(isToMinutes ? 16 : 19))
    guard hasTwoOffsets(day(of: unixMilliseconds)) else { return text }
    return "\(text) \(Self.text(ofOffset: offset(at: unixMilliseconds), separator: ":"))"
  }

  /// Whether the distance from UTC at the end of a day is not that of its begin.
  func hasTwoOffsets(_ day: Int64) -> Bool {
    let most = Self.mostDate / 86_400_000
    let day = min(max(day, -most), most)
    return offset(at: begin(ofDay: day)) != offset(at: begin(ofDay: day + 1) - 1)
  }

  /// `yyyy-MM-dd HH:mm:ss`
  private func digits(of unixMilliseconds: Int64) -> String {
    let date = Self.bounded(unixMilliseconds)
    return UTCTimestamp.seconds(UInt64(clamping: date + offset(at: date) * 1000))
  }

  private static func text(ofOffset seconds: Int64, separator: String = "") -> String {
    let minutes = abs(seconds) / 60
    func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return "\(seconds < 0 ? "-" : "+")\(two(minutes / 60))\(separator)\(two(minutes % 60))"
  }

  /// The day as `yyyy-MM-dd`.
  package static func text(ofDay day: Int64) -> String {
    String(UTCTimestamp.seconds(UInt64(min(max(day, 0), 2_932_896)) * 86_400_000).prefix(10))
  }

  /// The day as the number of the column `day`: 20260914 is 2026-09-14.
  package static func number(ofDay day: Int64) -> Int64 {
    Int64(text(ofDay: day).filter { $0 != "-" }) ?? 0
  }

  /// The day of a number of the column `day`; `nil` for other numbers.
  package static func day(ofNumber number: Int64) -> Int64? {
    guard (1970_01_01...9999_12_31).contains(number) else { return nil }
    let digits = Array(String(number))
    let day = day("\(String(digits[..<4]))-\(String(digits[4..<6]))-\(String(digits[6...]))")
    // The 31st of a month with 30 days would be the next day.
    return day.flatMap { Self.number(ofDay: $0) == number ? $0 : nil }
  }

  /// The number of a day written as `yyyy-MM-dd`; `nil` for other text.
  package static func day(_ text: some StringProtocol) -> Int64? {
    guard text.utf8.count == 10, let moment = UTCTimestamp.parse("\(text) 00:00:00") else { return nil }
    return Int64(moment / 86_400_000)
  }
}
