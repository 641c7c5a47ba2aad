import Foundation

/// How far something is, on one line of standard error: on a terminal only, and only when it takes longer
/// than a second.
package final class ProgressLine {
  private let isWanted: Bool
  private let begun = ContinuousClock.now
  private var drawn: ContinuousClock.Instant?

  /// A line that is not drawn yet.
  package init(isQuiet: Bool) { isWanted = !isQuiet && isatty(STDERR_FILENO) == 1 }

  /// Shows `text`, unless the last one was shown less than a tenth of a second ago.
  package func update(_ text: @autoclosure () -> String) {
    let now = ContinuousClock.now
    guard isWanted, begun.duration(to: now) > .seconds(1) else { return }
    if let drawn, drawn.duration(to: now) < .milliseconds(100) { return }
    drawn = now
    Console.draw([.eraseLine, .text(text())])
  }

  /// Shows a bar for `done` of `total`, and `text` behind it.
  package func update(done: Int, of total: Int, text: String) {
    if total > 0 { update("\(Self.bar(done: done, of: total))  \(text)") }
  }

  /// Takes the line away.
  package func finish() {
    guard drawn != nil else { return }
    drawn = nil
    Console.draw([.eraseLine])
  }

  /// A bar, and how many percent it shows. All of nothing is 100 %.
  package static func bar(done: Int, of total: Int, width: Int = 30) -> String {
    let share = total > 0 ? min(max(done, 0), total) * 100 / total : 100
    let filled = width * share / 100
    return String(repeating: "█", count: filled) + String(repeating: "░", count: width - filled)
      + " \(share) %"
  }
}
