import HeraldConsole
import HeraldFlash

/// The progress of a write, a comparison or an erasure: its step, a bar, the rate, and the remaining time.
final class StepProgress {
  private let line: ProgressLine
  private var step: FlashProgress.Step?
  private var stepBegun = ContinuousClock.now

  /// Creates the progress line, which is not drawn yet.
  init(isQuiet: Bool) { line = ProgressLine(isQuiet: isQuiet) }

  /// Updates the progress line.
  func update(_ progress: FlashProgress) {
    if step != progress.step {
      step = progress.step
      stepBegun = .now
    }
    line.update(Self.text(progress, after: stepBegun.duration(to: .now)))
  }

  /// Removes the progress line.
  func finish() { line.finish() }

  /// The text of the progress line: the step, a bar, the rate, and the remaining time.
  static func text(_ progress: FlashProgress, after elapsed: Duration) -> String {
    guard progress.total > 0 else { return progress.step.rawValue }
    let bar = ProgressLine.bar(done: progress.done, of: progress.total)
    let text = "\(progress.step.rawValue)  \(bar)"
    let seconds =
      Double(elapsed.components.seconds) + Double(elapsed.components.attoseconds) / 1_000_000_000_000_000_000
    guard seconds > 0.5, progress.done > 0 else { return text }
    let rate = Double(progress.done) / seconds
    let left = Int((Double(max(0, progress.total - progress.done)) / rate).rounded(.up))
    let leftText = left < 60 ? "\(left) s" : "\(left / 60) min \(left % 60) s"
    return "\(text)  \(Self.rate(rate)), \(leftText) left"
  }

  /// Bytes per second, with a suitable unit.
  static func rate(_ bytesPerSecond: Double) -> String {
    bytesPerSecond < 10_000
      ? "\(Int(bytesPerSecond)) bytes/s" : "\(Int((bytesPerSecond / 1000).rounded())) kB/s"
  }
}
