import ArgumentParser
import HeraldConsole
import HeraldHostLink

/// `herald-host log`
struct LogCommands: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "log", abstract: "Fetches the log of a device and turns it into tables.",
    discussion: "Example: `herald-host log pull --output logs/dora`",
    subcommands: [Pull.self, Tail.self, Erase.self, Convert.self, Export.self])

  /// `herald-host log convert`
  struct Convert: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Makes the tables of a pulled log again, without a device.",
      discussion: "Example: `herald-host log convert logs/dora`")

    @Argument(help: "The folder of a pulled log.")
    var dir: String
    @OptionGroup var owner: OwnerOptions
    @OptionGroup var replacing: ReplacingOptions
    @OptionGroup var display: DisplayOptions

    func run() throws {
      let folder = try PageStore(path: dir, create: false)
      folder.sealedPageKeys = try owner.keys()
      let result = try DevicePull.convert(folder, isForced: replacing.force)
      try display.show(result) { result.show() }
      for page in result.damagedPages { Console.note("herald-host: \(page)") }
      if let error = result.shortcoming { throw error }
    }
  }
}
