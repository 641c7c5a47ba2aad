import ArgumentParser
import Foundation
import HeraldConsole
import HeraldFlash
import HeraldHostLink
import HeraldText

/// `herald-flash write`
struct WriteImage: ParsableCommand, ReportsFailures {
  static let configuration = CommandConfiguration(
    commandName: "write", abstract: "Writes an image to a board, compares it, and starts it.",
    discussion: """
      Without a file it is the image that `script/build BOARD` made: in .build/boards of this folder, of one above it, or of where this program was built, in \
      share/herald/boards of where it was installed, or in the folder that the variable HERALD_IMAGES names. What is to be written where is shown first, and nothing is written unless image and \
      board fit. The board's log and settings stay, unless --erase-all takes them.
      """)

  @OptionGroup var image: ImageOptions
  @OptionGroup var place: PlaceOptions

  @Flag(help: "Erase the whole chip first, log and settings too, and a lock against debugging.")
  var eraseAll = false

  @Flag(help: "Leave the board as it is afterwards, without starting it.")
  var noReset = false

  @Flag(
    help:
      "Over SMP: have the device keep the image whatever comes of it, instead of trying it until it is confirmed."
  )
  var permanent = false

  @Flag(help: "Do not ask.")
  var yes = false

  @OptionGroup var display: DisplayOptions

  var changesBoard: Bool { true }

  private struct Row: Encodable {
    let result = "written"
    let board: String
    let location: String
    let bytes: Int
    let sha256: String
    let verified: Bool
    let started: Bool
    let seconds: Double
  }

  func run() throws {
    let wanted = try place.wanted()
    let path = try image.path(for: wanted)
    let content = try ImageFile.read(path, base: image.base?.value, for: wanted)
    // Errors that can be detected without the board are reported before it is opened.
    if let wanted { _ = try FlashPlan(image: content, board: wanted, erasesAll: eraseAll) }
    var options = place.search.options
    options.isPermanent = permanent
    try place.withBoard(wanted, options: options) { session throws(FlashFailure) in
      let board = try session.board(wanted, for: content)
      let plan = try session.plan(content, for: board, erasesAll: eraseAll)
      show(plan, path, session)
      guard yes || Console.confirm("Write it?") else { throw Self.unconfirmed }
      let again = GivenCommand.text
      let interruption = Interruption(stateHalfWay: session.programmer.stateHalfWay, advice: again)
      let bar = StepProgress(isQuiet: display.quiet || display.json)
      defer {
        bar.finish()
        interruption.end()
      }
      let begun = ContinuousClock.now
      let outcome: FlashSession.Outcome
      do throws(FlashFailure) {
        outcome = try session.write(plan, isReset: !noReset) { progress in
          bar.update(progress)
          interruption.update(progress)
        }
      } catch {
        throw FlashFailure(error.cause, error.what, state: error.state, advice: error.advice ?? again)
      }
      bar.finish()
      report(outcome, plan, session, begun.duration(to: .now))
    }
  }

  /// Prints the planned operation.
  private func show(_ plan: FlashPlan, _ path: String, _ session: FlashSession) {
    let board = plan.board
    display.say("image   \(PrintableText.of(path, limit: 256)): \(Wording.summary(plan.image))")
    display.say("board   \(board.title) (\(board.name)) at \(session.programmer.location)")
    for detail in session.identification.details { display.say("        \(detail.name): \(detail.value)") }
    if board.bootLoader == .mcuboot {
      display.say("fits    the SHA-256 in the image is valid")
    } else {
      display.say(
        "fits    firmware goes to \(Wording.span(board.firmware)): \(plan.image.byteCount) of \(board.firmware.size) bytes"
      )
    }
    if plan.erasesAll {
      display.say("ERASES  everything: the log and the settings, too")
    } else if let log = board.log, let settings = board.settings {
      display.say("keeps   the log (\(Wording.span(log))) and the settings (\(Wording.span(settings)))")
    }
  }

  private func report(
    _ outcome: FlashSession.Outcome, _ plan: FlashPlan, _ session: FlashSession, _ elapsed: Duration
  ) {
    let seconds =
      Double(elapsed.components.seconds) + Double(elapsed.components.attoseconds) / 1_000_000_000_000_000_000
    let row = Row(
      board: plan.board.name, location: session.programmer.location, bytes: outcome.bytes,
      sha256: plan.image.contentHash.hexadecimal, verified: outcome.isVerified, started: outcome.isReset,
      seconds: (seconds * 1000).rounded() / 1000)
    try? display.show(row) {
      let rate = StepProgress.rate(Double(outcome.bytes) / max(seconds, 0.001))
      let verified =
        outcome.isVerified
        ? "compared: it is right" : "not compared: this way in reads nothing back; the board took it as whole"
      Console.line(
        "done    \(outcome.bytes) bytes in \(String(format: "%.1f", seconds)) s (\(rate)), \(verified)")
      if let remark = session.programmer.remark(after: plan) { Console.line("        \(remark)") }
    }
  }

  private static var unconfirmed: FlashFailure {
    FlashFailure(
      .link(.notConfirmed), "not confirmed; nothing was written", state: .untouched,
      advice: "with --yes no confirmation is requested")
  }
}
