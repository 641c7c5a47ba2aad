import ArgumentParser
import HeraldHostLink

/// `herald-host config`
struct Config: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Shows and changes what a device is set to.",
    discussion: """
      keep-days is for how many days records of the log are kept; 0 is for as long as there is room. What is older is erased. \
      The device keeps what is set over restarts; a factory reset makes it the default again.
      """,
    subcommands: [List.self, Set.self])

  /// What can be set.
  enum Name: String, ExpressibleByArgument, CaseIterable {
    case keepDays = "keep-days"
  }

  /// `herald-host config list`
  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Shows every setting of a device.")

    @OptionGroup var options: DeviceOptions
    @OptionGroup var display: DisplayOptions

    func run() throws {
      try options.withDevice { device, _ in
        let days = try device.retentionDays()
        if display.json {
          try Console.printJSON([Name.keepDays.rawValue: days])
        } else {
          Console.printTable([[Name.keepDays.rawValue, String(days)]])
        }
      }
    }
  }

  /// `herald-host config set NAME VALUE`
  struct Set: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Changes a setting of a device.")

    @Argument(help: "The setting: keep-days.")
    var name: Name
    @Argument(help: "What it is to be: 0 to 65535 days.")
    var value: UInt16
    @OptionGroup var options: DeviceOptions

    func run() throws {
      try options.withDevice { device, _ in
        switch name {
        case .keepDays: try device.setRetention(days: value)
        }
      }
    }
  }
}
