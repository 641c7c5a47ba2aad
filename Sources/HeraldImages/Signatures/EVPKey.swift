internal import COpenSSL

/// A key that libcrypto holds (`EVP_PKEY`), which is freed with its owner, and whose private half is then
/// overwritten. It does not change once it is made: threads may share it.
final class EVPKey: @unchecked Sendable {
  private let key: OpaquePointer

  /// Takes a key over from the function of libcrypto that made it; `nil` if it made none.
  init?(_ key: OpaquePointer?) {
    guard let key else { return nil }
    self.key = key
  }

  deinit { EVP_PKEY_free(key) }

  /// Whether a private half is in its range and the public one is that of it.
  var isConsistent: Bool {
    defer { ERR_clear_error() }
    guard let context = EVP_PKEY_CTX_new_from_pkey(nil, key, nil) else { return false }
    defer { EVP_PKEY_CTX_free(context) }
    return EVP_PKEY_check(context) == 1
  }

  /// The public half as OpenSSL has it: a point on P-256 uncompressed, a key of Ed25519 as it is. `nil` unless
  /// it has `size` bytes.
  func publicBytes(size: Int) -> [UInt8]? {
    defer { ERR_clear_error() }
    var bytes = [UInt8](repeating: 0, count: size)
    var count = 0
    guard EVP_PKEY_get_octet_string_param(key, OSSL_PKEY_PARAM_PUB_KEY, &bytes, size, &count) == 1,
      count == size
    else { return nil }
    return bytes
  }

  /// The signature of a message.
  /// - Parameter hash: the hash of it that is signed; `nil` if the algorithm takes the message itself.
  /// - Returns: `nil` if the library fails.
  func signature(of message: Span<UInt8>, hash: OpaquePointer?) -> [UInt8]? {
    defer { ERR_clear_error() }
    guard let context = EVP_MD_CTX_new() else { return nil }
    defer { EVP_MD_CTX_free(context) }
    guard EVP_DigestSignInit(context, nil, hash, nil, key) == 1 else { return nil }
    var signature = [UInt8](repeating: 0, count: Int(EVP_PKEY_get_size(key)))
    var count = signature.count
    let isDone = message.withUnsafeBufferPointer {
      EVP_DigestSign(context, &signature, &count, $0.baseAddress, $0.count)
    }
    guard isDone == 1 else { return nil }
    return Array(signature.prefix(count))
  }

  /// Whether `signature` is this key's of a message, for an algorithm that takes the message itself.
  func isValid(_ signature: Span<UInt8>, message: Span<UInt8>) -> Bool {
    defer { ERR_clear_error() }
    guard let context = EVP_MD_CTX_new() else { return false }
    defer { EVP_MD_CTX_free(context) }
    guard EVP_DigestVerifyInit(context, nil, nil, nil, key) == 1 else { return false }
    return signature.withUnsafeBufferPointer { signature in
      message.withUnsafeBufferPointer { message in
        EVP_DigestVerify(
          context, signature.baseAddress, signature.count, message.baseAddress, message.count) == 1
      }
    }
  }

  /// Whether `signature` is this key's of a message with this hash.
  func isValid(_ signature: Span<UInt8>, digest: Span<UInt8>) -> Bool {
    defer { ERR_clear_error() }
    guard let context = EVP_PKEY_CTX_new_from_pkey(nil, key, nil) else { return false }
    defer { EVP_PKEY_CTX_free(context) }
    guard EVP_PKEY_verify_init(context) == 1 else { return false }
    return signature.withUnsafeBufferPointer { signature in
      digest.withUnsafeBufferPointer { digest in
        EVP_PKEY_verify(context, signature.baseAddress, signature.count, digest.baseAddress, digest.count)
          == 1
      }
    }
  }
}
