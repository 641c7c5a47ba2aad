/// Steps of a machine's date, which are found by a clock that nobody sets. It reads no clock itself.
///
/// A drift that NTP corrects little by little is a step, too, as soon as it amounts to the limit.
package struct ClockSteps: Sendable {
  /// A step.
  package struct Step: Equatable, Sendable {
    /// The length of the step in milliseconds; negative if the date was set back.
    package let milliseconds: Int64

    /// What has happened, such as `the date of this machine was set forward by 14 d 0 h`.
    package var words: String {
      let direction = milliseconds < 0 ? "back" : "forward"
      return "the date of this machine was set \(direction) by \(Self.length(milliseconds.magnitude))"
    }

    private static func length(_ milliseconds: UInt64) -> String {
      let seconds = milliseconds / 1000
      if seconds >= 86_400 { return "\(seconds / 86_400) d \(seconds % 86_400 / 3600) h" }
      if seconds >= 3600 { return "\(seconds / 3600) h \(seconds % 3600 / 60) min" }
      if seconds >= 60 { return "\(seconds / 60) min \(seconds % 60) s" }
      return "\(seconds).\(milliseconds % 1000 / 100) s"
    }
  }

  /// The shortest step in milliseconds.
  package static let shortest: UInt64 = 1000

  /// The date less the time of the other clock.
  private var offset: Int64

  /// Begins with a date, in milliseconds since 1970-01-01T00:00:00Z, and the time of a clock that nobody
  /// sets, in milliseconds.
  package init(date: UInt64, time: UInt64) { offset = Int64(clamping: date) &- Int64(clamping: time) }

  /// The step since the previous one, if there was one.
  package mutating func step(date: UInt64, time: UInt64) -> Step? {
    let now = Int64(clamping: date) &- Int64(clamping: time)
    let (difference, overflow) = now.subtractingReportingOverflow(offset)
    guard !overflow, difference.magnitude >= Self.shortest else { return nil }
    offset = now
    return Step(milliseconds: difference)
  }
}
