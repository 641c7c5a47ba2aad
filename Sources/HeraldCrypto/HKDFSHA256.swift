import HeraldHAL

/// HKDF with SHA-256 (RFC 5869): keys for several purposes from one secret and nonces.
///
/// The output is one block, 32 bytes for each purpose: with a different text passed to `expand` the output is
/// independent of all others. Call `wipe` after use.
public struct HKDFSHA256: ~Copyable {
  /// One instance for all steps, as the stack of small devices has no room for several.
  private var code: HMACSHA256
  /// The pseudorandom key PRK (2.2).
  private var key: [32 of UInt8]

  /// An instance without a secret, which `extract` sets.
  @inline(__always)
  public init() {
    code = HMACSHA256()
    key = .init(repeating: 0)
  }

  /// HKDF-Extract (2.2). The salt is `salt` || `more`; of a longer one only the first 32 bytes are used, as
  /// in `HMACSHA256`.
  @inline(never)
  public mutating func extract(salt: Span<UInt8>, _ more: Span<UInt8>, keyMaterial: Span<UInt8>) {
    wipe()
    let count = min(salt.count, 32)
    for index in 0..<count { key[index] = salt[index] }
    for index in 0..<min(more.count, 32 &- count) { key[count &+ index] = more[index] }
    code.begin(key: key.span)
    code.update(keyMaterial)
    code.finish(into: &key)
  }

  /// Sets the pseudorandom key PRK, 32 bytes, to one that was derived before: HKDF-Extract is left out (3.3).
  @inline(never)
  public mutating func set(key bytes: Span<UInt8>) {
    for index in 0..<min(bytes.count, 32) { key[index] = bytes[index] }
  }

  /// HKDF-Expand (2.3) with L = 32 and info = `label` || `context`.
  @inline(never)
  public mutating func expand(
    _ label: StaticString, _ context: Span<UInt8>, into output: inout [32 of UInt8]
  ) {
    code.begin(key: key.span)
    code.update(label)
    code.update(context)
    let number: [1 of UInt8] = [1]
    code.update(number.span)
    code.finish(into: &output)
  }

  /// Erases all values derived from the secret.
  public mutating func wipe() {
    var bytes = key.mutableSpan
    bytes.wipe()
  }
}
