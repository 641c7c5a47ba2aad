internal import COpenSSL

/// A private key for Ed25519 (RFC 8032, 5.1).
package struct Ed25519PrivateKey: Sendable {
  /// The public half.
  package let publicKey: Ed25519PublicKey

  private let key: EVPKey

  /// The key of a seed.
  /// - Returns: `nil` unless it has 32 bytes.
  package init?(seed: [UInt8]) {
    guard seed.count == Ed25519PublicKey.size else { return nil }
    defer { ERR_clear_error() }
    guard let key = EVPKey(EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nil, seed, seed.count)),
      let bytes = key.publicBytes(size: Ed25519PublicKey.size), let publicKey = Ed25519PublicKey(bytes)
    else { return nil }
    self.publicKey = publicKey
    self.key = key
  }

  /// The signature of a message, 64 bytes.
  /// - Returns: `nil` if the library fails.
  package func signature(of message: Span<UInt8>) -> [UInt8]? { key.signature(of: message, hash: nil) }
}
