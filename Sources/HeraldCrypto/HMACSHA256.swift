import HeraldHAL

/// HMAC with SHA-256 (RFC 2104, FIPS 198-1): an authentication code of a message under a key, computed
/// incrementally.
///
/// Keys have 1 to 32 bytes, the length of the code; longer ones do not increase its strength. `finish` erases
/// all values derived from the key and the message.
public struct HMACSHA256: ~Copyable {
  private var hash: SHA256
  /// The key, padded with zeros; zeros follow it in the block that is hashed.
  private var key: [32 of UInt8]

  private static var innerPad: UInt8 { 0x36 }
  private static var outerPad: UInt8 { 0x5C }

  /// The code of an empty message so far; of a key longer than 32 bytes the first 32 are used.
  @inline(never)
  public init(key bytes: Span<UInt8>) {
    self.init()
    begin(key: bytes)
  }

  /// An instance without a key, which `begin` sets.
  @inline(__always)
  public init() {
    hash = SHA256(idle: ())
    key = .init(repeating: 0)
  }

  /// Begins another code, of an empty message so far, after `finish` or at first: in place, as the stack of
  /// small devices has no room for two.
  @inline(never)
  public mutating func begin(key bytes: Span<UInt8>) {
    hash.begin()
    for index in 0..<32 { key[index] = index < bytes.count ? bytes[index] : 0 }
    pad(Self.innerPad)
  }

  @inline(never)
  private mutating func pad(_ pad: UInt8) {
    for index in 0..<32 { hash.update(key[unchecked: index] ^ pad) }
    for _ in 32..<64 { hash.update(pad) }
  }

  /// Continues with `bytes`.
  public mutating func update(_ bytes: Span<UInt8>) { hash.update(bytes) }

  /// Continues with constant text.
  public mutating func update(_ text: StaticString) { hash.update(text) }

  /// Writes the code of all bytes so far. Afterwards key and message are erased.
  @inline(never)
  public mutating func finish(into code: inout [32 of UInt8]) {
    hash.finish(into: &code)
    pad(Self.outerPad)
    hash.update(code.span)
    hash.finish(into: &code)
    var bytes = key.mutableSpan
    bytes.wipe()
  }
}
