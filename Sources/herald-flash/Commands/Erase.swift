import ArgumentParser
import HeraldConsole
import HeraldFlash
import HeraldHostLink
import HeraldText

/// `herald-flash erase`
struct Erase: ParsableCommand, ReportsFailures {
  static let configuration = CommandConfiguration(
    abstract: "Erases the firmware of a board; with --all everything on its chip.",
    discussion: """
      Without --all the log and the settings stay. --all unlocks a locked chip, too.

      Example: `herald-flash erase --board microbit2 --to probe:usb:1-2`
      """)

  @OptionGroup var location: LocationOptions

  @Flag(help: "Erase the whole chip: firmware, log, settings, and a lock against debugging.")
  var all = false

  @Flag(help: "Do not ask.")
  var yes = false

  @OptionGroup var display: DisplayOptions

  var changesBoard: Bool { true }

  private struct Row: Encodable {
    let result = "erased"
    let board: String
    let location: String
    let all: Bool
  }

  func run() throws {
    let wanted = try location.wanted()
    let row = try location.withBoard(wanted) { session throws(FlashFailure) in
      let board = try session.board(wanted, for: nil)
      if session.identification.isLocked, !all { throw session.lockedFailure() }
      display.say(
        "board   \(board.title) (\(board.name)) at \(PrintableText.of(session.programmer.location, limit: 256))"
      )
      for detail in session.identification.details { display.say("        \(detail.name): \(detail.value)") }
      display.say(
        all
          ? "ERASES  everything: firmware, log and settings" : "erases  \(Wording.span(board.firmware))")
      guard yes || Console.confirm("Erase it?") else {
        throw FlashFailure(
          .link(.notConfirmed), "not confirmed; nothing was erased", state: .untouched,
          advice: "with --yes no confirmation is requested")
      }
      let bar = StepProgress(isQuiet: display.quiet || display.json)
      defer { bar.finish() }
      try session.programmer.erase(all ? .chip : .firmware, of: board) { bar.update($0) }
      return Row(board: board.name, location: session.programmer.location, all: all)
    }
    try display.show(row) {
      Console.line(
        "done    nothing starts until firmware is written: `herald-flash write --board \(row.board)`")
    }
  }
}
