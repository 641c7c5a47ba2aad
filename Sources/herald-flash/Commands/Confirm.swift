import ArgumentParser
import HeraldConsole
import HeraldFlash
import HeraldText

/// `herald-flash confirm`
struct Confirm: ParsableCommand, ReportsFailures {
  static let configuration = CommandConfiguration(
    abstract: "Has a device keep the firmware that it tries.",
    discussion: """
      A device that was given an image over SMP tries it at its next start, and goes back to the former one at the start after that unless this was said. With a \
      file it is said only if the image in it is what runs (exit status 14 if not).

      Example: `herald-flash confirm app.signed.bin --to smp:usb:1-2`
      """)

  @Argument(help: "The image that is to be what runs.", completion: .file())
  var file: String?
  @OptionGroup var location: LocationOptions
  @OptionGroup var display: DisplayOptions

  var changesBoard: Bool { false }

  private struct Row: Encodable {
    let result = "confirmed"
    let location: String
  }

  func run() throws {
    let content = try file.map { try FirmwareFile.read($0, base: nil) }
    let wanted = try location.wanted()
    let row = try location.withBoard(wanted) { session throws(FlashFailure) in
      guard let device = session.programmer as? SMPProgrammer else {
        throw FlashFailure(
          .cannot, "what is written to \(session.programmer.location) stays anyway", state: .untouched)
      }
      try device.confirm(content)
      return Row(location: device.location)
    }
    try display.show(row) {
      Console.line("The device at \(PrintableText.of(row.location, limit: 256)) keeps the running image.")
    }
  }
}
