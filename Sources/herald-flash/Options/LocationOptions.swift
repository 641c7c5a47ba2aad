import ArgumentParser
import Foundation
import HeraldConsole
import HeraldFlash
import HeraldHostLink
import HeraldText

extension ProgrammingMethod.Kind: ExpressibleByArgument {}

/// Options for the search for boards, and its timeout.
struct SearchOptions: ParsableArguments {
  @Option(help: ArgumentHelp("Look on this way in only.", valueName: "way"))
  var via: ProgrammingMethod.Kind?

  @Option(
    help: ArgumentHelp(
      "Look at the devices of this USB/IP server, too; may be repeated.", valueName: "host[:port]"))
  var usbip: [String] = []

  @OptionGroup var answers: AnswerOptions

  @Option(help: ArgumentHelp("How fast a probe speaks to the chip.", valueName: "Hz"))
  var clock: UInt32 = 4_000_000

  @Flag(
    help:
      "Have a probe read back every byte to compare, instead of having the chip reckon a checksum of each page."
  )
  var readBack = false

  mutating func validate() throws {
    guard (1000...50_000_000).contains(clock) else {
      throw ValidationError("--clock takes 1000 to 50000000 Hz.")
    }
  }

  /// The options common to all programming methods.
  var options: FlashOptions {
    FlashOptions(
      timeout: answers.responseTimeout, usbipServers: usbip, keyFile: answers.keyFile,
      isNewDevice: answers.isNewDevice, readsBack: readBack,
      clock: clock)
  }

  /// Searches for boards.
  func found() -> [FoundBoard] {
    ProgrammingMethod.all.filter { via == nil || $0.kind == via }.flatMap { $0.find(options) }
  }
}

/// Options that select a board.
struct LocationOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Where the board is; see `herald-flash --help`. Without it, the only one there is.",
      valueName: "where"))
  var to: String?

  @Option(name: .shortAndLong, help: "Which board it is; `herald-flash boards` lists those that are known.")
  var board: String?

  @OptionGroup var search: SearchOptions

  /// The selected board type; `nil` if none was selected.
  /// - Throws: `.usage` if there is no such board.
  func wanted() throws(FlashFailure) -> BoardDescription? {
    guard let board else { return nil }
    if let known = BoardCatalogue.named(board) {
      guard known.programmingMethods.isEmpty else { return known }
      throw FlashFailure(
        .cannot, "\(known.title) cannot be flashed", state: .untouched,
        advice: "`script/emulated` runs its image in the emulator")
    }
    throw FlashFailure.unknownBoard(board)
  }

  /// Opens the board for `body`, then closes it.
  func withBoard<Result>(
    _ wanted: BoardDescription?, options: FlashOptions? = nil,
    _ body: (FlashSession) throws(FlashFailure) -> Result
  ) throws(FlashFailure) -> Result {
    let location: String
    if let to {
      location = to
    } else {
      location = try BoardChoice.only(of: search.found(), wanted: wanted).location
    }
    let (method, rest) = try ProgrammingMethod.parse(location)
    guard search.via == nil || search.via == method.kind else {
      throw FlashFailure(
        .link(.usage), "--to and --via select different methods", state: .untouched, advice: "leave --via out"
      )
    }
    let programmer = try method.open(rest, options ?? search.options)
    defer { programmer.close() }
    return try body(try FlashSession(programmer))
  }
}

/// Options that select an image.
struct ImageOptions: ParsableArguments {
  @Argument(
    help: "The image: ELF, Intel HEX, UF2, MCUboot's form, a DFU package, or a raw binary with --base.",
    completion: .file(extensions: ["elf", "hex", "uf2", "zip", "bin"]))
  var file: String?

  @Option(
    help: ArgumentHelp(
      "Without a file: which of the images that `script/build BOARD` made: wearable, beacon, or wearable-hci and beacon-hci for a Bluetooth controller on a serial line.",
      valueName: "role"))
  var role = "wearable"

  @Option(help: ArgumentHelp("Where a raw binary goes, such as 0x1000.", valueName: "address"))
  var base: Address?

  /// The path of the image: the given one, or that of the image built by `script/build` for `board`
  /// (`BuiltImages`).
  func path(for board: BoardDescription?) throws(FlashFailure) -> String {
    if let file { return file }
    guard let board else {
      throw FlashFailure(
        .link(.usage), "no image was named", state: .untouched,
        advice: "name a file, or with --board a board that `script/build` has built")
    }
    let images = BuiltImages()
    if let path = images.path(board: board.name, role: role) { return path }
    guard board.hasFirmware else {
      throw FlashFailure(
        .link(.storage), "there is no firmware of ours for \(board.title)", state: .untouched,
        advice: "name the file of your own image for it")
    }
    let option = role == "wearable" ? "" : " --role \(role)"
    throw FlashFailure(
      .link(.storage), "there is no image of a \(PrintableText.of(role)) for \(board.title) on this computer",
      state: .untouched,
      advice:
        "`script/build \(board.name)\(PrintableText.of(option))` makes it, in the sources of this program; \(BuiltImages.variable) names the folder of images from elsewhere; or name a file"
    )
  }
}

/// An address, or another number, on the command line: decimal, or hexadecimal with `0x`.
struct Address: ExpressibleByArgument {
  let value: UInt32

  init(_ value: UInt32) { self.value = value }

  init?(argument: String) {
    let lower = argument.lowercased()
    let parsed = lower.hasPrefix("0x") ? UInt32(lower.dropFirst(2), radix: 16) : UInt32(lower)
    guard let parsed else { return nil }
    value = parsed
  }

  var defaultValueDescription: String { "0x\(value.hexadecimal(2))" }
}
