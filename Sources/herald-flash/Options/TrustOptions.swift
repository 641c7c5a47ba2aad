import ArgumentParser
import Foundation
import HeraldConsole
import HeraldFlash
import HeraldImages
import HeraldText

/// Options for the check of an image's signature before it is written.
struct TrustOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Check the image's signature with the key in this PEM file, public or private, instead of the release key.",
      valueName: "file"))
  var key: String?

  @Option(
    help: ArgumentHelp(
      "The file with the image's signature. Without it, the one beside the image: FILE.sig.",
      valueName: "file"))
  var signature: String?

  @Flag(help: "Write an image without a check of its signature: a build of yours.")
  var unsigned = false

  @Flag(help: "Write an image that is older than what runs on the board.")
  var allowOlder = false

  mutating func validate() throws {
    guard !unsigned || (key == nil && signature == nil) else {
      throw ValidationError(
        "--unsigned checks no signature: it cannot be combined with --key or --signature.")
    }
  }

  /// What the image's signature says; `nil` with `--unsigned`, which is said on standard error.
  /// - Throws: `.signature` if the image is not signed with a trusted key, `.storage` if a file cannot be
  /// read.
  func origin(of image: FirmwareImage, path: String) throws(FlashFailure) -> ImageTrust.Origin? {
    let name = PrintableText.of(path, limit: 256)
    if unsigned {
      Console.note("herald-flash: the signature of \(name) is not checked (--unsigned)")
      return nil
    }
    guard let keyFile = key ?? ImageTrust.releaseKeyFile(program: Self.program) else {
      throw ImageTrust.withoutKey
    }
    let trust = ImageTrust(key: try KeyFile.read(keyFile))
    return try trust.origin(of: image, name: name, file: try signatureFile(of: path))
  }

  /// These options as they are repeated in a command that continues a write.
  var words: String {
    var words = ""
    if let key { words += " --key \(GivenCommand.quoted(key))" }
    if let signature { words += " --signature \(GivenCommand.quoted(signature))" }
    if unsigned { words += " --unsigned" }
    return words
  }

  /// The contents of the signature file; `nil` if none was named and there is none beside the image.
  private func signatureFile(of path: String) throws(FlashFailure) -> [UInt8]? {
    let limit = ImageSignature.largestFile
    if let signature { return try FirmwareFile.bytes(signature, limit: limit) }
    let beside = path + Sign.suffix
    return FileManager.default.fileExists(atPath: beside) ? try FirmwareFile.bytes(beside, limit: limit) : nil
  }

  /// The path of this program.
  private static var program: String {
    (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
  }
}
