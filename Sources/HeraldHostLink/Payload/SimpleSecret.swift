import HeraldCrypto
import HeraldEmbedded

/// The secret from which the identifiers of a simple payload are derived: 2048 bytes, which stay on this
/// computer. A device receives a `MatchingKeyWindow`.
///
/// It is overwritten in memory at the end of its lifetime, and never printed.
public struct SimpleSecret: ~Copyable {
  private static let kind = SecretFile.Kind(
    name: "secret", size: SimpleKeySchedule.secretSize,
    missing: "check the path; `--generate` makes a secret in a new file",
    other: "`--generate` makes one in a new file")

  private let file: SecretFile

  private init(_ file: consuming SecretFile) { self.file = file }

  /// Whether users other than the owner have access to the file it was read from.
  public var isOpenToOthers: Bool { file.isOpenToOthers }
  /// The bytes, valid for the lifetime of the secret.
  var bytes: UnsafeBufferPointer<UInt8> { file.memory.used }

  /// The SHA-256 of the secret: equal for equal secrets, and no way back to them.
  public var digest: [UInt8] {
    let digest = SHA256.digest(of: bytes.span)
    return digest.indices.map { digest[$0] }
  }

  /// Reads a secret: a file of exactly 2048 bytes.
  public static func read(_ path: String) throws(HostLinkError) -> SimpleSecret {
    SimpleSecret(try SecretFile.read(path, kind))
  }

  /// Generates a secret from the system's random source.
  public static func generate() -> SimpleSecret { SimpleSecret(SecretFile.generate(size: kind.size)) }

  /// Writes it to a new file accessible to its owner only. An existing file is not overwritten (`.storage`):
  /// without its secret, identifiers derived from it could no longer be attributed.
  public func write(to path: String) throws(HostLinkError) { try file.write(to: path) }
}
