import HeraldHostLink

/// The civil days that a report is about.
package struct ReportPeriod: Equatable, Sendable {
  /// The first day, counted from 1970-01-01; `nil` without a limit.
  package let from: Int64?
  /// The last day.
  package let to: Int64?

  /// All days.
  package static let all = ReportPeriod()

  private init() { (from, to) = (nil, nil) }

  /// The days from `from` to `to`, both written as `2026-09-14` and included.
  /// - Throws: `.usage` if one is not a day, or the last is before the first.
  package init(from: String?, to: String?) throws(HostLinkError) {
    func day(_ text: String?) throws(HostLinkError) -> Int64? {
      guard let text else { return nil }
      guard let day = LocalDays.day(text) else {
        throw HostLinkError(.usage, "\"\(text)\" is not a day", advice: "write a day as in 2026-09-14")
      }
      return day
    }
    self.from = try day(from)
    self.to = try day(to)
    if let first = self.from, let last = self.to, last < first {
      throw HostLinkError(.usage, "the last day is before the first", advice: "exchange --from and --to")
    }
  }

  /// Both ends as numbers of the columns `day`.
  var numbers: ClosedRange<Int64> {
    let first = from.map(LocalDays.number(ofDay:)) ?? 0
    return first...max(first, to.map(LocalDays.number(ofDay:)) ?? 99_999_999)
  }

  /// Both ends, such as 20260914; `nil` for all days.
  package var days: ClosedRange<Int64>? { from == nil && to == nil ? nil : numbers }

  /// Both ends as values of the columns `day`.
  var arguments: [SQLValue] { [.integer(numbers.lowerBound), .integer(numbers.upperBound)] }

  /// The first and the last millisecond.
  func dates(_ days: LocalDays) -> ClosedRange<Int64> {
    let first = from.map(days.begin(ofDay:)) ?? .min
    let last = to.map { days.begin(ofDay: $0 + 1) - 1 } ?? .max
    return first...max(first, last)
  }
}
