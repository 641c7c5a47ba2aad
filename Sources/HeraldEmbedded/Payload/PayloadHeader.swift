import HeraldHAL

/// What most payloads begin with (HP-40; Herald payload specification, common header): type and version, then
/// where it belongs.
///
/// `type-and-version u8 | country u16 | state u16`, little-endian. What follows is the family's own. Every
/// byte string has a header but the empty one; what is not known of it is said to be so, and the bytes are
/// carried nevertheless.
public struct PayloadHeader: Equatable, BitwiseCopyable, Sendable {
  /// Where a payload belongs.
  public enum Origin: Equatable, BitwiseCopyable, Sendable {
    /// ISO 3166-1 numeric country code, and the state within it, 0 for all of it.
    case country(UInt16, state: UInt16)
    /// The four bytes that tell whose a custom payload (00…07) is.
    case routingCode(UInt32)
    /// The family has no such field, or none we know of, or the payload ends before it does.
    case unknown
  }

  /// The first byte as it is.
  public let typeAndVersion: UInt8
  /// Where it belongs.
  public let origin: Origin

  /// What kind of payload it is.
  public var family: PayloadFamily { PayloadFamily(typeAndVersion: typeAndVersion) }
  /// Which version of the family, 0…7.
  public var version: UInt8 { typeAndVersion & 7 }

  /// Reads the header of a payload; `nil` without a byte.
  public init?(_ payload: Span<UInt8>) {
    var reader = ByteReader(payload)
    guard let first = reader.u8() else { return nil }
    typeAndVersion = first
    switch PayloadFamily(typeAndVersion: first) {
    case .custom:
      origin = reader.u32().map { .routingCode($0) } ?? .unknown
    case .customWithCountry, .simple, .secured, .venueBeacon, .blueTrace:
      guard reader.remaining >= 4, let country = reader.u16(), let state = reader.u16() else {
        origin = .unknown
        return
      }
      origin = .country(country, state: state)
    case .exposureNotification, .robert, .dp3t, .pact, .unknown:
      origin = .unknown
    }
  }
}
