import HeraldEmbedded
import HeraldHostLink

/// Divides the log of a device into parts whose signs fit into memory. Each civil day is in one part, however
/// the device's clock jumped.
struct Division {
  /// Pages, by their index, and the days of which signs are taken from them.
  struct Chunk: Equatable {
    /// All if it is `nil`.
    let pages: [Int]?
    let days: ClosedRange<Int64>
  }

  private(set) var chunks: [Chunk] = []
  /// Whether the log is one part, for which nothing was counted.
  let isWhole: Bool
  /// The number of measurements without a date, unless the log is one part.
  private(set) var undated = 0

  /// Divides pages so that each part has at most `most` records with a date, or one day.
  init(
    _ pages: any DevicePages, _ scan: DeviceScan, _ days: LocalDays,
    most: Int = DeviceDerivation.mostSigns
  ) throws(HostLinkError) {
    isWhole = scan.readings <= most
    guard !isWhole else {
      chunks = [Chunk(pages: nil, days: .min ... .max)]
      return
    }
    var counts: [Int64: Int] = [:]
    var spans: [ClosedRange<Int64>?] = []
    var visit = PageVisit()
    try pages.forEach(nil) { _, page in
      var span: ClosedRange<Int64>?
      visit.visit(page, clock: { _ in }) { record, _ in
        let start = DeviceScan.Start(epoch: record.epoch, boot: record.boot)
        guard let date = scan.date(DeviceScan.Moment(start: start, uptime: record.uptime)) else {
          if case .measured(_, let rssi) = record.event, rssi.isAvailable { undated += 1 }
          return
        }
        let day = days.day(of: date)
        counts[day, default: 0] += 1
        span = span.map { min($0.lowerBound, day)...max($0.upperBound, day) } ?? day...day
      }
      spans.append(span)
    }
    divide(counts, spans, most)
  }

  private mutating func divide(_ counts: [Int64: Int], _ spans: [ClosedRange<Int64>?], _ most: Int) {
    var range: ClosedRange<Int64>?
    var sum = 0
    for (day, count) in counts.sorted(by: { $0.key < $1.key }) {
      if let full = range, sum + count > most {
        close(full, spans)
        range = nil
        sum = 0
      }
      range = (range?.lowerBound ?? day)...day
      sum += count
    }
    if let range { close(range, spans) }
  }

  private mutating func close(_ days: ClosedRange<Int64>, _ spans: [ClosedRange<Int64>?]) {
    chunks.append(
      Chunk(pages: spans.indices.filter { spans[$0].map(days.overlaps) ?? false }, days: days))
  }
}
