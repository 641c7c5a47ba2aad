/// What is recorded of a time: a value of the column `coverage.state`.
///
/// The order is that of precedence: of two devices of one person the state that comes first holds.
package enum CoverageState: String, CaseIterable, Sendable, Encodable {
  /// The device recorded, and its motion sensor says that it was worn.
  case worn
  /// The device recorded; it has no motion sensor that responds, so that nobody can say whether it was worn.
  case recorded
  /// The device recorded, and its motion sensor says that it lay: it says nothing of its wearer.
  case lying
  /// The device recorded, and its clock was never set in that start: when exactly is not known.
  case withoutDate = "without_date"
  /// Pages of the log are missing: overwritten, erased, or sealed still.
  case dropped
  /// After the last record that was collected.
  case notCollected = "not_collected"
  /// The device had no power.
  case withoutPower = "without_power"
  /// Before the device was given a payload.
  case notProvisioned = "not_provisioned"
  /// Of a person: no device was assigned by the file of people.
  case withoutDevice = "without_device"

  /// Whether a record of others in that time says something of the wearer.
  package var isRecorded: Bool { self == .worn || self == .recorded }

  /// The words for people.
  package var text: String { rawValue.replacing("_", with: " ") }
}

/// A time in one state.
package struct CoverageInterval: Equatable, Sendable {
  /// The first millisecond since 1970-01-01T00:00:00Z.
  package let from: Int64
  /// The millisecond after the last one.
  package let to: Int64
  /// What is recorded of it.
  package let state: CoverageState

  /// The length of the interval in milliseconds.
  package var length: Int64 { to.subtractingReportingOverflow(from).overflow ? .max : to - from }

  /// The part within other limits, if there is any.
  func clamped(from: Int64, to: Int64) -> CoverageInterval? {
    let (first, last) = (max(from, self.from), min(to, self.to))
    return first < last ? CoverageInterval(from: first, to: last, state: state) : nil
  }

  /// Disjoint intervals of all times of `intervals`, in ascending order; of those that overlap, the state
  /// that comes first in `CoverageState` holds.
  static func united(_ intervals: [CoverageInterval]) -> [CoverageInterval] {
    let ranks = Dictionary(uniqueKeysWithValues: CoverageState.allCases.enumerated().map { ($1, $0) })
    var edges: [(date: Int64, rank: Int, change: Int)] = []
    edges.reserveCapacity(intervals.count * 2)
    for interval in intervals where interval.from < interval.to {
      let rank = ranks[interval.state] ?? 0
      edges.append((interval.from, rank, 1))
      edges.append((interval.to, rank, -1))
    }
    edges.sort { $0.date < $1.date }
    var counts = [Int](repeating: 0, count: ranks.count)
    var result: [CoverageInterval] = []
    var index = 0
    while index < edges.count {
      let date = edges[index].date
      while index < edges.count, edges[index].date == date {
        counts[edges[index].rank] += edges[index].change
        index += 1
      }
      guard index < edges.count, let rank = counts.firstIndex(where: { $0 > 0 }) else { continue }
      let state = CoverageState.allCases[rank]
      let end = edges[index].date
      if let last = result.last, last.to == date, last.state == state {
        result[result.count - 1] = CoverageInterval(from: last.from, to: end, state: state)
      } else {
        result.append(CoverageInterval(from: date, to: end, state: state))
      }
    }
    return result
  }
}
