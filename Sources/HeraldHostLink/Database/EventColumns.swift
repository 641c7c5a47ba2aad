import HeraldEmbedded

/// Converts an event of the log to columns of the database and back. The names of the kinds and the meaning
/// of their numbers are defined only here. docs/archive.md describes the tables.
struct EventColumns {
  /// The values of `event.kind`. Battery levels and visits have their own tables.
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
    case motion
    case battery
    case visit
  }

  /// Where the bytes of an event are stored.
  enum Bytes {
    /// The event has no bytes.
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

  /// The columns of an event as read; `nil` if the kind is unknown.
  init?(kind: String, system: String?, value: Int64?, second: Int64?) {
    guard let kind = Kind(rawValue: kind) else { return nil }
    self.kind = kind
    self.system = system.flatMap(NeighbourSystem.init(databaseName:))
    self.value = value
    self.second = second
  }

  /// The columns of an event; `nil` for a reading, which has its own table.
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
    case .motion(let state): (kind, value) = (.motion, Int64(state.rawValue))
    case .battery(let level, let isExternal):
      (kind, value, second) = (.battery, Int64(level), isExternal ? 1 : 0)
    case .visited(_, let first, let last): (kind, value, second) = (.visit, Int64(last), Int64(first))
    }
  }

  /// Where the bytes of the event are stored.
  var bytes: Bytes {
    switch kind {
    case .read, .ownPayload: .payload
    case .shared, .message, .model, .observed, .ownCode, .restarted: .data
    case .detected, .heraldDetected, .lost, .txPower, .started, .dropped, .clockSet, .motion, .battery,
      .visit:
      .none
    }
  }

  /// The event that these columns represent; `nil` if a peer or a system is missing, or a number is out of
  /// range. The database does not store the source of a clock setting.
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
    case .motion:
      return value.flatMap(UInt8.init(exactly:)).flatMap(MotionState.init).map { .motion($0) }
    case .battery:
      guard let level = value.flatMap(UInt8.init(exactly:)), let second else { return nil }
      return .battery(level: level, external: second != 0)
    case .visit:
      guard let peer, let first = second.flatMap(UInt32.init(exactly:)),
        let last = value.flatMap(UInt32.init(exactly:))
      else { return nil }
      return .visited(peer, firstReceived: first, lastReceived: last)
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
    case .ownNeighbour, .ownPayload, .motion, .battery, .started, .restarted, .clockSet, .dropped: nil
    }
  }
}
