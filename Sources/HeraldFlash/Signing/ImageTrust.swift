import Foundation
import HeraldHostLink
import HeraldImages
import HeraldText

/// The check of an image's origin: a signature by the key of a release, or by the operator's own, over the
/// image and the name of its board.
///
/// An image in MCUboot's form carries its signature (Ed25519, or ECDSA on P-256), and the version that is
/// signed with it. Every other image has a file with an `ImageSignature` beside it.
package struct ImageTrust: Sendable {
  /// What a valid signature says of an image.
  package struct Origin: Equatable, Sendable {
    /// The board that is signed; `nil` for MCUboot's form, which names none outside of the program.
    package let board: String?
    /// The version that is signed.
    package let version: MCUbootImage.Version
    /// The SHA-256 of the public key that signed it.
    package let key: [UInt8]

    /// Refuses another board than the one that is signed.
    /// - Throws: `.doesNotFit`.
    package func check(_ board: BoardDescription) throws(FlashFailure) {
      guard let signed = self.board, signed != board.name else { return }
      throw FlashFailure(
        .doesNotFit, "the image is signed for \(signed), not for \(board.name)", state: .untouched,
        advice: "take the image for \(board.name)")
    }

    /// Refuses an older version than the one that runs: an older one can have faults that are known by now.
    /// The build number does not count.
    /// - Throws: `.older`.
    package func check(running: MCUbootImage.Version?) throws(FlashFailure) {
      guard let running, version.isOlder(than: running) else { return }
      throw FlashFailure(
        .older, "the image has version \(version), and version \(running) runs", state: .untouched,
        advice: "take a newer image, or add --allow-older if this one is wanted")
    }
  }

  /// The path of the release key below the folder into which the programs were installed.
  static let releaseKeyPath = "share/herald/release-key.pem"

  private let key: MCUbootKey

  /// Trust in one key, private or public.
  package init(key: MCUbootKey) { self.key = key }

  /// The file with the release key of this installation; `nil` if it has none, such as a program that was
  /// built from the sources.
  /// - Parameter program: the path of the program, in the folder `bin` of the installation.
  package static func releaseKeyFile(program: String) -> String? {
    guard !program.isEmpty else { return nil }
    let home = URL(fileURLWithPath: program).deletingLastPathComponent().deletingLastPathComponent()
    let path = home.appendingPathComponent(releaseKeyPath).path
    return FileManager.default.fileExists(atPath: path) ? path : nil
  }

  /// The failure for a computer without a key.
  package static var withoutKey: FlashFailure {
    FlashFailure(
      .signature, "there is no key on this computer that the image's signature can be checked with",
      state: .untouched,
      advice:
        "name the public key of whoever made the image with --key, or write it with --unsigned if it is a build of yours"
    )
  }

  /// Checks the signature of an image.
  /// - Parameters:
  ///   - name: what the image is called in messages.
  ///   - file: the contents of the file with its signature; `nil` if there is none.
  /// - Throws: `.signature` unless it is signed with this key.
  package func origin(of image: FirmwareImage, name: String, file: [UInt8]?) throws(FlashFailure) -> Origin {
    if let mcuboot = image.mcuboot { return try origin(of: mcuboot, name) }
    guard let file else {
      throw Self.failure(
        name, "is not signed",
        advice: "`herald-flash sign` signs it; --unsigned writes a build of yours as it is")
    }
    let signature: ImageSignature
    do {
      signature = try ImageSignature(file: file)
    } catch {
      throw Self.failure(
        name, "has a damaged signature: \(error)", advice: "take both files again from their source")
    }
    guard key.hasSigned(signature.message, signature.signature) else {
      throw Self.failure(
        name, "is not signed with the key \(key.shortHash)",
        advice: "name the right key with --key, or take the image from its source again")
    }
    guard signature.hash == image.placedHash else {
      throw Self.failure(
        name, "is not the image that was signed: its contents differ",
        advice: "take both files again from their source")
    }
    if let builtFor = image.builtFor, builtFor != signature.board {
      throw Self.failure(
        name, "was built for \(builtFor) and signed for \(signature.board)",
        advice: "take both files again from their source")
    }
    return Origin(board: signature.board, version: signature.version, key: key.hash)
  }

  private func origin(of image: MCUbootImage, _ name: String) throws(FlashFailure) -> Origin {
    switch image.signatureState(key: key) {
    case .valid: return Origin(board: nil, version: image.version, key: key.hash)
    case .absent:
      throw Self.failure(
        name, "is not signed",
        advice:
          "`herald-flash convert --version V --key PEM` signs it; --unsigned writes a build of yours as it is"
      )
    case .present:
      throw Self.failure(
        name, "is not signed with the key \(key.shortHash)",
        advice: "name the right key with --key, or take the image from its source again")
    case .invalid:
      throw Self.failure(name, "has a wrong signature", advice: "take the image from its source again")
    case .hidden, .validForHash:
      throw Self.failure(
        name, "is encrypted, and its signature is over the program before encryption: it was not checked",
        advice:
          "the boot loader checks it after decryption: if it is from a source that you trust, write it with --unsigned"
      )
    }
  }

  private static func failure(_ name: String, _ what: String, advice: String) -> FlashFailure {
    FlashFailure(.signature, "\(name) \(what)", state: .untouched, advice: advice)
  }
}

extension ImageSignature {
  /// Signs an image for a board with an Ed25519 key.
  /// - Throws: `FirmwareError` if the key is public or of another kind, or the image was built for another
  ///   board, or is in MCUboot's form, which has a place for the signature.
  package init(
    signing image: FirmwareImage, board: String, version: MCUbootImage.Version, key: MCUbootKey
  ) throws(FirmwareError) {
    guard image.mcuboot == nil else {
      throw FirmwareError(
        "an image in MCUboot's form is signed by `herald-flash convert --version V --key PEM`")
    }
    if let builtFor = image.builtFor, builtFor != board {
      throw FirmwareError("it was built for \(builtFor)")
    }
    let hash = image.placedHash
    let message = Self.message(board: board, version: version, hash: hash)
    try self.init(board: board, version: version, hash: hash, signature: try key.signMessage(message))
  }
}

extension MCUbootImage.Version {
  /// Whether another version is later; the build number does not count.
  func isOlder(than other: MCUbootImage.Version) -> Bool {
    (UInt16(major), UInt16(minor), revision) < (UInt16(other.major), UInt16(other.minor), other.revision)
  }
}
