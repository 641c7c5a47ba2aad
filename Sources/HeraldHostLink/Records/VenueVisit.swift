import HeraldEmbedded

/// A stay near a venue beacon, with dates (HP-51).
public struct VenueVisit: Equatable, Sendable {
  /// The first reception of the beacon, in milliseconds since 1970-01-01T00:00:00Z.
  public let first: UInt64
  /// The last reception of the beacon, in milliseconds since 1970-01-01T00:00:00Z.
  public let last: UInt64
  /// The identity of the beacon.
  public let beacon: TargetIdentity
  /// The payload of the venue; empty if the stored pages do not contain it.
  public let payload: [UInt8]

  /// Initialises each member.
  public init(first: UInt64, last: UInt64, beacon: TargetIdentity, payload: [UInt8]) {
    self.first = first
    self.last = last
    self.beacon = beacon
    self.payload = payload
  }

  /// The description of the venue from the payload; `nil` if the payload is missing, or of an unknown
  /// version.
  public var venue: PayloadDescription? {
    guard let description = PayloadDescription(payload), description.venueCode != nil else { return nil }
    return description
  }

  /// The name of the venue for display: its name, else its numbers, else the beacon's address.
  public var place: String {
    guard let venue else { return beacon.addressText }
    if let name = venue.premises, !name.isEmpty { return name }
    return "\(venue.country ?? 0)/\(venue.state ?? 0)/\(venue.venueCode ?? 0)"
  }
}
