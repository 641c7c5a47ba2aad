internal import COpenSSL

/// The hash functions of FIPS 180-4 that images and keys are named by, in OpenSSL's libcrypto.
public enum SHA2: Sendable {
  case sha256, sha384, sha512

  /// The hash of `bytes`. A libcrypto that is configured without these functions ends the program.
  public func hash(of bytes: Span<UInt8>) -> [UInt8] {
    let function =
      switch self {
      case .sha256: EVP_sha256()
      case .sha384: EVP_sha384()
      case .sha512: EVP_sha512()
      }
    let size = Int(EVP_MD_get_size(function))
    return [UInt8](unsafeUninitializedCapacity: size) { hash, count in
      let isDone = bytes.withUnsafeBufferPointer {
        EVP_Digest($0.baseAddress, $0.count, hash.baseAddress, nil, function, nil)
      }
      guard isDone == 1 else { fatalError("OpenSSL's libcrypto cannot compute \(self)") }
      count = size
    }
  }
}
