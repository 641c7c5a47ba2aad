import Foundation

/// A key for signatures in a PEM text (RFC 7468), in the forms in which OpenSSL, imgtool and nrfutil write
/// ECDSA on P-256 and Ed25519: PKCS #8 (RFC 5958), SEC 1 (RFC 5915) behind a block with the curve's name, and
/// SubjectPublicKeyInfo (RFC 5280, RFC 8410).
///
/// The DER in it is read strictly: bytes that follow, lengths in another than their shortest form, and a
/// second key are errors.
package enum PEMKey: Equatable, Sendable {
  /// A private key on P-256, 32 bytes; and its public point, if the text has it.
  case p256Private(scalar: [UInt8], point: [UInt8]?)
  /// A public key on P-256: a point of 65 bytes, or compressed, of 33.
  case p256Public(point: [UInt8])
  /// A private Ed25519 key, 32 bytes; and the public one, if the text has it.
  case ed25519Private(seed: [UInt8], publicKey: [UInt8]?)
  /// A public Ed25519 key, 32 bytes.
  case ed25519Public([UInt8])

  /// The maximum size of a file with a key in bytes.
  package static let largestFile = 64 << 10

  /// The key in a PEM text.
  /// - Throws: `FirmwareError`, with what is there instead if it is known.
  package init(_ text: String) throws(FirmwareError) {
    let keys = try Self.blocks(text).filter { $0.label != "EC PARAMETERS" }
    guard let block = keys.first else { throw FirmwareError("this is no key in PEM") }
    guard keys.count == 1 else {
      throw FirmwareError("there are \(keys.count) keys or certificates in it, and one is wanted")
    }
    guard !block.label.hasPrefix("ENCRYPTED"), !block.isEncrypted else {
      throw FirmwareError(
        "the key is protected with a password, which herald-flash cannot ask for: `openssl pkey -in FILE -out NEW` takes it off"
      )
    }
    var reader = DERReader(block.bytes)
    switch block.label {
    case "PUBLIC KEY": self = try Self.publicKey(&reader)
    case "PRIVATE KEY": self = try Self.privateKey(&reader)
    case "EC PRIVATE KEY": self = try Self.ellipticKey(&reader, curve: nil)
    case "RSA PRIVATE KEY", "RSA PUBLIC KEY": throw Self.other("an RSA key")
    case "DSA PRIVATE KEY": throw Self.other("a DSA key")
    case "OPENSSH PRIVATE KEY":
      throw FirmwareError("this is a key of OpenSSH: `openssl genpkey -algorithm ed25519` makes one in PEM")
    case "CERTIFICATE":
      throw FirmwareError(
        "this is a certificate: `openssl x509 -in FILE -pubkey -noout` prints the public key in it")
    default: throw FirmwareError("this is no key in PEM")
    }
    guard reader.isAtEnd else { throw FirmwareError("bytes follow the key in it: it is damaged") }
  }

  // MARK: The text

  private struct Block {
    let label: String
    let bytes: [UInt8]
    /// Whether its header says that it is encrypted (RFC 1421, 4.6.1.1).
    let isEncrypted: Bool
  }

  private static func blocks(_ text: String) throws(FirmwareError) -> [Block] {
    let begin = "-----BEGIN ", end = "-----END ", dashes = "-----"
    var blocks: [Block] = []
    var label: String?
    var content = ""
    var isEncrypted = false
    for line in text.split(whereSeparator: \.isNewline) {
      let line = line.trimmingCharacters(in: .whitespaces.union(CharacterSet(charactersIn: "\u{FEFF}")))
      if let open = label {
        if line.hasPrefix(end) {
          guard line == end + open + dashes, let data = Data(base64Encoded: content) else {
            throw FirmwareError("the key in it is damaged: its text is not in base64")
          }
          blocks.append(Block(label: open, bytes: [UInt8](data), isEncrypted: isEncrypted))
          label = nil
        } else if line.contains(":") {
          if line.hasPrefix("Proc-Type:"), line.hasSuffix("ENCRYPTED") { isEncrypted = true }
        } else {
          content += line
        }
      } else if line.hasPrefix(begin), line.hasSuffix(dashes), line.count > begin.count + dashes.count {
        label = String(line.dropFirst(begin.count).dropLast(dashes.count))
        content = ""
        isEncrypted = false
      }
    }
    guard label == nil else { throw FirmwareError("the key in it is cut off") }
    return blocks
  }

  // MARK: The DER

  private enum Algorithm {
    static let elliptic: [UInt8] = [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01]
    static let p256: [UInt8] = [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07]
    static let ed25519: [UInt8] = [0x2B, 0x65, 0x70]
    static let others: [([UInt8], String)] = [
      ([0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01], "an RSA key"),
      ([0x2B, 0x65, 0x6E], "an X25519 key, which encrypts and does not sign"),
      ([0x2B, 0x65, 0x71], "an Ed448 key"),
      ([0x2B, 0x81, 0x04, 0x00, 0x21], "an ECDSA key on P-224"),
      ([0x2B, 0x81, 0x04, 0x00, 0x22], "an ECDSA key on P-384"),
      ([0x2B, 0x81, 0x04, 0x00, 0x23], "an ECDSA key on P-521"),
      ([0x2B, 0x81, 0x04, 0x00, 0x0A], "an ECDSA key on secp256k1"),
    ]
  }

  private static let damaged = FirmwareError("the key in it is damaged")

  private static func other(_ name: String) -> FirmwareError {
    FirmwareError(
      "this is \(name); images are signed with Ed25519 or ECDSA on P-256, as `imgtool keygen -t ed25519` or `-t ecdsa-p256` makes a key"
    )
  }

  private static func other(_ identifier: [UInt8]) -> FirmwareError {
    other(Algorithm.others.first { $0.0 == identifier }?.1 ?? "a key of another kind")
  }

  /// Takes an AlgorithmIdentifier.
  /// - Returns: whether it is Ed25519, otherwise it is ECDSA on P-256.
  private static func isEd25519(_ reader: inout DERReader) throws(FirmwareError) -> Bool {
    guard var identifier = reader.sequence(), let algorithm = identifier.take(0x06) else { throw damaged }
    if algorithm == Algorithm.ed25519 {
      guard identifier.isAtEnd else { throw damaged }
      return true
    }
    guard algorithm == Algorithm.elliptic else { throw other(algorithm) }
    try curve(&identifier)
    guard identifier.isAtEnd else { throw damaged }
    return false
  }

  /// Takes the name of P-256.
  private static func curve(_ reader: inout DERReader) throws(FirmwareError) {
    guard let name = reader.take(0x06) else {
      throw FirmwareError(
        "the key does not name its curve: `openssl ec -in FILE -param_enc named_curve -out NEW` makes one that does"
      )
    }
    guard name == Algorithm.p256 else { throw other(name) }
  }

  private static func point(_ bits: [UInt8]?) throws(FirmwareError) -> [UInt8] {
    guard let bits, bits.count > 1, bits[0] == 0 else { throw damaged }
    switch (bits.count - 1, bits[1]) {
    case (65, 4), (33, 2), (33, 3): return Array(bits.dropFirst())
    default: throw damaged
    }
  }

  private static func publicKey(_ reader: inout DERReader) throws(FirmwareError) -> PEMKey {
    guard var key = reader.sequence() else { throw damaged }
    let isEd25519 = try isEd25519(&key)
    guard let bits = key.take(0x03), key.isAtEnd, bits.count > 1 else { throw damaged }
    guard isEd25519 else { return .p256Public(point: try point(bits)) }
    guard bits.count == 33, bits[0] == 0 else { throw damaged }
    return .ed25519Public(Array(bits.dropFirst()))
  }

  private static func privateKey(_ reader: inout DERReader) throws(FirmwareError) -> PEMKey {
    guard var key = reader.sequence(), let version = key.take(0x02), version == [0] || version == [1] else {
      throw damaged
    }
    let isEd25519 = try isEd25519(&key)
    guard let content = key.take(0x04) else { throw damaged }
    // Attributes, and the public key.
    _ = key.take(0xA0)
    let bits = key.take(0x81)
    guard key.isAtEnd else { throw damaged }
    var inner = DERReader(content)
    if isEd25519 {
      guard let seed = inner.take(0x04), seed.count == 32, inner.isAtEnd else { throw damaged }
      if let bits, bits.count != 33 || bits[0] != 0 { throw damaged }
      return .ed25519Private(seed: seed, publicKey: bits.map { Array($0.dropFirst()) })
    }
    let elliptic = try ellipticKey(&inner, curve: Algorithm.p256)
    guard inner.isAtEnd else { throw damaged }
    if let bits, case .p256Private(let scalar, nil) = elliptic {
      return .p256Private(scalar: scalar, point: try point(bits))
    }
    return elliptic
  }

  /// An ECPrivateKey, whose curve is known (`curve`), or named in it.
  private static func ellipticKey(_ reader: inout DERReader, curve known: [UInt8]?) throws(FirmwareError)
    -> PEMKey
  {
    guard var key = reader.sequence(), key.take(0x02) == [1], let scalar = key.take(0x04) else {
      throw damaged
    }
    if var parameters = key.inside(0xA0) {
      try curve(&parameters)
      guard parameters.isAtEnd else { throw damaged }
    } else if known == nil {
      throw FirmwareError("the key does not name its curve")
    }
    var shown: [UInt8]?
    if var wrapped = key.inside(0xA1) {
      shown = try point(wrapped.take(0x03))
      guard wrapped.isAtEnd else { throw damaged }
    }
    guard key.isAtEnd, (1...32).contains(scalar.count) else { throw damaged }
    // Some tools leave leading zeros out.
    return .p256Private(
      scalar: [UInt8](repeating: 0, count: 32 - scalar.count) + scalar, point: shown)
  }
}

