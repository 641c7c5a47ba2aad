import ArgumentParser
import HeraldConsole
import HeraldFlash
import HeraldHostLink
import HeraldText

/// `herald-flash lock`
struct Lock: ParsableCommand, ReportsFailures {
  static let configuration = CommandConfiguration(
    abstract: "Closes the debug port of a board, so that its memory cannot be read through it.",
    discussion: """
      Afterwards the memory is tried to be read, and has to be unreadable. Only `herald-flash erase --all` opens the port again, and it erases everything: \
      firmware, settings and log. Pull the log first. docs/security.md says which chips resist which attacks.

      Example: `herald-flash lock --board herald-wearable`
      """)

  @OptionGroup var location: LocationOptions

  @Flag(help: "Do not ask.")
  var yes = false

  @OptionGroup var display: DisplayOptions

  var changesBoard: Bool { true }

  private struct Row: Encodable {
    let result = "locked"
    let board: String
    let location: String
    let wasLocked: Bool
  }

  func run() throws {
    let wanted = try location.wanted()
    let row = try location.withBoard(wanted) { session throws(FlashFailure) in
      let isLocked = session.identification.isLocked
      // A closed chip does not say which board it is, and nothing of it is changed.
      let board = isLocked ? session.identification.boards.first : try session.board(wanted, for: nil)
      guard let board = wanted ?? board else { throw session.lockedFailure() }
      let name = isLocked && wanted == nil ? "a board" : "\(board.title) (\(board.name))"
      display.say("board   \(name) at \(PrintableText.of(session.programmer.location, limit: 256))")
      for detail in session.identification.details { display.say("        \(detail.name): \(detail.value)") }
      if !isLocked {
        display.say(
          "CLOSES  its debug port. Only `herald-flash erase --all` opens it again, and erases firmware, settings and log"
        )
        if !board.canBeUpdatedWhileLocked {
          display.say(
            "        This board is programmed by its debug port alone: another firmware will cost settings and log"
          )
        }
      }
      guard isLocked || yes || Console.confirm("Close it?") else {
        throw FlashFailure(
          .link(.notConfirmed), "not confirmed; the debug port is as it was", state: .untouched,
          advice: "with --yes no confirmation is requested")
      }
      try session.programmer.lock(board)
      return Row(
        board: isLocked && wanted == nil ? "" : board.name, location: session.programmer.location,
        wasLocked: isLocked)
    }
    try display.show(row) {
      Console.line(
        "done    the debug port is closed: the memory was tried to be read, and could not\(row.wasLocked ? "; it was closed before" : "")"
      )
    }
  }
}
