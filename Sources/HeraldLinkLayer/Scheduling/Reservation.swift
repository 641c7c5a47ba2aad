import HeraldHAL

/// A request for time without radio events, and whether it was granted.
///
/// It belongs to the level of `procedures`. The loop accesses it with `procedures` held off.
struct Reservation: BitwiseCopyable {
  /// The state of a reservation.
  enum State: UInt8, BitwiseCopyable {
    /// There is no request.
    case none = 0
    /// A request waits for a sufficient interval between two events.
    case waiting = 1
    /// No event is started until the end of the reservation.
    case granted = 2
  }

  /// The waiting time in microseconds after which connection events are skipped.
  static var patience: UInt32 { 20_000 }
  /// The waiting time in microseconds after which the operation is not delayed further.
  static var limit: UInt32 { 40_000 }

  private(set) var state = State.none
  private var requested = RadioTime(microseconds: 0)
  /// The time from the grant to the earliest start of an event, in microseconds.
  private(set) var length: UInt32 = 0

  /// No request: all bits are zero.
  init() {}

  /// A request made at `now`.
  init(of length: UInt32, at now: RadioTime) {
    state = .waiting
    requested = now
    self.length = length
  }

  /// Whether the request has waited longer than `patience`.
  func isOverdue(at now: RadioTime) -> Bool { now.since(requested) > Self.patience }

  /// Ends a request that has waited for `limit`; returns whether there is none that waits.
  mutating func isSettled(at now: RadioTime) -> Bool {
    if state == .waiting, now.since(requested) > Self.limit { state = .none }
    return state != .waiting
  }

  /// Grants the request if no connection event begins within its time. An overdue request is granted at the
  /// expense of events of connections that can miss them. Returns whether it is granted.
  mutating func grant<let connections: Int>(
    at now: RadioTime, _ table: inout LinkLayerConnectionTable<connections>
  )
    -> Bool
  {
    guard table.makesRoom(until: now + length, skips: isOverdue(at: now)) else { return false }
    state = .granted
    return true
  }
}
