import Foundation
import HeraldConsole

/// One progress line on standard error for each of several concurrent operations; only on a terminal, and
/// only after one second. If there are more operations than terminal lines, completed ones are hidden.
final class ProgressLines: @unchecked Sendable {
  private let lock = NSLock()
  private let isWanted: Bool
  private let begun = ContinuousClock.now
  private var lines: [(text: String, isDone: Bool)]
  private var drawnLines = 0
  private var drawn: ContinuousClock.Instant?

  /// Creates `count` lines, which are not drawn yet.
  init(count: Int, isQuiet: Bool) {
    isWanted = !isQuiet && isatty(STDERR_FILENO) == 1
    lines = Array(repeating: ("", false), count: count)
  }

  /// Updates the progress of one operation.
  func update(_ index: Int, _ text: String, isDone: Bool = false) {
    guard isWanted else { return }
    lock.lock()
    defer { lock.unlock() }
    lines[index] = (text, isDone)
    let now = ContinuousClock.now
    guard begun.duration(to: now) > .seconds(1) else { return }
    if let drawn, drawn.duration(to: now) < .milliseconds(100) { return }
    drawn = now
    let shown = lines.filter { !$0.text.isEmpty && !$0.isDone }.map(\.text)
    let most = max(1, Terminal.rows - 2)
    let rest = shown.count - most
    var texts = Array(shown.prefix(most))
    if rest > 0 { texts.append("… and \(rest) more") }
    texts.append("\(lines.count { $0.isDone }) of \(lines.count) done")
    Console.draw(erasure + texts.flatMap { [.text($0), .newLine] })
    drawnLines = texts.count
  }

  /// Removes the lines.
  func finish() {
    lock.lock()
    if drawnLines > 0 { Console.draw(erasure) }
    drawnLines = 0
    lock.unlock()
  }

  private var erasure: [Console.Drawing] { drawnLines > 0 ? [.eraseLines(drawnLines)] : [] }
}

/// Properties of the terminal on standard error.
enum Terminal {
  /// The number of rows of the terminal; 24 if unknown.
  static var rows: Int {
    var size = winsize()
    guard ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_row > 0 else { return 24 }
    return Int(size.ws_row)
  }
}
