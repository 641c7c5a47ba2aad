import HeraldEmbedded

/// An event of a log in the columns of the database, and back: the names of kinds and what their numbers mean
/// are stated here alone. docs/database.md describes the tables.
struct EventColumns {
  /// What `event.kind` has. A battery level and a visit have tables of their own.
  enum Kind: String, CaseIterable {
    case detected
    case heraldDetected = "herald_detected"
    case lost
    case txPower = "tx_power"
    case read
    case shared
    case message
    case model
    case observed
    case ownCode = "own_code"
    case ownPayload = "own_payload"
    case started
    case restarted
    case dropped
    case clockSet = "clock_set"
    case battery
    case visit
  }

  /// Where the bytes beside an event go.
  enum Bytes {
    /// The event has none.
    case none
    /// Into the column `data`.
    case data
    /// Into the table of payloads.
    case payload
  }

  let kind: Kind
  /// The column `system`.
  private(set) var system: NeighbourSystem?
  /// The column `value`; of a battery level `level`, of a visit `last_seconds_before`.
  private(set) var value: Int64?
  /// Of a battery level `is_external`, of a visit `first_seconds_before`.
  private(set) var second: Int64?

  /// The columns of an event as they were read; `nil` if there is no such kind.
  init?(kind: String, system: String?, value: Int64?, second: Int64?) {
    guard let kind = Kind(rawValue: kind) else { return nil }
    self.kind = kind
    self.system = system.flatMap(NeighbourSystem.init(databaseName:))
    self.value = value
    self.second = second
  }

  /// The columns of an event; `nil` for a reading, which has a table of its own.
  init?(_ event: LogEvent) {
    switch event {
    case .measured: return nil
    case .detected: kind = .detected
    case .heraldDetected: kind = .heraldDetected
    case .lost: kind = .lost
    case .txPower(_, let dBm): (kind, value) = (.txPower, Int64(dBm))
    case .read: kind = .read
    case .shared: kind = .shared
    case .received: kind = .message
    case .model: kind = .model
    case .neighbour(_, let system): (kind, self.system) = (.observed, system)
    case .ownNeighbour(let system): (kind, self.system) = (.ownCode, system)
    case .ownPayload: kind = .ownPayload
    case .started(let reason): (kind, value) = (.started, Int64(reason))
    case .restarted: kind = .restarted
    case .dropped(let count): (kind, value) = (.dropped, Int64(count))
    case .clockSet(let unixMilliseconds, _):
      (kind, value) = (.clockSet, Int64(clamping: unixMilliseconds))
    case .battery(let level, let isExternal):
      (kind, value, second) = (.battery, Int64(level), isExternal ? 1 : 0)
    case .visited(_, let first, let last): (kind, value, second) = (.visit, Int64(last), Int64(first))
    }
  }

  /// Where the bytes beside the event go.
  var bytes: Bytes {
    switch kind {
    case .read, .ownPayload: .payload
    case .shared, .message, .model, .observed, .ownCode, .restarted: .data
    case .detected, .heraldDetected, .lost, .txPower, .started, .dropped, .clockSet, .battery, .visit: .none
    }
  }

  /// The event that these columns came from; `nil` if a peer or a system is missing, or a number is out of
  /// the range of the event. The database does not keep who set a clock.
  func event(of peer: TargetIdentity?) -> LogEvent? {
    switch kind {
    case .detected: return peer.map { .detected($0) }
    case .heraldDetected: return peer.map { .heraldDetected($0) }
    case .lost: return peer.map { .lost($0) }
    case .txPower:
      guard let peer, let dBm = value.flatMap(Int8.init(exactly:)) else { return nil }
      return .txPower(peer, dBm)
    case .read: return peer.map { .read($0) }
    case .shared: return peer.map { .shared($0) }
    case .message: return peer.map { .received($0) }
    case .model: return peer.map { .model($0) }
    case .observed:
      guard let peer, let system else { return nil }
      return .neighbour(peer, system)
    case .ownCode: return system.map { .ownNeighbour($0) }
    case .ownPayload: return .ownPayload
    case .started: return value.flatMap(UInt8.init(exactly:)).map { .started(reason: $0) }
    case .restarted: return .restarted
    case .dropped: return value.flatMap(UInt32.init(exactly:)).map { .dropped(count: $0) }
    case .clockSet:
      return value.flatMap(UInt64.init(exactly:)).map { .clockSet(unixMilliseconds: $0, source: .unset) }
    case .battery:
      guard let level = value.flatMap(UInt8.init(exactly:)), let second else { return nil }
      return .battery(level: level, external: second != 0)
    case .visit:
      guard let peer, let first = second.flatMap(UInt32.init(exactly:)),
        let last = value.flatMap(UInt32.init(exactly:))
      else { return nil }
      return .visited(peer, firstHeard: first, lastHeard: last)
    }
  }
}

extension LogEvent {
  /// The peer of the event, if it has one.
  var peer: TargetIdentity? {
    switch self {
    case .detected(let peer), .measured(let peer, _), .read(let peer), .shared(let peer),
      .heraldDetected(let peer), .lost(let peer), .txPower(let peer, _), .received(let peer),
      .model(let peer), .neighbour(let peer, _), .visited(let peer, _, _):
      peer
    case .ownNeighbour, .ownPayload, .battery, .started, .restarted, .clockSet, .dropped: nil
    }
  }
}
