import ArgumentParser
import Foundation
import HeraldConsole
import HeraldFlash
import HeraldHostLink
import HeraldImages
import HeraldText

/// `herald-flash sign`
struct Sign: ParsableCommand, ReportsFailures {
  static let configuration = CommandConfiguration(
    abstract: "Signs an image for a board, in a file beside it.",
    discussion: """
      The signature is an Ed25519 signature over the board's name, the version, and the image's bytes with their addresses. `herald-flash write` looks for it in FILE.sig \
      and checks it with the public key. The image itself is not changed. An image in MCUboot's form is signed by `herald-flash convert --version V --key PEM`.

      `openssl genpkey -algorithm ed25519` makes a key, `openssl pkey -pubout` its public half.

      Example: `herald-flash sign wearable.hex --version 1.2.3 --key release.pem --board microbit2`
      """)

  /// What is appended to the name of an image's file.
  static let suffix = ".sig"

  @Argument(help: "The image: ELF, Intel HEX, UF2, a DFU package, or a raw binary with --base.")
  var image: String
  @Option(help: ArgumentHelp("The private key: a PEM file.", valueName: "file"))
  var key: String
  @Option(name: .customLong("version"), help: ArgumentHelp("The firmware's version.", valueName: "1.2.3"))
  var release: String
  @Option(
    name: .shortAndLong,
    help: "The board it is for. Without it, the one that `script/build` built it for.")
  var board: String?
  @Option(help: ArgumentHelp("Where a raw binary goes, such as 0x1000.", valueName: "address"))
  var base: Address?
  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("The file to write. Without it, FILE.sig.", valueName: "file"))
  var output: String?
  @OptionGroup var replacing: ReplacingOptions
  @OptionGroup var display: DisplayOptions

  var changesBoard: Bool { false }

  private struct Row: Encodable {
    let result = "signed"
    let output: String
    let board: String
    let version: String
    let sha256: String
    let key: String
  }

  func run() throws {
    let shown = PrintableText.of(image, limit: 256)
    guard let version = MCUbootImage.Version(release) else {
      throw FlashFailure(
        .link(.usage), "\(PrintableText.of(release)) is no version", state: .untouched,
        advice: "the form is 1.2.3 or 1.2.3+4, up to 255.255.65535+4294967295")
    }
    let known = try board.map { name throws(FlashFailure) in
      guard let known = BoardCatalogue.named(name) else { throw FlashFailure.unknownBoard(name) }
      return known
    }
    let content = try FirmwareFile.read(image, base: base?.value, for: known)
    guard let name = known?.name ?? content.builtFor else {
      throw FlashFailure(
        .link(.usage), "\(shown) does not say which board it is for", state: .untouched,
        advice: "name the board with --board")
    }
    let signer = try KeyFile.read(key)
    let signature: ImageSignature
    do {
      signature = try ImageSignature(signing: content, board: name, version: version, key: signer)
    } catch {
      throw FlashFailure(.image, "\(shown): \(error)", state: .untouched)
    }
    let path = output ?? image + Self.suffix
    try replacing.write(signature.file, to: path, inputs: [image, key]) {
      $0.starts(with: "herald-image-signature 1\n".utf8)
    }
    if LocalFile.isStream(path) { return }
    let row = Row(
      output: path, board: name, version: version.description, sha256: signature.hash.hexadecimal,
      key: signer.shortHash)
    try display.show(row) {
      Console.line(
        "\(PrintableText.of(path, limit: 256)): \(name), version \(version), key \(signer.shortHash)")
    }
  }
}
