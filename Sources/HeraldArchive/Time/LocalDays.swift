import Foundation
import HeraldHostLink
import Synchronization

/// The civil days of a time zone: an archive counts days as the people whose contacts it holds do.
///
/// The offsets from UTC come from the operating system's time zone database, for dates from 2000 to 2100;
/// earlier and later dates have the offset of the nearest of them.
public struct LocalDays: Sendable {
  /// The name of the time zone, such as `Europe/Berlin`.
  public let zone: String
  /// The moments, in seconds since 1970-01-01T00:00:00Z, from which `offsets` apply, in ascending order.
  private let moments: [Int64]
  /// Seconds to add to UTC.
  private let offsets: [Int64]

  /// UTC.
  public static let utc = LocalDays(zone: "UTC", moments: [.min], offsets: [0])

  private static let environment = Mutex(())
  private static let first: Int64 = 946_684_800
  private static let last: Int64 = 4_102_444_800

  private init(zone: String, moments: [Int64], offsets: [Int64]) {
    (self.zone, self.moments, self.offsets) = (zone, moments, offsets)
  }

  /// The days of a time zone by its name in the IANA time zone database.
  /// - Throws: `.usage` if this computer has no such time zone.
  public init(zone: String) throws(HostLinkError) {
    if zone == "UTC" {
      self = .utc
      return
    }
    let isName = zone.utf8.allSatisfy {
      (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0)
        || [0x2B, 0x2D, 0x2F, 0x5F].contains($0)
    }
    guard isName, !zone.isEmpty, !zone.hasPrefix("/"), access("/usr/share/zoneinfo/\(zone)", R_OK) == 0 else {
      throw HostLinkError(
        .usage, "this computer knows no time zone \"\(zone)\"",
        advice: "name one as in Europe/Berlin, or install tzdata")
    }
    self = Self.environment.withLock { _ in Self.read(zone) }
  }

  /// The name of this computer's time zone; `UTC` if it is not known.
  public static var systemZone: String {
    if let name = getenv("TZ").map({ String(cString: $0) }), !name.isEmpty {
      return name.hasPrefix(":") ? String(name.dropFirst()) : name
    }
    var path = [CChar](repeating: 0, count: 4096)
    let count = readlink("/etc/localtime", &path, path.count - 1)
    guard count > 0 else { return "UTC" }
    let target = String(decoding: path[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    guard let range = target.range(of: "/zoneinfo/") else { return "UTC" }
    let name = String(target[range.upperBound...])
    return name == "Etc/UTC" ? "UTC" : name
  }

  /// Asks the C library, whose only way to name a time zone is the environment.
  private static func read(_ zone: String) -> LocalDays {
    let before = getenv("TZ").map { String(cString: $0) }
    setenv("TZ", zone, 1)
    tzset()
    defer {
      if let before { setenv("TZ", before, 1) } else { unsetenv("TZ") }
      tzset()
    }
    func offset(_ moment: Int64) -> Int64 {
      var seconds = time_t(moment)
      var parts = tm()
      localtime_r(&seconds, &parts)
      return Int64(parts.tm_gmtoff)
    }
    var moments: [Int64] = [.min]
    var offsets = [offset(first)]
    var day = first
    while day < last {
      let next = day + 86_400
      if offset(next) != offset(day) {
        var (low, high) = (day, next)
        while high - low > 1 {
          let middle = (low + high) / 2
          if offset(middle) == offset(day) { low = middle } else { high = middle }
        }
        moments.append(high)
        offsets.append(offset(high))
      }
      day = next
    }
    return LocalDays(zone: zone, moments: moments, offsets: offsets)
  }

  /// The seconds to add to UTC at a date in milliseconds since 1970-01-01T00:00:00Z.
  public func offset(at unixMilliseconds: Int64) -> Int64 { offsets[place(of: unixMilliseconds / 1000)] }

  /// The index of the offset that applies at a moment in seconds.
  private func place(of moment: Int64) -> Int {
    var (low, high) = (0, moments.count)
    while high - low > 1 {
      let middle = (low + high) / 2
      if moments[middle] <= moment { low = middle } else { high = middle }
    }
    return low
  }

  /// The moment at which clocks show a local time, given as if it were UTC, in milliseconds. Of a time that
  /// there is twice the first; a time that is skipped is the moment from which it is.
  func moment(local: Int64) -> Int64 {
    // The offsets before and after a change in the day around it.
    let before = offset(at: local - 86_400_000) * 1000
    let after = offset(at: local + 86_400_000) * 1000
    for offset in [before, after] where self.offset(at: local - offset) * 1000 == offset {
      return local - offset
    }
    // Skipped: the clock is set forward between the two.
    return (moments.dropFirst().first { $0 * 1000 > local - after } ?? (local - after) / 1000) * 1000
  }

  /// The number of the civil day of a date, counted from 1970-01-01.
  public func day(of unixMilliseconds: Int64) -> Int64 {
    let local = unixMilliseconds + offset(at: unixMilliseconds) * 1000
    return local >= 0 ? local / 86_400_000 : (local - 86_399_999) / 86_400_000
  }

  /// The first millisecond of a civil day.
  public func begin(ofDay day: Int64) -> Int64 {
    let local = day * 86_400
    // The offset before the moment applies, and is wrong only if the clock changes in between.
    let guess = local - offset(at: local * 1000)
    return (local - offset(at: guess * 1000)) * 1000
  }

  /// A date as local time with its distance from UTC: `2026-09-14 08:30:00+0200`.
  public func text(of unixMilliseconds: Int64) -> String {
    let seconds = offset(at: unixMilliseconds)
    let local = UTCTimestamp.seconds(UInt64(clamping: unixMilliseconds + seconds * 1000))
    let minutes = abs(seconds) / 60
    func digits(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return "\(local)\(seconds < 0 ? "-" : "+")\(digits(minutes / 60))\(digits(minutes % 60))"
  }

  /// The day as `yyyy-MM-dd`.
  public static func text(ofDay day: Int64) -> String {
    String(UTCTimestamp.seconds(UInt64(clamping: day) * 86_400_000).prefix(10))
  }

  /// The day as the number of the column `day`: 20260914 is 2026-09-14.
  public static func number(ofDay day: Int64) -> Int64 {
    Int64(text(ofDay: day).filter { $0 != "-" }) ?? 0
  }

  /// The day of a number of the column `day`; `nil` for other numbers.
  public static func day(ofNumber number: Int64) -> Int64? {
    guard (1970_01_01...9999_12_31).contains(number) else { return nil }
    let digits = Array(String(number))
    let day = day("\(String(digits[..<4]))-\(String(digits[4..<6]))-\(String(digits[6...]))")
    // The 31st of a month with 30 days would be the next day.
    return day.flatMap { Self.number(ofDay: $0) == number ? $0 : nil }
  }

  /// The number of a day written as `yyyy-MM-dd`; `nil` for other text.
  public static func day(_ text: some StringProtocol) -> Int64? {
    guard text.utf8.count == 10, let moment = UTCTimestamp.parse("\(text) 00:00:00") else { return nil }
    return Int64(moment / 86_400_000)
  }
}
