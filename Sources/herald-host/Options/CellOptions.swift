import ArgumentParser

/// The option that names the cell of a device.
struct CellOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The capacity of the cell, 1 to 100000 (default: that of the board's, or 500 for boards sold without one).",
      valueName: "mAh"))
  var battery: Double?

  func validate() throws {
    if let battery, !(1...100_000).contains(battery) {
      throw ValidationError("--battery takes 1 to 100000 mAh.")
    }
  }
}
