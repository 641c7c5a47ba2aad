/// By what a payload is recognised without being kept.
public enum PayloadDigest {
  /// The first eight bytes of the payload's SHA-256, little-endian; never 0, which stands for "none".
  public static func of(_ payload: Span<UInt8>) -> UInt64 {
    let hash = SHA256.digest(of: payload)
    var digest: UInt64 = 0
    var index = 8
    while index > 0 {
      index &-= 1
      digest = digest &<< 8 | UInt64(wide: UInt32(hash[index]))
    }
    return digest == 0 ? 1 : digest
  }
}
