import ArgumentParser

/// How results are shown.
struct DisplayOptions: ParsableArguments {
  @Flag(help: "Print the result, or the failure, as JSON.")
  var json = false

  @Flag(name: .shortAndLong, help: "Print nothing but errors.")
  var quiet = false

  /// Prints a result: as JSON, for a person, or not at all.
  func show(_ value: some Encodable, _ forPeople: () -> Void) throws {
    if json {
      try Console.printJSON(value)
    } else if !quiet {
      forPeople()
    }
  }

  /// Says something that only people read.
  func say(_ line: String) {
    if !json && !quiet { Console.line(line) }
  }
}
