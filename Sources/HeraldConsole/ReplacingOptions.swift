import ArgumentParser

/// Whether an output may take the place of a file that this program did not write: `--force`.
package struct ReplacingOptions: ParsableArguments, Sendable {
  /// Whether the user insists.
  @Flag(help: "Replace a file that is there already and is no earlier output of this command.")
  package var force = false

  /// Options as if none were given.
  package init() {}
}
