import Crypto
import Foundation
import HeraldLinux

/// The public key with which images for the node have to be signed: Ed25519, in a PEM file
/// (SubjectPublicKeyInfo, RFC 8410), as `openssl pkey -pubout` and `imgtool getpub` write it.
struct ImageKeyFile: Sendable {
  /// The DER in front of the 32 bytes of the key.
  private static let head: [UInt8] = [
    0x30, 0x2A, 0x30, 0x05, 0x06, 0x03, 0x2B, 0x65, 0x70, 0x03, 0x21, 0x00,
  ]

  private let key: Curve25519.Signing.PublicKey

  /// Reads the file at `path`.
  /// - Throws: `SystemFailure` if it cannot be read, or holds no such key.
  init(path: String) throws(SystemFailure) {
    guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
      throw SystemFailure("reading the key for images", path, code: ENOENT)
    }
    let lines = text.split(whereSeparator: \.isNewline).filter { !$0.hasPrefix("-----") }
    guard let bytes = Data(base64Encoded: lines.joined()), bytes.count == 44, bytes.starts(with: Self.head),
      let key = try? Curve25519.Signing.PublicKey(rawRepresentation: bytes.dropFirst(Self.head.count))
    else { throw SystemFailure("reading an Ed25519 public key in PEM from", path, code: EINVAL) }
    self.key = key
  }

  /// Whether a signature is this key's.
  func hasSigned(_ digest: Span<UInt8>, _ signature: Span<UInt8>) -> Bool {
    key.isValidSignature(
      signature.withUnsafeBufferPointer { Data($0) }, for: digest.withUnsafeBufferPointer { Data($0) })
  }
}
