import HeraldEmbedded
import HeraldText

/// The decoded fields of a payload, as far as its family is known.
public struct PayloadDescription: Equatable, Encodable, Sendable {
  /// The family in lower case; `unknown` for undefined values.
  public let family: String
  /// The version within the family, 0…7.
  public let version: Int
  /// ISO 3166-1 numeric country code, of families that have it.
  public private(set) var country: Int?
  /// The state within the country, 0 for all of it.
  public private(set) var state: Int?
  /// A venue's number.
  public private(set) var venueCode: Int?
  /// The name of a venue's premises, sanitised for display.
  public private(set) var premises: String?

  /// Decodes a payload; `nil` if it is empty.
  public init?(_ payload: [UInt8]) {
    guard let header = PayloadHeader(payload.span) else { return nil }
    family = Self.name(header.family)
    version = Int(header.version)
    if case .country(let country, let state) = header.origin {
      self.country = Int(country)
      self.state = Int(state)
    }
    guard let venue = VenuePayload(payload.span) else { return }
    venueCode = Int(venue.code)
    guard let name = venue.premisesName else { return }
    var bytes: [UInt8] = []
    for index in 0..<name.count { bytes.append(name[index]) }
    premises = PrintableText.of(String(decoding: bytes, as: UTF8.self), limit: 255)
  }

  /// The family; for a venue also country, state, number and the name, truncated for tables.
  public var text: String {
    guard let country, let state, let venueCode else { return family }
    let venue = "\(family) \(country)/\(state)/\(venueCode)"
    return premises.map { "\(venue) \(PrintableText.of($0, limit: 40))" } ?? venue
  }

  private static func name(_ family: PayloadFamily) -> String {
    switch family {
    case .custom, .customWithCountry: "custom"
    case .simple: "simple"
    case .secured: "secured"
    case .venueBeacon: "venue"
    case .exposureNotification: "exposure-notification"
    case .robert: "robert"
    case .blueTrace: "bluetrace"
    case .dp3t: "dp3t"
    case .pact: "pact"
    case .unknown: "unknown"
    }
  }
}
