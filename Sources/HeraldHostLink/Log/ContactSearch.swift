/// Finds contacts in what was heard, sign after sign in the order of time. Peers and payloads are whatever tells them apart: their bytes, or
/// the numbers they have in a database.
///
/// Readings from before a payload was read belong to it (HP-45), and addresses that showed the same payload are one (HP-03). What closes a
/// connection ends no contact. What others told of a peer is no contact with it, and is not to be told here: it may be made up.
struct ContactSearch<Peer: Hashable, Payload: Hashable> {
  /// A contact; see `ContactPeriod`.
  struct Contact {
    let peer: Peer
    let payload: Payload?
    let begin: UInt64
    var end: UInt64
    var readings: Int
  }

  private enum Person: Hashable {
    case payload(Payload)
    case address(Peer)
  }

  /// Those found so far, in the order in which they began.
  private(set) var contacts: [Contact] = []
  private var attribution: PayloadAttribution<Peer, Payload>
  private var current: [Person: (place: Int, heard: UInt64)] = [:]
  private let added: UInt64

  /// Begins. `attribution` knows the first payload of every peer; `added` puts every end off by so many milliseconds.
  init(_ attribution: PayloadAttribution<Peer, Payload>, added: UInt64 = 0) {
    self.attribution = attribution
    self.added = added
  }

  /// A payload was read.
  mutating func read(_ payload: Payload, of peer: Peer) { attribution.read(payload, of: peer) }

  /// A peer was detected, or its strength measured, at a moment in milliseconds.
  mutating func heard(_ peer: Peer, at now: UInt64, isReading: Bool) {
    let payload = attribution.owner(of: peer)
    let person = payload.map(Person.payload) ?? .address(peer)
    let known = current[person]
    let place: Int
    if let known, now <= known.heard + ContactPeriod.silence {
      place = known.place
    } else {
      place = contacts.count
      contacts.append(Contact(peer: peer, payload: payload, begin: now, end: now, readings: 0))
    }
    // A clock that was corrected may have gone back.
    current[person] = (place, max(now, known?.heard ?? now))
    guard isReading else { return }
    contacts[place].readings += 1
    contacts[place].end = max(contacts[place].end, now + added)
  }
}
