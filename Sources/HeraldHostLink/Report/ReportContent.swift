import HeraldEmbedded
import HeraldText

/// Somebody who was met, as a report shows them.
struct ReportPerson {
  /// By what people know them: a venue's name, the short form of the payload, or the address.
  let name: String
  /// What kind of payload it was; empty if none was read.
  let kind: String
  fileprivate(set) var contacts: [ContactPeriod] = []
  fileprivate(set) var readings: [(date: UInt64, rssi: Int)] = []

  /// How long all contacts took together, in milliseconds.
  var total: UInt64 { contacts.reduce(0) { $0 + ($1.end - $1.begin) } }

  fileprivate init(name: String, kind: String) {
    self.name = name
    self.kind = kind
  }
}

/// A time without any record between two that there are, milliseconds since 1970-01-01T00:00:00Z.
struct ReportGap: Equatable {
  let begin: UInt64
  let end: UInt64
}

/// What a report shows, found in a log.
struct ReportContent {
  /// A time without a record is shown when it is longer than this, in milliseconds: what ends a contact, too.
  static let gap = ContactPeriod.silence

  /// Those who were met, the longest first.
  private(set) var people: [ReportPerson] = []
  private(set) var gaps: [ReportGap] = []
  private(set) var hours: [(begin: UInt64, readings: Int)] = []
  /// The first and the last moment of the log; both 0 if nothing in it has a date.
  private(set) var begin: UInt64 = 0
  private(set) var end: UInt64 = 0
  private(set) var readings = 0

  private enum Key: Hashable {
    case payload([UInt8])
    case address(TargetIdentity)
  }

  init(_ log: LogConversion) {
    var places: [Key: Int] = [:]
    func key(_ payload: [UInt8]?, _ peer: TargetIdentity) -> Key {
      payload.map(Key.payload) ?? .address(peer)
    }
    for contact in ContactPeriod.all(in: log.events) {
      let key = key(contact.payload, contact.peer)
      let place = places[key, default: people.count]
      if place == people.count {
        places[key] = place
        people.append(Self.person(contact))
      }
      people[place].contacts.append(contact)
    }
    var attribution = PayloadAttribution(log.events)
    var perHour: [UInt64: Int] = [:]
    for event in log.events where !event.isHearsay {
      let payload = attribution.owner(of: event)
      guard case .measured(let rssi, _) = event.kind else { continue }
      readings += 1
      perHour[event.unixMilliseconds / 3_600_000, default: 0] += 1
      guard let place = places[key(payload, event.peer)] else { continue }
      people[place].readings.append((event.unixMilliseconds, rssi))
    }
    hours = perHour.sorted { $0.key < $1.key }.map { ($0.key * 3_600_000, $0.value) }
    people.sort { ($1.total, $1.readings.count, $0.name) < ($0.total, $0.readings.count, $1.name) }
    findGaps(log)
  }

  private mutating func findGaps(_ log: LogConversion) {
    let moments =
      (log.events.map(\.unixMilliseconds) + log.batteries.map(\.unixMilliseconds)
      + log.bytes.map(\.unixMilliseconds)
      + log.restarts.compactMap(\.unixMilliseconds)).sorted()
    guard let first = moments.first, let last = moments.last else { return }
    begin = first
    end = last
    for (before, after) in zip(moments, moments.dropFirst()) where after - before > Self.gap {
      gaps.append(ReportGap(begin: before, end: after))
    }
  }

  private static func person(_ contact: ContactPeriod) -> ReportPerson {
    guard let payload = contact.payload else {
      return ReportPerson(name: contact.peer.addressText, kind: "")
    }
    let description = PayloadDescription(payload)
    if let premises = description?.premises, !premises.isEmpty {
      return ReportPerson(name: PrintableText.of(premises, limit: 24), kind: description?.family ?? "")
    }
    return ReportPerson(name: ShortPayload.text(payload), kind: description?.family ?? "")
  }
}

/// Times in words.
enum ReportWords {
  /// How long so many milliseconds are.
  static func duration(_ milliseconds: UInt64) -> String { DurationText.of(seconds: milliseconds / 1000) }

  /// From when to when, in UTC, and for how long.
  static func span(_ begin: UInt64, _ end: UInt64) -> String {
    "\(UTCTimestamp.seconds(begin)) to \(UTCTimestamp.seconds(end)) (\(duration(end - begin)))"
  }
}
