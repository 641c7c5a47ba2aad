import ArgumentParser
import HeraldConsole
import HeraldFlash
import HeraldHostLink
import HeraldText

/// `herald-flash verify`
struct Verify: ParsableCommand, ReportsFailures {
  static let configuration = CommandConfiguration(
    abstract: "Compares what a board holds with an image.",
    discussion: """
      Exit status 14 if they differ, with the first address at which they do.

      Example: `herald-flash verify wearable.hex --board microbit2`
      """)

  @OptionGroup var image: ImageOptions
  @OptionGroup var location: LocationOptions
  @OptionGroup var display: DisplayOptions

  var changesBoard: Bool { false }

  private struct Row: Encodable {
    let result = "same"
    let board: String
    let location: String
    let bytes: Int
    let sha256: String
  }

  func run() throws {
    let wanted = try location.wanted()
    let content = try FirmwareFile.read(try image.path(for: wanted), base: image.base?.value, for: wanted)
    let row = try location.withBoard(wanted) { session throws(FlashFailure) in
      let board = try session.board(wanted, for: content)
      if session.identification.isLocked { throw session.lockedFailure() }
      let plan = try FlashPlan(image: content, board: board)
      let bar = StepProgress(isQuiet: display.quiet || display.json)
      defer { bar.finish() }
      try session.programmer.verify(plan) { bar.update($0) }
      return Row(
        board: board.name, location: session.programmer.location, bytes: content.byteCount,
        sha256: content.contentHash.hexadecimal)
    }
    try display.show(row) {
      Console.line(
        "The board at \(PrintableText.of(row.location, limit: 256)) holds this image: \(row.bytes) bytes are the same."
      )
    }
  }
}
