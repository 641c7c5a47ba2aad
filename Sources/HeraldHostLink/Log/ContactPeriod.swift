import HeraldEmbedded

/// A contact: how long somebody was near, from the first detection (HP-18) to the last reading (HP-19).
public struct ContactPeriod: Equatable, Sendable {
  /// Under what it was met first.
  public let peer: TargetIdentity
  /// Whom; `nil` if no payload was read.
  public let payload: [UInt8]?
  /// The first detection or reading, milliseconds since 1970-01-01T00:00:00Z.
  public let begin: UInt64
  /// The last reading, and the extension if one was asked for, milliseconds since 1970-01-01T00:00:00Z.
  public let end: UInt64
  /// How many readings belong to it.
  public let readings: Int

  /// A silence of more than this, in milliseconds, ends a contact: what the device takes for the loss of a peer.
  public static let silence: UInt64 = 15 * 60 * 1000
  /// The most, in milliseconds, that an end may be put off (HP-20).
  public static let longestExtension: UInt64 = 30_000

  /// The contacts of events in the order of time, in the order in which they began. Readings from before a payload was read belong to it
  /// (HP-45), and addresses that showed the same payload are one (HP-03). What others told of a peer is no contact with it, and prolongs none:
  /// it may be made up. What closes a connection ends no contact. `extension` puts the end off, by 30 seconds at most.
  public static func all(in events: [DatedEvent], extension wanted: UInt64 = 0) -> [ContactPeriod] {
    var search = ContactSearch(PayloadAttribution(events), added: min(wanted, longestExtension))
    for event in events where !event.isHearsay {
      switch event.kind {
      case .detected: search.heard(event.peer, at: event.unixMilliseconds, isReading: false)
      case .measured: search.heard(event.peer, at: event.unixMilliseconds, isReading: true)
      case .read(let payload): search.read(payload, of: event.peer)
      case .shared, .heraldDetected, .lost, .visited: break
      }
    }
    return search.contacts.map {
      ContactPeriod(peer: $0.peer, payload: $0.payload, begin: $0.begin, end: $0.end, readings: $0.readings)
    }
  }
}
