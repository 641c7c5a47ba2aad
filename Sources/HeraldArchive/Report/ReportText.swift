import HeraldHostLink
import HeraldText

/// Numbers and times of a report as text.
enum ReportText {
  /// Seconds as minutes, with a half if there is one and the number is small.
  static func minutes(_ seconds: Int) -> String {
    let halves = (seconds + 15) / 30
    if halves % 2 == 1, halves < 20 { return "\(halves / 2).5" }
    return ((halves + 1) / 2).groupedDigits
  }

  /// A text of at most `length` characters.
  static func shortened(_ text: String, to length: Int) -> String {
    text.count > length ? text.prefix(length - 1) + "…" : text
  }

  /// A date as civil time, to the minute; with its distance from UTC on a day on which clocks are set.
  static func moment(_ date: Int64, _ days: LocalDays) -> String {
    days.localTime(of: date, isToMinutes: true)
  }

  /// Both ends and the duration.
  static func span(_ span: ReportDevice.Span, _ days: LocalDays) -> String {
    "\(moment(span.begin, days)) to \(moment(span.end, days)) (\(DurationText.of(seconds: (span.end - span.begin) / 1000)))"
  }

  /// A day since 1970-01-01 with its weekday.
  static func day(_ day: Int64) -> String {
    let names = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
    return "\(names[Int((day % 7 + 7) % 7)]) \(LocalDays.text(ofDay: day))"
  }

  /// The time zone with its offsets from UTC in these days.
  static func zone(_ days: LocalDays, _ numbers: [Int64]) -> String {
    guard let first = numbers.first, let last = numbers.last else { return days.zone }
    var offsets: [Int64] = []
    for day in [first, last] {
      let offset = days.offset(at: days.begin(ofDay: day))
      if !offsets.contains(offset) { offsets.append(offset) }
    }
    if days.zone == "UTC" { return "UTC" }
    return "\(days.zone) (\(offsets.map(Self.offset).joined(separator: " and ")))"
  }

  private static func offset(_ seconds: Int64) -> String {
    let minutes = abs(seconds) / 60
    func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return "UTC\(seconds < 0 ? "−" : "+")\(two(minutes / 60)):\(two(minutes % 60))"
  }

  /// A coordinate of SVG, rounded to a tenth.
  static func coordinate(_ value: Double) -> String {
    let tenths = Int((value * 10).rounded())
    return tenths % 10 == 0
      ? "\(tenths / 10)" : "\(tenths < 0 && tenths > -10 ? "-" : "")\(tenths / 10).\(abs(tenths) % 10)"
  }
}

/// The bands of attenuation as people read them.
struct ReportBands {
  /// The names of Google and Apple's Exposure Notification for its four bands.
  static let names = ["immediate", "near", "medium", "other"]

  let limits: [Int]

  /// The limits of a band in dB, as text without a blank at which a line may end.
  func range(_ band: Int) -> String {
    if band == 0 { return "≤\u{A0}\(limits[0])\u{A0}dB" }
    if band < limits.count { return "\(limits[band - 1] + 1)–\(limits[band])\u{A0}dB" }
    return ">\u{A0}\(limits[limits.count - 1])\u{A0}dB"
  }
}
