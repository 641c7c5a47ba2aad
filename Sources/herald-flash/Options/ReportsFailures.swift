import HeraldConsole

/// A command that reports failures as JSON with `--json`.
protocol ReportsFailures {
  /// How results are shown.
  var display: DisplayOptions { get }
  /// Whether it changes what a board holds, so that people want to know what that is when it fails.
  var changesBoard: Bool { get }
}
