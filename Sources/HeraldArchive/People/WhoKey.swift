import HeraldEmbedded
import HeraldHostLink
import HeraldText

/// Whom a row is about: a person if the operator has said who wears the device, otherwise the device, the
/// payload, or the address, in this order.
enum WhoKey: Hashable, Sendable {
  /// A person of `people.csv`, by name.
  case person(String)
  /// A device of the archive, by its serial number, to which no person is assigned at that time.
  case device(String)
  /// A device of the archive that nobody wears at that time, by its serial number, and the person to whom it
  /// is assigned at that time, or the only one to whom it ever is.
  case unworn(String, String?)
  /// A payload that no device of the archive sends: usually a phone, or a venue beacon.
  case payload([UInt8])
  /// An address from which no payload was read.
  case address(TargetIdentity)

  /// The value of the column `kind`.
  var kind: String {
    switch self {
    case .person: "person"
    case .device: "device"
    case .unworn: "unworn"
    case .payload(let bytes): isVenue(bytes) ? "place" : "payload"
    case .address: "address"
    }
  }

  /// The value of the column `key`, which is unique within the kind.
  var key: String {
    switch self {
    case .person(let name): name
    case .device(let serial): serial
    case .unworn(let serial, let person): person.map { "\(serial) \($0)" } ?? serial
    case .payload(let bytes): bytes.hexadecimal
    case .address(let identity): "\(Self.word(identity.kind)) \(identity.addressText)"
    }
  }

  /// The value of the column `label`: what people read.
  var label: String {
    switch self {
    case .person(let name): name
    case .device(let serial): serial
    case .unworn(let serial, let person): person ?? serial
    case .payload(let bytes):
      isVenue(bytes) ? PayloadDescription(bytes)?.text ?? key : ShortPayload.text(bytes)
    case .address(let identity): identity.addressText
    }
  }

  /// What stands in tables of readings as the observer, which have no kind: the label, but the serial number
  /// of a badge that nobody wears, which observes for nobody.
  var observer: String {
    if case .unworn(let serial, _) = self { serial } else { label }
  }

  /// The person by whose name the row is known, if any.
  var person: String? {
    switch self {
    case .person(let name): name
    case .unworn(_, let name): name
    case .device, .payload, .address: nil
    }
  }

  private func isVenue(_ bytes: [UInt8]) -> Bool { PayloadDescription(bytes)?.family == "venue" }

  static func word(_ kind: TargetIdentity.Kind) -> String {
    switch kind {
    case .publicAddress: "public"
    case .randomAddress: "random"
    case .pseudoAddress: "pseudo"
    case .shared: "shared"
    }
  }
}

/// Who wore a device when.
package struct Assignments: Sendable {
  struct Entry: Equatable, Sendable {
    let person: String
    /// The first and the last millisecond.
    let from: Int64
    let to: Int64
  }

  private(set) var bySerial: [String: [Entry]] = [:]

  /// Nobody wears a device.
  package init() {}

  mutating func add(_ entry: Entry, serial: String) {
    var list = bySerial[serial, default: []]
    list.append(entry)
    list.sort { $0.from < $1.from }
    bySerial[serial] = list
  }

  /// The person to whom a device is assigned, if it is never assigned to another one.
  func onlyPerson(ofSerial serial: String) -> String? {
    guard let entries = bySerial[serial], let first = entries.first,
      entries.allSatisfy({ $0.person == first.person })
    else { return nil }
    return first.person
  }

  /// Who a device stands for at a date, and from when to when it does.
  func who(ofSerial serial: String, at date: Int64) -> (key: WhoKey, valid: ClosedRange<Int64>) {
    var from = Int64.min
    var to = Int64.max
    for entry in bySerial[serial] ?? [] {
      if entry.from <= date, date <= entry.to {
        return (.person(entry.person), entry.from...entry.to)
      }
      if entry.to < date { from = max(from, entry.to + 1) }
      if entry.from > date { to = min(to, entry.from - 1) }
    }
    return (.device(serial), from...to)
  }
}
