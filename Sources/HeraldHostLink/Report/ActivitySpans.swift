/// Finds the gaps in a series of timestamps, most of which are in order. If there are more than its capacity,
/// it discards the shortest.
struct ActivitySpans {
  private static let most = 2048
  private let gap: UInt64
  /// The spans without a gap, in chronological order, more than `gap` apart.
  private var spans: [(begin: UInt64, end: UInt64)] = []

  /// `gap` is the longest interval between two timestamps, in milliseconds, that does not count as a gap.
  init(gap: UInt64) { self.gap = gap }

  /// Adds a timestamp.
  mutating func add(_ moment: UInt64) {
    // Binary search for the first span that ends late enough to be extended.
    var low = 0
    var high = spans.count
    if let last = spans.last, moment > last.end {
      low = moment - last.end <= gap ? high - 1 : high
      high = low
    }
    while low < high {
      let middle = (low + high) / 2
      if spans[middle].end + gap < moment { low = middle + 1 } else { high = middle }
    }
    guard low < spans.count, spans[low].begin <= moment + gap else {
      spans.insert((moment, moment), at: low)
      if spans.count > Self.most { forgetShortest() }
      return
    }
    spans[low].begin = min(spans[low].begin, moment)
    spans[low].end = max(spans[low].end, moment)
    while low + 1 < spans.count, spans[low + 1].begin <= spans[low].end + gap {
      spans[low].end = max(spans[low].end, spans[low + 1].end)
      spans.remove(at: low + 1)
    }
  }

  /// The gaps between the timestamps so far.
  var gaps: [ReportGap] { zip(spans, spans.dropFirst()).map { ReportGap(begin: $0.end, end: $1.begin) } }

  /// Discards the shorter half of the gaps.
  private mutating func forgetShortest() {
    let lengths = gaps.map { $0.end - $0.begin }
    let shortest = lengths.sorted()[lengths.count / 2]
    var kept: [(begin: UInt64, end: UInt64)] = []
    for (index, span) in spans.enumerated() {
      if index > 0, lengths[index - 1] <= shortest, !kept.isEmpty {
        kept[kept.count - 1].end = span.end
      } else {
        kept.append(span)
      }
    }
    spans = kept
  }
}
