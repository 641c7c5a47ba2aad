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
  public internal(set) var end: UInt64
  /// How many readings belong to it.
  public internal(set) var readings: Int

  /// A silence of more than this, in milliseconds, ends a contact: what the device takes for the loss of a peer.
  public static let silence: UInt64 = 15 * 60 * 1000
  /// The most, in milliseconds, that an end may be put off (HP-20).
  public static let longestExtension: UInt64 = 30_000

  private enum Person: Hashable {
    case payload([UInt8])
    case address(TargetIdentity)
  }

  /// The contacts of events in the order of time, in the order in which they began. Readings from before a payload was read belong to it
  /// (HP-45), and addresses that showed the same payload are one (HP-03). What others told of a peer is no contact with it, and prolongs none:
  /// it may be made up. What closes a connection ends no contact. `extension` puts the end off, by 30 seconds at most.
  public static func all(in events: [DatedEvent], extension wanted: UInt64 = 0) -> [ContactPeriod] {
    let added = min(wanted, longestExtension)
    var attribution = PayloadAttribution(events)
    var contacts: [ContactPeriod] = []
    var current: [Person: (place: Int, heard: UInt64)] = [:]
    for event in events where !event.isHearsay {
      let payload = attribution.owner(of: event)
      var isReading = false
      switch event.kind {
      case .detected: break
      case .measured: isReading = true
      case .read, .shared, .heraldDetected, .lost, .visited: continue
      }
      let person = payload.map(Person.payload) ?? .address(event.peer)
      let now = event.unixMilliseconds
      let place: Int
      if let known = current[person], now <= known.heard + silence {
        place = known.place
      } else {
        place = contacts.count
        contacts.append(
          ContactPeriod(peer: event.peer, payload: payload, begin: now, end: now, readings: 0))
      }
      // A clock that was corrected may have gone back.
      current[person] = (place, max(now, current[person]?.heard ?? now))
      guard isReading else { continue }
      contacts[place].readings += 1
      contacts[place].end = max(contacts[place].end, now + added)
    }
    return contacts
  }
}
