import Crypto
import Foundation
import HeraldImages
import HeraldText

/// A signing key for images, in the formats of imgtool: in PEM, private (PKCS #8, or SEC 1) or public
/// (SubjectPublicKeyInfo), ECDSA on P-256 or Ed25519.
public struct MCUbootKey: Sendable {
  private enum Material {
    case p256(P256.Signing.PrivateKey)
    case p256Public(P256.Signing.PublicKey)
    case ed25519(Curve25519.Signing.PrivateKey)
    case ed25519Public(Curve25519.Signing.PublicKey)
  }

  /// The DER in front of the 32 bytes of a private Ed25519 key in PKCS #8 (RFC 8410, 7).
  private static let ed25519PrivateHead: [UInt8] = [
    0x30, 0x2E, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2B, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20,
  ]

  private let material: Material

  /// The key in a PEM text.
  /// - Throws: `FirmwareError` if it contains no supported key.
  public init(pem: String) throws(FirmwareError) {
    guard let document = PEMDocument(pem) else { throw FirmwareError("this is no key in PEM") }
    guard !document.label.hasPrefix("ENCRYPTED") else {
      throw FirmwareError("the key is protected with a password, which herald-flash cannot ask for")
    }
    if document.bytes.count == 48, document.bytes.starts(with: Self.ed25519PrivateHead),
      let key = try? Curve25519.Signing.PrivateKey(rawRepresentation: document.bytes[16...])
    {
      material = .ed25519(key)
    } else if let bytes = document.ed25519PublicKey,
      let key = try? Curve25519.Signing.PublicKey(rawRepresentation: bytes)
    {
      material = .ed25519Public(key)
    } else if let key = try? P256.Signing.PrivateKey(pemRepresentation: pem) {
      material = .p256(key)
    } else if let key = try? P256.Signing.PublicKey(pemRepresentation: pem) {
      material = .p256Public(key)
    } else {
      throw FirmwareError(
        "this is neither an ECDSA key on P-256 nor an Ed25519 key, as `imgtool keygen -t ecdsa-p256` or `-t ed25519` makes them"
      )
    }
  }

  /// Whether it can sign, and not only verify.
  public var isPrivate: Bool {
    switch material {
    case .p256, .ed25519: true
    case .p256Public, .ed25519Public: false
    }
  }

  /// The TLV type of its signatures.
  var signatureType: UInt16 {
    switch material {
    case .p256, .p256Public: MCUbootImage.EntryType.ecdsa
    case .ed25519, .ed25519Public: MCUbootImage.EntryType.ed25519
    }
  }

  /// The public key as a boot loader has it built in: SubjectPublicKeyInfo in DER.
  public var publicBytes: [UInt8] {
    switch material {
    case .p256(let key): Array(key.publicKey.derRepresentation)
    case .p256Public(let key): Array(key.derRepresentation)
    case .ed25519(let key): PEMDocument.ed25519PublicHead + key.publicKey.rawRepresentation
    case .ed25519Public(let key): PEMDocument.ed25519PublicHead + key.rawRepresentation
    }
  }

  /// The SHA-256 of `publicBytes`, which identifies the signing key in an image.
  public var hash: [UInt8] { Array(Crypto.SHA256.hash(data: publicBytes)) }

  /// The first eight bytes of `hash` in hexadecimal, as messages name the key.
  public var shortHash: String { Array(hash[..<8]).hexadecimal }

  /// The Ed25519 signature of a message (RFC 8032, 5.1), 64 bytes.
  /// - Throws: `FirmwareError` if the key is public, or of another kind.
  func signMessage(_ message: [UInt8]) throws(FirmwareError) -> [UInt8] {
    guard case .ed25519(let key) = material, let signature = try? key.signature(for: message) else {
      throw FirmwareError(
        "signing takes a private Ed25519 key, as `openssl genpkey -algorithm ed25519` makes one")
    }
    return Array(signature)
  }

  /// Whether a signature is this key's Ed25519 signature of a message; `false` for a key of another kind.
  func hasSigned(_ message: [UInt8], _ signature: [UInt8]) -> Bool {
    switch material {
    case .ed25519(let key): key.publicKey.isValidSignature(signature, for: message)
    case .ed25519Public(let key): key.isValidSignature(signature, for: message)
    case .p256, .p256Public: false
    }
  }

  /// The signature of what an image's hash covers: ECDSA signs that, Ed25519 its SHA-256.
  func sign(_ covered: some DataProtocol) throws(FirmwareError) -> [UInt8] {
    do {
      switch material {
      case .p256(let key): return Array(try key.signature(for: covered).derRepresentation)
      case .ed25519(let key):
        return Array(try key.signature(for: Data(Crypto.SHA256.hash(data: covered))))
      case .p256Public, .ed25519Public: break
      }
    } catch {
      throw FirmwareError("signing failed: \(error)")
    }
    throw FirmwareError("this is a public key: signing takes the private one")
  }

  /// Whether `signature` is this key's: over `covered` for ECDSA, over `digest` for Ed25519, which is
  /// `covered` itself if the image declares it.
  func isValid(_ signature: [UInt8], covered: ArraySlice<UInt8>, digest: [UInt8]) -> Bool {
    switch material {
    case .p256(let key): Self.isValid(signature, key.publicKey, covered)
    case .p256Public(let key): Self.isValid(signature, key, covered)
    case .ed25519(let key): key.publicKey.isValidSignature(signature, for: digest)
    case .ed25519Public(let key): key.isValidSignature(signature, for: digest)
    }
  }

  private static func isValid(
    _ signature: [UInt8], _ key: P256.Signing.PublicKey, _ covered: ArraySlice<UInt8>
  ) -> Bool {
    // Older tools pad a signature with zeros to 72 bytes: its second byte is its length.
    guard signature.count > 2 else { return false }
    let end = min(signature.count, Int(signature[1]) + 2)
    guard let parsed = try? P256.Signing.ECDSASignature(derRepresentation: signature[..<end]) else {
      return false
    }
    return key.isValidSignature(parsed, for: covered)
  }
}
