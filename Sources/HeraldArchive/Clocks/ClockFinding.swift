import HeraldHostLink
import HeraldText

/// A device whose clock was wrong on some days, or may have been.
package struct ClockFinding: Equatable, Sendable, Encodable {
  /// What is wrong.
  package enum Kind: String, CaseIterable, Sendable, Encodable {
    /// The clock is ahead of the devices that it met, which agree with each other.
    case ahead
    /// The clock is behind the devices that it met.
    case behind
    /// The clock differs from that of one other device, and no third one says which of the two is wrong.
    case differs
    /// Records of the device are of days after this computer's date.
    case future
    /// Records of the device are of days before the first version of Herald.
    case ancient
    /// The device met others on days of which none of these has a record.
    case alone
  }

  /// The serial number of the device.
  package let device: String
  /// The persons who wore it; empty if none is known.
  package let persons: [String]
  /// What is wrong.
  package let kind: Kind
  /// The first and the last of the days, by the device's clock, as `yyyy-MM-dd`.
  package let from: String
  /// The last of the days.
  package let to: String
  /// The seconds by which the device is ahead of the others, negative if behind; `nil` if that is not known.
  package let offsetSeconds: Int64?
  /// The number of devices that it was compared with.
  package let met: Int
  /// The other one, by its persons or its serial number, of two that differ.
  package let other: String?

  /// The device as people call it: those who wore it, or its serial number.
  package var name: String { Self.name(persons, device) }

  static func name(_ persons: [String], _ serial: String) -> String {
    persons.isEmpty
      ? "badge \(PrintableText.of(serial, limit: 40))"
      : persons.map { PrintableText.name($0) }.joined(separator: " and ") + "'s badge"
  }

  /// The finding as a sentence.
  package var text: String { "\(name) \(predicate)" }

  /// The finding, without the name of the device.
  var predicate: String {
    let days = from == to ? "on \(from)" : "from \(from) to \(to)"
    let offset = Self.duration(offsetSeconds.map { $0.magnitude } ?? 0)
    return switch kind {
    case .ahead, .behind:
      "is \(offset) \(kind == .ahead ? "ahead of" : "behind") the \(met == 1 ? "badge" : "\(met) badges") it met \(days)"
    case .differs:
      "and \(other ?? "another") have clocks that differ by \(offset) \(days), and no third badge says which is right"
    case .future: "has records \(days), which is in the future"
    case .ancient: "has records \(days), before its clock was set"
    case .alone: "met badges \(days) that have no record of \(from == to ? "this day" : "these days")"
    }
  }

  /// What to do.
  package var advice: String {
    offsetSeconds != nil && kind != .differs
      ? "`herald-host archive clocks --correct` corrects its records in an archive; `herald-host time sync` sets its clock"
      : "`herald-host time sync` sets its clock; look at the days and times of its wearer before they are used"
  }

  /// Whether it is about a day, such as 20260914.
  package func isAbout(_ days: ClosedRange<Int64>) -> Bool {
    guard let first = LocalDays.day(from), let last = LocalDays.day(to) else { return false }
    return LocalDays.number(ofDay: first) <= days.upperBound
      && LocalDays.number(ofDay: last) >= days.lowerBound
  }

  /// Whether it is about one of several labels of persons, or serial numbers.
  package func isAbout(_ labels: Set<String>) -> Bool {
    labels.contains(device) || !labels.isDisjoint(with: persons)
  }

  /// `3 h 00 min`, `14 d 00 h 05 min`
  static func duration(_ seconds: UInt64) -> String {
    func two(_ number: UInt64) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let minutes = seconds / 60
    let (days, hours, rest) = (minutes / 1440, minutes / 60 % 24, minutes % 60)
    if days > 0 { return "\(days) d \(two(hours)) h \(two(rest)) min" }
    return hours > 0 ? "\(hours) h \(two(rest)) min" : "\(rest) min"
  }
}
