import ArgumentParser
import Foundation
import HeraldConsole
import HeraldFlash
import HeraldHostLink
import HeraldImages
import HeraldText

/// `herald-flash convert`
struct Convert: ParsableCommand, ReportsFailures {
  static let configuration = CommandConfiguration(
    abstract: "Writes an image in another form.",
    discussion: """
      The form follows from the output's name: .elf, .hex, .uf2, .zip (a DFU package for the boot loader of the board that --board names), or bytes as \
      they lie in memory (.bin, .img, .signed, or no suffix). Any other suffix is an error.

      With --version the image is put into MCUboot's form first: a header, and behind it a SHA-256 and, with --key, a signature. Keys are PEM files as \
      `imgtool keygen` makes them for ed25519 and ecdsa-p256. --unwrap takes the program out of that form.

      Example: `herald-flash convert app.elf app.signed.bin --version 1.2.3 --key key.pem`
      """)

  @Argument(
    help: "The image: ELF, Intel HEX, UF2, MCUboot's form, a DFU package, or a raw binary with --base.")
  var input: String
  @Argument(help: "The file to write.")
  var output: String

  @Option(
    help: ArgumentHelp(
      "Where a raw binary goes, such as 0x1000; for other forms, where the first byte is to go instead.",
      valueName: "address"))
  var base: Address?
  @Option(
    help: ArgumentHelp(
      "The family of UF2 blocks: a chip or board, a name of the format's list, or a number.",
      valueName: "family"
    ))
  var family: String?
  @Option(help: ArgumentHelp("Make sure that it fits this board; its UF2 family, too.", valueName: "board"))
  var board: String?
  @Option(help: ArgumentHelp("What is between segments in a form without gaps.", valueName: "byte"))
  var fill: Address = Address(0xFF)

  @Option(help: ArgumentHelp("Put it into MCUboot's form, with this version.", valueName: "1.2.3+4"))
  var version: String?
  @Option(help: ArgumentHelp("MCUboot: sign it with the private key in this PEM file.", valueName: "file"))
  var key: String?
  @Option(help: ArgumentHelp("MCUboot: bytes in front of the program.", valueName: "bytes"))
  var headerSize: Address = Address(0x200)
  @Option(
    help: ArgumentHelp(
      "MCUboot: make sure that it fits a slot of this size, with what MCUboot itself needs there.",
      valueName: "bytes"))
  var slotSize: Address?
  @Option(help: ArgumentHelp("MCUboot: the unit in which the slot is written.", valueName: "bytes"))
  var align: Int = 4
  @Option(help: ArgumentHelp("MCUboot: a number that never falls.", valueName: "number"))
  var securityCounter: Address?
  @Flag(help: "Take the program out of MCUboot's form.")
  var unwrap = false
  @OptionGroup var replacing: ReplacingOptions
  @OptionGroup var display: DisplayOptions

  var changesBoard: Bool { false }

  private struct Row: Encodable {
    let result = "converted"
    let output: String
    let format: String
    let bytes: Int
    let sha256: String
  }

  /// Suffixes of files with raw binary contents.
  private static let plainSuffixes = ["bin", "img", "signed", ""]

  private var suffix: String { (output as NSString).pathExtension.lowercased() }

  mutating func validate() throws {
    guard Self.plainSuffixes.contains(suffix) || Self.form(suffix) != nil else {
      throw ValidationError(
        "The form follows from the output's name, and .\(PrintableText.of(suffix, limit: 32)) names none: use .elf, .hex, .uf2, .zip, .bin, .img or .signed."
      )
    }
    guard fill.value <= 0xFF else { throw ValidationError("--fill takes a byte, 0 to 0xff.") }
    guard version != nil || (key == nil && slotSize == nil && securityCounter == nil) else {
      throw ValidationError(
        "--key, --slot-size and --security-counter are for MCUboot images and require --version.")
    }
    guard version == nil || !unwrap else {
      throw ValidationError("--version and --unwrap cannot be combined.")
    }
  }

  func run() throws {
    let known = try chosenBoard()
    var image = try FirmwareFile.read(input, base: base?.value, for: known)
    do {
      if let base { image = try image.moved(to: base.value) }
      if unwrap { image = try image.unsigned() }
      if let version { image = try image.signed(try signing(version)) }
    } catch let error as FirmwareError {
      throw failure(error)
    }
    if let known { try check(image, known) }
    var options = FirmwareImage.WritingOptions(fill: UInt8(fill.value))
    options.family = try familyNumber() ?? known?.uf2Family
    options.package = known?.package
    let format = format(of: image)
    let bytes: [UInt8]
    do {
      bytes = try image.file(format, options)
    } catch {
      throw failure(error)
    }
    // Who made an image cannot be seen from it: the same one again is no loss.
    try replacing.write(bytes, to: output, inputs: [input] + [key].compactMap(\.self)) { _ in
      (try? FirmwareFile.bytes(output)) == bytes
    }
    // An image on standard output has no line behind it.
    if LocalFile.isStream(output) { return }
    let row = Row(
      output: output, format: format.rawValue, bytes: bytes.count, sha256: image.contentHash.hexadecimal)
    try display.show(row) {
      Console.line(
        "\(PrintableText.of(output, limit: 256)): \(format.rawValue), \(bytes.count) bytes, of \(Wording.summary(image))"
      )
    }
  }

  private func failure(_ error: FirmwareError) -> FlashFailure {
    FlashFailure(.image, "\(PrintableText.of(input, limit: 256)): \(error)", state: .untouched)
  }

  private func signing(_ version: String) throws -> MCUbootImage.Options {
    guard let parsed = MCUbootImage.Version(version) else {
      throw FlashFailure(
        .link(.usage), "\(PrintableText.of(version)) is no version", state: .untouched,
        advice: "the form is 1.2.3 or 1.2.3+4, up to 255.255.65535+4294967295")
    }
    var options = MCUbootImage.Options(version: parsed, headerSize: Int(headerSize.value))
    options.fill = UInt8(fill.value)
    options.slotSize = slotSize.map { Int($0.value) }
    options.alignment = align
    options.securityCounter = securityCounter?.value
    options.key = try key.map { try KeyFile.read($0) }
    return options
  }

  private func chosenBoard() throws(FlashFailure) -> BoardDescription? {
    guard let board else { return nil }
    if let known = BoardCatalogue.named(board) { return known }
    throw FlashFailure.unknownBoard(board)
  }

  private func check(_ image: FirmwareImage, _ board: BoardDescription) throws(FlashFailure) {
    // An image for MCUboot goes into a slot, which the catalogue does not contain.
    if image.mcuboot == nil { _ = try FlashPlan(image: image, board: board) }
  }

  private func familyNumber() throws(FlashFailure) -> UInt32? {
    guard let family else { return nil }
    if let number = UF2Family.parse(family) { return number }
    throw FlashFailure(
      .link(.usage), "\(PrintableText.of(family)) is no UF2 family", state: .untouched,
      advice:
        "name a board, or one of \(UF2Family.all.map(\.name).joined(separator: ", ")), or a number in hexadecimal"
    )
  }

  private func format(of image: FirmwareImage) -> FirmwareImage.Format {
    Self.form(suffix) ?? (image.mcuboot == nil ? .binary : .mcuboot)
  }

  /// The format for a suffix; `nil` if it is unknown or denotes raw binary.
  private static func form(_ suffix: String) -> FirmwareImage.Format? {
    switch suffix {
    case "elf", "axf": .elf
    case "hex", "ihex", "ihx": .intelHex
    case "uf2": .uf2
    case "zip": .package
    default: nil
    }
  }
}
