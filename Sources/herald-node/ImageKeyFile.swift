import Glibc
import HeraldCrypto
import HeraldImages
import HeraldLinux

/// The public key with which images for the node have to be signed: Ed25519, in a PEM file
/// (SubjectPublicKeyInfo, RFC 8410), as `openssl pkey -pubout` and `imgtool getpub` write it.
struct ImageKeyFile: Sendable {
  /// The maximum size of a file in bytes.
  private static var capacity: Int { 65536 }

  private let key: Ed25519PublicKey

  /// Reads the file at `path`.
  /// - Throws: `SystemFailure` if it cannot be read, is larger than 64 KiB, or holds no such key.
  init(path: String) throws(SystemFailure) {
    let text = String(decoding: try FileDescriptor.contents(of: path, atMost: Self.capacity), as: UTF8.self)
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
    return entry == whole || entry == SHA256.hash(of: whole.span)
  }
}
