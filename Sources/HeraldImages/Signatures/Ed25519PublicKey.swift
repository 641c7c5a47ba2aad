internal import COpenSSL

/// A public key for Ed25519 (RFC 8032, 5.1).
package struct Ed25519PublicKey: Sendable {
  /// The size in bytes.
  static let size = 32

  /// The key as it is sent.
  package let bytes: [UInt8]

  private let key: EVPKey

  /// The key of 32 bytes. Those that encode no point make a key without valid signatures.
  /// - Returns: `nil` if it is another number of bytes.
  package init?(_ bytes: [UInt8]) {
    guard bytes.count == Self.size else { return nil }
    defer { ERR_clear_error() }
    guard let key = EVPKey(EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nil, bytes, bytes.count)) else {
      return nil
    }
    self.bytes = bytes
    self.key = key
  }

  /// The key as SubjectPublicKeyInfo (RFC 8410, 4) in DER.
  package var subjectPublicKeyInfo: [UInt8] {
    [0x30, 0x2A, 0x30, 0x05, 0x06, 0x03, 0x2B, 0x65, 0x70, 0x03, 0x21, 0x00] + bytes
  }

  /// Whether `signature` is this key's of a message.
  package func isValid(_ signature: Span<UInt8>, message: Span<UInt8>) -> Bool {
    key.isValid(signature, message: message)
  }
}
