import HeraldCrypto
import HeraldImages
import HeraldText

/// A signing key for images: in PEM, private (PKCS #8, or SEC 1) or public (SubjectPublicKeyInfo), ECDSA on
/// P-256 or Ed25519.
package struct MCUbootKey: Sendable {
  private enum Material {
    case ecdsa(ECDSAPrivateKey)
    case ecdsaPublic(ECDSAPublicKey)
    case ed25519(Ed25519PrivateKey)
    case ed25519Public(Ed25519PublicKey)
  }

  private let material: Material

  /// The key in a PEM text.
  /// - Throws: `FirmwareError` if it contains no supported key, several, or one whose parts contradict each
  ///   other.
  package init(pem: String) throws(FirmwareError) {
    let invalid = FirmwareError("the key in it is damaged")
    let halves = FirmwareError("its public half is not that of its private half")
    switch try PEMKey(pem) {
    case .p256Private(let scalar, let point):
      guard let key = ECDSAPrivateKey(scalar: scalar) else { throw invalid }
      if let point, try Self.publicECDSA(point).point != key.publicKey.point { throw halves }
      material = .ecdsa(key)
    case .p256Public(let point): material = .ecdsaPublic(try Self.publicECDSA(point))
    case .ed25519Private(let seed, let publicKey):
      guard let key = Ed25519PrivateKey(seed: seed) else { throw invalid }
      if let publicKey, publicKey != key.publicKey.bytes { throw halves }
      material = .ed25519(key)
    case .ed25519Public(let bytes):
      guard let key = Ed25519PublicKey(bytes) else { throw invalid }
      material = .ed25519Public(key)
    }
  }

  /// The public key of a point in the form of SEC 1, 2.3.3: whole, or compressed.
  private static func publicECDSA(_ point: [UInt8]) throws(FirmwareError) -> ECDSAPublicKey {
    guard let key = ECDSAPublicKey(point: point) else {
      throw FirmwareError("its public key is no point of P-256")
    }
    return key
  }

  /// Whether it can sign, and not only verify.
  package var isPrivate: Bool {
    switch material {
    case .ecdsa, .ed25519: true
    case .ecdsaPublic, .ed25519Public: false
    }
  }

  /// The TLV type of its signatures.
  var signatureType: UInt16 {
    switch material {
    case .ecdsa, .ecdsaPublic: MCUbootImage.EntryType.ecdsa
    case .ed25519, .ed25519Public: MCUbootImage.EntryType.ed25519
    }
  }

  /// The public key as a boot loader has it built in: SubjectPublicKeyInfo in DER.
  package var publicBytes: [UInt8] {
    switch material {
    case .ecdsa(let key): key.publicKey.subjectPublicKeyInfo
    case .ecdsaPublic(let key): key.subjectPublicKeyInfo
    case .ed25519(let key): key.publicKey.subjectPublicKeyInfo
    case .ed25519Public(let key): key.subjectPublicKeyInfo
    }
  }

  /// The SHA-256 of `publicBytes`, which identifies the signing key in an image.
  package var hash: [UInt8] { SHA256.hash(of: publicBytes.span) }

  /// The hashes of `publicBytes` with which images name the key.
  var hashes: [[UInt8]] {
    let bytes = publicBytes
    return [SHA256.hash(of: bytes.span)] + [SHA2.sha384, .sha512].compactMap { $0.hash(of: bytes.span) }
  }

  /// The first eight bytes of `hash` in hexadecimal, as messages name the key.
  package var shortHash: String { Array(hash[..<8]).hexadecimal }

  /// The Ed25519 signature of a message (RFC 8032, 5.1), 64 bytes.
  /// - Throws: `FirmwareError` if the key is public, or of another kind.
  func signMessage(_ message: [UInt8]) throws(FirmwareError) -> [UInt8] {
    guard case .ed25519(let key) = material, let signature = key.signature(of: message.span) else {
      throw FirmwareError(
        "signing takes a private Ed25519 key, as `openssl genpkey -algorithm ed25519` makes one")
    }
    return signature
  }

  /// Whether a signature is this key's Ed25519 signature of a message; `false` for a key of another kind.
  func hasSigned(_ message: [UInt8], _ signature: [UInt8]) -> Bool {
    switch material {
    case .ed25519(let key): key.publicKey.isValid(signature.span, message: message.span)
    case .ed25519Public(let key): key.isValid(signature.span, message: message.span)
    case .ecdsa, .ecdsaPublic: false
    }
  }

  /// The signature of what an image's hash covers: ECDSA signs that, Ed25519 its SHA-256.
  func sign(_ covered: [UInt8]) throws(FirmwareError) -> [UInt8] {
    let signature: [UInt8]?
    switch material {
    case .ecdsa(let key): signature = key.signature(of: covered.span)
    case .ed25519(let key):
      let digest = SHA256.hash(of: covered.span)
      signature = key.signature(of: digest.span)
    case .ecdsaPublic, .ed25519Public:
      throw FirmwareError("this is a public key: signing takes the private one")
    }
    guard let signature else { throw FirmwareError("signing failed in OpenSSL's libcrypto") }
    return signature
  }

  /// Whether `signature` is this key's over an image with the hash `digest`.
  func isValid(_ signature: [UInt8], digest: [UInt8]) -> Bool {
    switch material {
    case .ecdsa(let key): Self.isValid(signature, key.publicKey, digest)
    case .ecdsaPublic(let key): Self.isValid(signature, key, digest)
    case .ed25519, .ed25519Public: hasSigned(digest, signature)
    }
  }

  /// Whether `signature` is this key's over a whole image, for which MCUboot has Ed25519 alone.
  func isValid(_ signature: [UInt8], message: [UInt8]) -> Bool { hasSigned(message, signature) }

  /// Whether an ECDSA signature is that of a key over the SHA-256 `digest`.
  private static func isValid(_ signature: [UInt8], _ key: ECDSAPublicKey, _ digest: [UInt8]) -> Bool {
    // Older tools pad a signature with zeros to 72 bytes: its second byte is its length.
    guard signature.count > 2 else { return false }
    let end = min(signature.count, Int(signature[1]) + 2)
    return key.isValid(signature.span.extracting(0..<end), sha256: digest.span)
  }
}
