import HeraldText

extension MCUbootImage {
  /// The types of entries (MCUboot 2.3, `image.h`).
  package enum EntryType {
    /// The SHA-256 of the public key.
    package static let keyHash: UInt16 = 0x01
    /// The public key itself.
    package static let publicKey: UInt16 = 0x02
    /// SHA-256 of header, program and protected entries.
    package static let sha256: UInt16 = 0x10
    /// SHA-384 of the same.
    package static let sha384: UInt16 = 0x11
    /// SHA-512 of the same.
    package static let sha512: UInt16 = 0x12
    /// A signature: RSA-PSS with 2,048 bits.
    package static let rsa2048: UInt16 = 0x20
    /// A signature: ECDSA.
    package static let ecdsa: UInt16 = 0x22
    /// A signature: RSA-PSS with 3,072 bits.
    package static let rsa3072: UInt16 = 0x23
    /// A signature: Ed25519.
    package static let ed25519: UInt16 = 0x24
    /// The signature is over the image itself, not over a hash of it.
    package static let pureSignature: UInt16 = 0x25
    /// The security counter, a protected entry.
    package static let securityCounter: UInt16 = 0x50

    /// What people call an entry's type.
    package static func name(_ type: UInt16) -> String {
      switch type {
      case keyHash: "key hash"
      case publicKey: "public key"
      case sha256: "SHA-256"
      case sha384: "SHA-384"
      case sha512: "SHA-512"
      case rsa2048: "RSA-2048 signature"
      case 0x21: "ECDSA signature on P-224"
      case ecdsa: "ECDSA signature"
      case rsa3072: "RSA-3072 signature"
      case ed25519: "Ed25519 signature"
      case pureSignature: "signature of the image itself"
      case 0x30: "key encrypted with RSA-OAEP-2048"
      case 0x31: "key encrypted with AES-KW"
      case 0x32: "key encrypted with ECIES-P256"
      case 0x33: "key encrypted with ECIES-X25519"
      case 0x34: "key encrypted with ECIES-X25519 and SHA-512"
      case 0x40: "dependency"
      case securityCounter: "security counter"
      case 0x60: "boot record"
      case 0x70: "decompressed size"
      case 0x71: "decompressed hash"
      case 0x72: "decompressed signature"
      case 0x73: "size compressed and decrypted"
      case 0x74: "vendor UUID"
      case 0x75: "device class UUID"
      // The types xxA0 to xxFF are for vendors, FFFF excepted.
      case _ where type & 0xFF >= 0xA0 && type != 0xFFFF: "vendor's entry 0x\(type.hexadecimal(4))"
      default: "0x\(type.hexadecimal(4))"
      }
    }
  }

  /// Bits of `flags` that change what the bytes between header and lists are.
  enum Flag {
    /// AES-128, AES-256.
    static let encrypted: UInt32 = 0x4 | 0x8
    static let lzma1: UInt32 = 0x200
    static let lzma2: UInt32 = 0x400
    static let armThumbFilter: UInt32 = 0x800
    static let compressed = lzma1 | lzma2 | armThumbFilter
  }

  /// Whether the image was made to be decrypted by its boot loader. Hash and signature are then those of the
  /// image before encryption. imgtool can leave the program in the clear nevertheless (`--clear`): the hash
  /// is then right.
  package var isEncrypted: Bool { flags & Flag.encrypted != 0 }

  /// How the program is compressed; `nil` if it is not. Hash and signature are those of the image with the
  /// compressed program.
  package var compression: String? {
    guard flags & Flag.compressed != 0 else { return nil }
    let method =
      switch flags & (Flag.lzma1 | Flag.lzma2) {
      case Flag.lzma1: "LZMA1"
      case Flag.lzma2: "LZMA2"
      default: "an unknown method"
      }
    return flags & Flag.armThumbFilter == 0 ? method : "\(method) with the filter for Arm Thumb code"
  }

  /// Whether the signature is over the image itself, and not over its hash ("pure").
  package var isPure: Bool { entries.contains { $0.type == EntryType.pureSignature } }

  /// Why the devices and the upload of this project do not take the image, as text that follows "the image";
  /// `nil` if its kind of hash and signature are supported. One sentence for all commands.
  package var unsupported: String? {
    if isPure {
      return
        "has a signature over the image itself (\"pure\"), and devices check one over its SHA-256: sign it without --pure"
    }
    if entries.contains(where: { $0.type == EntryType.sha256 }) { return nil }
    guard let other = entries.first(where: { [EntryType.sha384, EntryType.sha512].contains($0.type) }) else {
      return nil
    }
    return
      "carries a \(EntryType.name(other.type)), and devices know images by their SHA-256: sign it with `imgtool sign --sha 256`"
  }
}