/// Distinguished Encoding Rules (X.690, 10), as far as keys need them: tags of one byte, and lengths in their
/// shortest form.
private struct DERReader {
  private var rest: ArraySlice<UInt8>

  init(_ bytes: [UInt8]) { rest = bytes[...] }

  var isAtEnd: Bool { rest.isEmpty }

  /// Takes an element with this tag, and returns its contents; `nil`, with nothing taken, if the next one has
  /// another, or is damaged.
  mutating func take(_ tag: UInt8) -> [UInt8]? {
    guard rest.first == tag, let first = rest.dropFirst().first else { return nil }
    var body = rest.dropFirst(2)
    var count = Int(first)
    if first >= 0x80 {
      let size = Int(first & 0x7F)
      guard (1...3).contains(size), size <= body.count else { return nil }
      count = body.prefix(size).reduce(0) { $0 << 8 | Int($1) }
      guard count >= 0x80, body.first != 0 else { return nil }
      body = body.dropFirst(size)
    }
    guard count <= body.count else { return nil }
    rest = body.dropFirst(count)
    return Array(body.prefix(count))
  }

  /// Takes an element that holds others.
  mutating func inside(_ tag: UInt8) -> DERReader? { take(tag).map { DERReader($0) } }

  mutating func sequence() -> DERReader? { inside(0x30) }
}
