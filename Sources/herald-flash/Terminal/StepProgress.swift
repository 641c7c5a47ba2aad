import HeraldConsole
import HeraldFlash

/// How far a write, a comparison or an erasure is: its step, a bar, the rate, and how long it will take.
final class StepProgress {
  private let line: ProgressLine
  private var step: FlashProgress.Step?
  private var stepBegun = ContinuousClock.now

  /// Progress that is not drawn yet.
  init(isQuiet: Bool) { line = ProgressLine(isQuiet: isQuiet) }

  /// Shows how far it is.
  func update(_ progress: FlashProgress) {
    if step != progress.step {
      step = progress.step
      stepBegun = .now
    }
    line.update(Self.text(progress, after: stepBegun.duration(to: .now)))
  }

  /// Takes the line away.
  func finish() { line.finish() }

  /// The step, a bar, the rate, and how long it will take.
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

  /// Bytes a second, in the unit that suits.
  static func rate(_ bytesPerSecond: Double) -> String {
    bytesPerSecond < 10_000
      ? "\(Int(bytesPerSecond)) bytes/s" : "\(Int((bytesPerSecond / 1000).rounded())) kB/s"
  }
}
