import HeraldBluetooth
import HeraldCrypto
import HeraldEmbedded

/// The identifier of a device, unique, also from one with the same serial number: the first 8 bytes of the
/// SHA-256 of `herald device 1` and the key of the device's addresses, most significant byte first
/// (docs/wire-formats.md, group 72, command 0).
///
/// The key has 128 random bits, so the identifier discloses nothing about it. A factory reset generates
/// another key, and with it another identifier.
public struct DeviceIdentifier: BitwiseCopyable, Sendable {
  /// How many bytes it has.
  public static var size: Int { 8 }

  private var digest: [32 of UInt8]

  /// Zeros: that of a device which has none.
  public init() { digest = .init(repeating: 0) }

  /// Makes it from the key of the device's addresses. Zeros if that is no key.
  @inline(__always)
  public mutating func derive(from key: IdentityResolvingKey) {
    guard !key.isNone else { return }
    var hash = SHA256()
    hash.update("herald device 1")
    hash.update(key.bytes.span)
    hash.finish(into: &digest)
  }

  /// The 8 bytes of the identifier.
  public var bytes: Span<UInt8> {
    @_lifetime(borrow self)
    get { digest.span.extracting(0..<Self.size) }
  }
}
