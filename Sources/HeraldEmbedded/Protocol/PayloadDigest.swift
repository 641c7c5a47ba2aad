import HeraldCrypto
import HeraldHAL

/// The digest by which a payload is recognised without being stored.
public enum PayloadDigest {
  /// The first eight bytes of the payload's SHA-256, little-endian; never 0, which means "none".
  public static func of(_ payload: Span<UInt8>) -> UInt64 {
    // Not `SHA256.digest`, which returns a copy: this is called where stack usage is high.
    var hash = SHA256()
    var bytes: [32 of UInt8] = .init(repeating: 0)
    hash.update(payload)
    hash.finish(into: &bytes)
    var digest: UInt64 = 0
    var index = 8
    while index > 0 {
      index &-= 1
      digest = digest &<< 8 | UInt64(wide: UInt32(bytes[index]))
    }
    return digest == 0 ? 1 : digest
  }
}
