import ArgumentParser
import HeraldConsole
import HeraldFlash

/// `herald-flash reset`
struct Reset: ParsableCommand, ReportsFailures {
  static let configuration = CommandConfiguration(abstract: "Starts the firmware of a board anew.")

  @OptionGroup var place: PlaceOptions
  @OptionGroup var display: DisplayOptions

  var changesBoard: Bool { false }

  private struct Row: Encodable {
    let result = "reset"
    let location: String
  }

  func run() throws {
    let wanted = try place.wanted()
    let row = try place.withBoard(wanted) { session throws(FlashFailure) in
      if wanted != nil { _ = try session.board(wanted, for: nil) }
      try session.programmer.reset()
      return Row(location: session.programmer.location)
    }
    try display.show(row) { Console.line("The board at \(row.location) restarts.") }
  }
}
