internal import COpenSSL

/// A private key for ECDSA on P-256 with SHA-256 (FIPS 186-5).
package struct ECDSAPrivateKey: Sendable {
  /// The public half.
  package let publicKey: ECDSAPublicKey

  private let key: EVPKey

  /// The key of a scalar, 32 bytes, big-endian.
  /// - Returns: `nil` if it is 0, or not below the order of the curve.
  package init?(scalar: [UInt8]) {
    guard scalar.count == 32 else { return nil }
    defer { ERR_clear_error() }
    guard let number = BN_bin2bn(scalar, 32, nil) else { return nil }
    defer { BN_clear_free(number) }
    guard var point = Self.point(of: number), let publicKey = ECDSAPublicKey(point: point) else { return nil }
    var native = [UInt8](repeating: 0, count: 32)
    defer { OPENSSL_cleanse(&native, native.count) }
    guard BN_bn2nativepad(number, &native, 32) == 32,
      let key = EVPKey(herald_p256_key(&point, point.count, &native)), key.isConsistent
    else { return nil }
    self.publicKey = publicKey
    self.key = key
  }

  /// The product of a number and the base point of the curve; `nil` for multiples of the order.
  private static func point(of number: OpaquePointer) -> [UInt8]? {
    BN_set_flags(number, BN_FLG_CONSTTIME)
    guard let group = EC_GROUP_new_by_curve_name(NID_X9_62_prime256v1) else { return nil }
    defer { EC_GROUP_free(group) }
    guard let product = EC_POINT_new(group) else { return nil }
    defer { EC_POINT_free(product) }
    var bytes = [UInt8](repeating: 0, count: ECDSAPublicKey.pointSize)
    guard EC_POINT_mul(group, product, number, nil, nil, nil) == 1,
      EC_POINT_point2oct(group, product, POINT_CONVERSION_UNCOMPRESSED, &bytes, bytes.count, nil)
        == bytes.count
    else { return nil }
    return bytes
  }

  /// The signature of a message in DER, with a random nonce: up to 72 bytes.
  /// - Returns: `nil` if the library fails.
  package func signature(of message: Span<UInt8>) -> [UInt8]? {
    key.signature(of: message, hash: EVP_sha256())
  }
}
