import HeraldConsole

/// A command that reports failures as JSON with `--json`.
protocol ReportsFailures {
  /// The display options.
  var display: DisplayOptions { get }
  /// Whether it changes the contents of a board, so that a failure includes their state.
  var changesBoard: Bool { get }
}
