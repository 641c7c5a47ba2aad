import ArgumentParser
import HeraldConsole
import HeraldFlash
import HeraldText

/// `herald-flash reset`
struct Reset: ParsableCommand, ReportsFailures {
  static let configuration = CommandConfiguration(
    abstract: "Starts the firmware of a board anew.",
    discussion: "Example: `herald-flash reset --to probe:usb:1-2`")

  @OptionGroup var location: LocationOptions
  @OptionGroup var display: DisplayOptions

  var changesBoard: Bool { false }

  private struct Row: Encodable {
    let result = "reset"
    let location: String
  }

  func run() throws {
    let wanted = try location.wanted()
    let row = try location.withBoard(wanted) { session throws(FlashFailure) in
      if wanted != nil { _ = try session.board(wanted, for: nil) }
      try session.programmer.reset()
      return Row(location: session.programmer.location)
    }
    try display.show(row) {
      Console.line("The board at \(PrintableText.of(row.location, limit: 256)) restarts.")
    }
  }
}
