import HeraldHAL

/// The common beginning of most payloads (HP-40; Herald payload specification, common header): type and
/// version, then its origin.
///
/// `type-and-version u8 | country u16 | state u16`, little-endian. The rest depends on the family. Every byte
/// string except the empty one has a header; fields that cannot be interpreted are `unknown`, and the bytes
/// are passed unchanged.
public struct PayloadHeader: Equatable, BitwiseCopyable, Sendable {
  /// The origin of a payload.
  public enum Origin: Equatable, BitwiseCopyable, Sendable {
    /// ISO 3166-1 numeric country code, and the state within it, 0: the whole country.
    case country(UInt16, state: UInt16)
    /// The four bytes that identify the provider of a custom payload (00…07).
    case routingCode(UInt32)
    /// The family has no such field, or is unknown, or the payload is too short.
    case unknown
  }

  /// The first byte unchanged.
  public let typeAndVersion: UInt8
  /// The origin.
  public let origin: Origin

  /// The family of the payload.
  public var family: PayloadFamily { PayloadFamily(typeAndVersion: typeAndVersion) }
  /// The version of the family, 0…7.
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
