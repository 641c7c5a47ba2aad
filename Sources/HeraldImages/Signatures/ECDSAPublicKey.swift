internal import COpenSSL

/// A public key for ECDSA on P-256 with SHA-256 (FIPS 186-5).
package struct ECDSAPublicKey: Sendable {
  /// The size of a point that is not compressed.
  static let pointSize = 65

  /// The point of the key, not compressed (SEC 1, 2.3.3): 4, then both coordinates.
  package let point: [UInt8]

  private let key: EVPKey

  /// The key of a point: 65 bytes, or compressed, of 33.
  /// - Returns: `nil` if that is no point on the curve.
  package init?(point: [UInt8]) {
    switch (point.count, point.first) {
    case (Self.pointSize, 4), (33, 2), (33, 3): break
    default: return nil
    }
    defer { ERR_clear_error() }
    var given = point
    guard let key = EVPKey(herald_p256_key(&given, given.count, nil)),
      let point = key.publicBytes(size: Self.pointSize)
    else { return nil }
    self.point = point
    self.key = key
  }

  /// The key as SubjectPublicKeyInfo (RFC 5480, 2) in DER.
  package var subjectPublicKeyInfo: [UInt8] {
    [
      0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01, 0x06, 0x08, 0x2A, 0x86,
      0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00,
    ] + point
  }

  /// Whether `signature` is this key's of a message with this SHA-256. It is strict DER, and nothing follows.
  package func isValid(_ signature: Span<UInt8>, sha256 digest: Span<UInt8>) -> Bool {
    digest.count == 32 && key.isValid(signature, digest: digest)
  }
}
