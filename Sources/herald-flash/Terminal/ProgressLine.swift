import Foundation
import HeraldFlash

/// How far something is, on one line of standard error: on a terminal only, and only when it takes longer than a second.
final class ProgressLine {
  private let isWanted: Bool
  private let begun = ContinuousClock.now
  private var step: FlashProgress.Step?
  private var stepBegun = ContinuousClock.now
  private var drawn: ContinuousClock.Instant?

  /// A line that is not drawn yet.
  init(isQuiet: Bool) { isWanted = !isQuiet && isatty(STDERR_FILENO) == 1 }

  /// Shows how far it is.
  func update(_ progress: FlashProgress) {
    let now = ContinuousClock.now
    if step != progress.step {
      step = progress.step
      stepBegun = now
    }
    guard isWanted, begun.duration(to: now) > .seconds(1) else { return }
    if let drawn, drawn.duration(to: now) < .milliseconds(100) { return }
    drawn = now
    let text = Self.text(progress, after: stepBegun.duration(to: now))
    FileHandle.standardError.write(Data("\r\u{1B}[K\(text)".utf8))
  }

  /// Takes the line away.
  func finish() {
    guard drawn != nil else { return }
    drawn = nil
    FileHandle.standardError.write(Data("\r\u{1B}[K".utf8))
  }

  /// The step, a bar, the rate, and how long it will take.
  static func text(_ progress: FlashProgress, after elapsed: Duration, width: Int = 30) -> String {
    guard progress.total > 0 else { return progress.step.rawValue }
    let done = min(max(progress.done, 0), progress.total)
    let filled = width * done / progress.total
    let bar = String(repeating: "█", count: filled) + String(repeating: "░", count: width - filled)
    let line = "\(progress.step.rawValue)  \(bar) \(done * 100 / progress.total) %"
    let seconds =
      Double(elapsed.components.seconds) + Double(elapsed.components.attoseconds) / 1_000_000_000_000_000_000
    guard seconds > 0.5, done > 0 else { return line }
    let rate = Double(done) / seconds
    let left = Int((Double(progress.total - done) / rate).rounded(.up))
    let leftText = left < 60 ? "\(left) s" : "\(left / 60) min \(left % 60) s"
    return "\(line)  \(Self.rate(rate)), \(leftText) left"
  }

  /// Bytes a second, in the unit that suits.
  static func rate(_ bytesPerSecond: Double) -> String {
    bytesPerSecond < 10_000
      ? "\(Int(bytesPerSecond)) bytes/s" : "\(Int((bytesPerSecond / 1000).rounded())) kB/s"
  }
}
