import HeraldEmbedded

/// Whose an event is: what was heard of an address belongs to the payload last read there, or, before any was, to the first that
/// was read there later (HP-45). Addresses that showed the same payload are one person (HP-03).
struct PayloadAttribution<Peer: Hashable, Payload: Hashable> {
  private var payloads: [Peer: Payload] = [:]

  /// Nothing read yet.
  init() {}

  /// Takes a payload that will be read of a peer. Only the first counts.
  mutating func willRead(_ payload: Payload, of peer: Peer) {
    if payloads[peer] == nil { payloads[peer] = payload }
  }

  /// Takes a payload that was read, in the order of time.
  mutating func read(_ payload: Payload, of peer: Peer) { payloads[peer] = payload }

  /// The payload that what is heard of a peer now belongs to; `nil` if none was ever read there.
  func owner(of peer: Peer) -> Payload? { payloads[peer] }
}

extension PayloadAttribution<TargetIdentity, [UInt8]> {
  /// Looks through events in the order of time for the first payload of each address.
  init(_ events: [DatedEvent]) {
    self.init()
    for event in events {
      if case .read(let payload) = event.kind { willRead(payload, of: event.peer) }
    }
  }

  /// The payload that the next event, in the order of time, belongs to; `nil` if none was ever read there.
  mutating func owner(of event: DatedEvent) -> [UInt8]? {
    if case .read(let payload) = event.kind { read(payload, of: event.peer) }
    return owner(of: event.peer)
  }
}
