internal import COpenSSL
import HeraldCrypto

/// The longer hash functions of FIPS 180-4 that images and keys are named by, in OpenSSL's libcrypto.
package enum SHA2: Sendable {
  case sha384, sha512

  /// The hash of `bytes`: 48 or 64 bytes; `nil` if libcrypto is configured without the function.
  package func hash(of bytes: Span<UInt8>) -> [UInt8]? {
    let function =
      switch self {
      case .sha384: EVP_sha384()
      case .sha512: EVP_sha512()
      }
    let size = Int(EVP_MD_get_size(function))
    var isDone = false
    let hash = [UInt8](unsafeUninitializedCapacity: size) { hash, count in
      isDone = bytes.withUnsafeBufferPointer {
        EVP_Digest($0.baseAddress, $0.count, hash.baseAddress, nil, function, nil) == 1
      }
      count = isDone ? size : 0
    }
    return isDone ? hash : nil
  }
}

extension SHA256 {
  /// The digest of `message` as an array of 32 bytes.
  package static func hash(of message: Span<UInt8>) -> [UInt8] {
    let digest = digest(of: message)
    return digest.span.withUnsafeBufferPointer { Array($0) }
  }
}
