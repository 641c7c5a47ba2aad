import Crypto
import Foundation
import HeraldImages
import HeraldLinux

/// The public key with which images for the node have to be signed: Ed25519, in a PEM file
/// (SubjectPublicKeyInfo, RFC 8410), as `openssl pkey -pubout` and `imgtool getpub` write it.
struct ImageKeyFile: Sendable {
  private let key: Curve25519.Signing.PublicKey

  /// Reads the file at `path`.
  /// - Throws: `SystemFailure` if it cannot be read, or holds no such key.
  init(path: String) throws(SystemFailure) {
    guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
      throw SystemFailure("reading the key for images", path, code: ENOENT)
    }
    guard let bytes = PEMDocument(text)?.ed25519PublicKey,
      let key = try? Curve25519.Signing.PublicKey(rawRepresentation: bytes)
    else { throw SystemFailure("reading an Ed25519 public key in PEM from", path, code: EINVAL) }
    self.key = key
  }

  /// Whether a signature is this key's.
  func hasSigned(_ digest: Span<UInt8>, _ signature: Span<UInt8>) -> Bool {
    key.isValidSignature(
      signature.withUnsafeBufferPointer { Data($0) }, for: digest.withUnsafeBufferPointer { Data($0) })
  }
}
