/// A scheduled event on the medium.
struct AirEvent {
  enum Kind: UInt8 {
    /// An advertising event begins at a station.
    case advertise
    /// A packet on an advertising channel ends.
    case advertisement
    /// The connection requests to one advertisement end.
    case connectRequests
    /// A connection event begins.
    case connection
    /// A station is to be polled.
    case poll
    /// A delayed scan command of a station takes effect.
    case listen
  }

  /// The time in microseconds.
  var time: UInt64
  /// Order among events at the same time, ascending, so that runs are reproducible.
  var order: UInt32
  var kind: Kind
  /// The channel of an advertisement.
  var channel: UInt8
  /// The index of the station, the requests or the connection.
  var index: Int32
  /// Must be equal to the token of the station or connection; otherwise the event is void.
  var token: UInt32

  @inline(__always)
  static func < (left: AirEvent, right: AirEvent) -> Bool {
    left.time < right.time || (left.time == right.time && left.order < right.order)
  }
}

/// The scheduled events in order of time: a binary heap.
struct AirQueue: ~Copyable {
  private var events: UnsafeMutablePointer<AirEvent>
  private var capacity: Int
  private var count = 0
  private var order: UInt32 = 0

  init() {
    capacity = 1024
    events = .allocate(capacity: capacity)
  }

  deinit { events.deallocate() }

  /// The time of the next event; the maximum value if there is none.
  var nextTime: UInt64 { count > 0 ? events[0].time : .max }

  /// Adds an event after those of the same time.
  mutating func add(_ event: consuming AirEvent) {
    if count == capacity { grow() }
    event.order = order
    order &+= 1
    var index = count
    count += 1
    while index > 0 {
      let parent = (index - 1) / 2
      guard event < events[parent] else { break }
      events[index] = events[parent]
      index = parent
    }
    events[index] = event
  }

  /// Removes the earliest event. The queue must not be empty.
  mutating func takeNext() -> AirEvent {
    let first = events[0]
    count -= 1
    let last = events[count]
    var index = 0
    while true {
      var child = 2 * index + 1
      guard child < count else { break }
      if child + 1 < count, events[child + 1] < events[child] { child += 1 }
      guard events[child] < last else { break }
      events[index] = events[child]
      index = child
    }
    events[index] = last
    return first
  }

  private mutating func grow() {
    let larger = UnsafeMutablePointer<AirEvent>.allocate(capacity: capacity * 2)
    larger.moveInitialize(from: events, count: count)
    events.deallocate()
    events = larger
    capacity *= 2
  }
}
