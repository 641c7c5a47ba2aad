import Foundation
import HeraldImages
import HeraldLinux

/// The public key with which images for the node have to be signed: Ed25519, in a PEM file
/// (SubjectPublicKeyInfo, RFC 8410), as `openssl pkey -pubout` and `imgtool getpub` write it.
struct ImageKeyFile: Sendable {
  private let key: Ed25519PublicKey

  /// Reads the file at `path`.
  /// - Throws: `SystemFailure` if it cannot be read, or holds no such key.
  init(path: String) throws(SystemFailure) {
    let text: String
    do {
      text = try String(contentsOfFile: path, encoding: .utf8)
    } catch {
      let code = ((error as NSError).userInfo[NSUnderlyingErrorKey] as? NSError)?.code ?? Int(EINVAL)
      throw SystemFailure("read the key for images in", path, code: Int32(clamping: code))
    }
    guard case .ed25519Public(let bytes)? = try? PEMKey(text), let key = Ed25519PublicKey(bytes) else {
      throw SystemFailure("read an Ed25519 public key in PEM from", path, code: EINVAL)
    }
    self.key = key
  }

  /// Whether a signature is this key's.
  func hasSigned(_ digest: Span<UInt8>, _ signature: Span<UInt8>) -> Bool {
    key.isValid(signature, message: digest)
  }

  /// Whether an entry of an image is the key, or its SHA-256.
  func isNamed(by entry: Span<UInt8>) -> Bool {
    let entry = entry.withUnsafeBufferPointer { Array($0) }
    let whole = key.subjectPublicKeyInfo
    return entry == whole || entry == SHA2.sha256.hash(of: whole.span)
  }
}
