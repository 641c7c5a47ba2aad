import ArgumentParser

/// How results are shown: `--json` and `--quiet`.
package struct DisplayOptions: ParsableArguments, Sendable {
  /// Whether the result is for a program.
  @Flag(help: "Print the result as JSON.")
  package var json = false

  /// Whether nothing but errors is wanted.
  @Flag(name: .shortAndLong, help: "Print nothing but errors.")
  package var quiet = false

  /// Options as if none were given.
  package init() {}

  /// Prints a result: as JSON, for a person, or not at all.
  package func show(_ value: some Encodable, _ forPeople: () throws -> Void) throws {
    if json {
      try Console.printJSON(value)
    } else if !quiet {
      try forPeople()
    }
  }

  /// Says something that only people read.
  package func say(_ line: String) {
    if !json && !quiet { Console.line(line) }
  }
}
