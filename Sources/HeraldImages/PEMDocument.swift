import Foundation

/// The first document of a PEM text (RFC 7468): keys with which images are signed and checked.
public struct PEMDocument: Sendable {
  /// The label between the dashes, such as `PUBLIC KEY`.
  public let label: String
  /// What the lines between BEGIN and END contain, in DER.
  public let bytes: [UInt8]

  /// The DER in front of the 32 bytes of a public Ed25519 key, as SubjectPublicKeyInfo (RFC 8410, 4).
  public static let ed25519PublicHead: [UInt8] = [
    0x30, 0x2A, 0x30, 0x05, 0x06, 0x03, 0x2B, 0x65, 0x70, 0x03, 0x21, 0x00,
  ]

  /// `nil` if the text contains no document.
  public init?(_ text: String) {
    let lines = text.split(whereSeparator: \.isNewline).map { $0.trimmingCharacters(in: .whitespaces) }
    let begin = "-----BEGIN "
    guard let first = lines.firstIndex(where: { $0.hasPrefix(begin) && $0.hasSuffix("-----") }),
      let last = lines[first...].firstIndex(where: { $0.hasPrefix("-----END ") }), last > first,
      let data = Data(base64Encoded: lines[(first + 1)..<last].joined())
    else { return nil }
    label = String(lines[first].dropFirst(begin.count).dropLast(5))
    bytes = [UInt8](data)
  }

  /// The 32 bytes of a public Ed25519 key; `nil` if the document is something else.
  public var ed25519PublicKey: [UInt8]? {
    guard bytes.count == 44, bytes.starts(with: Self.ed25519PublicHead) else { return nil }
    return Array(bytes[12...])
  }
}
