import HeraldHAL

/// A stay near a venue beacon (HP-51).
public struct Visit: Equatable, BitwiseCopyable, Sendable {
  /// The beacon, under the identity by which its payload was read.
  public var venue: TargetIdentity
  /// The first eight bytes of its payload's SHA-256, little-endian.
  public var payloadDigest: UInt64
  /// When it was received first.
  public var begin: Instant
  /// When it was received last.
  public var end: Instant

  /// Initialises each member.
  public init(venue: TargetIdentity, payloadDigest: UInt64, begin: Instant, end: Instant) {
    self.venue = venue
    self.payloadDigest = payloadDigest
    self.begin = begin
    self.end = end
  }
}
