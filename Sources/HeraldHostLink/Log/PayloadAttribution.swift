import HeraldEmbedded

/// Whose an event is: what was heard of an address belongs to the payload last read there, or, before any was, to the first that
/// was read there later (HP-45). Addresses that showed the same payload are one person (HP-03).
struct PayloadAttribution {
  private var payloads: [TargetIdentity: [UInt8]] = [:]

  /// Looks through events in the order of time for the first payload of each address.
  init(_ events: [DatedEvent]) {
    for event in events {
      if case .read(let payload) = event.kind, payloads[event.peer] == nil { payloads[event.peer] = payload }
    }
  }

  /// The payload that the next event, in the order of time, belongs to; `nil` if none was ever read there.
  mutating func owner(of event: DatedEvent) -> [UInt8]? {
    switch event.kind {
    case .read(let payload):
      payloads[event.peer] = payload
      return payload
    default: return payloads[event.peer]
    }
  }
}
