/// Something that is going to happen on the air.
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
    /// A station wants to be polled.
    case poll
  }

  /// When, in microseconds.
  var time: UInt64
  /// Earlier numbers first among events at the same time, which makes the order the same in every run.
  var order: UInt32
  var kind: Kind
  /// The channel of an advertisement.
  var channel: UInt8
  /// The station, the requests or the line.
  var index: Int32
  /// Must be that of the station or line, or the event is out of date.
  var token: UInt32

  @inline(__always)
  static func < (left: AirEvent, right: AirEvent) -> Bool {
    left.time < right.time || (left.time == right.time && left.order < right.order)
  }
}

/// What is going to happen, the earliest first: a binary heap.
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

  /// When the next event is; the largest value if there is none.
  var nextTime: UInt64 { count > 0 ? events[0].time : .max }

  /// Adds an event behind those of the same time.
  mutating func add(_ event: consuming AirEvent) {
    if count == capacity { grow() }
    event.order = order
    order &+= 1
    var place = count
    count += 1
    while place > 0 {
      let parent = (place - 1) / 2
      guard event < events[parent] else { break }
      events[place] = events[parent]
      place = parent
    }
    events[place] = event
  }

  /// Takes the earliest event out. There must be one.
  mutating func takeNext() -> AirEvent {
    let first = events[0]
    count -= 1
    let last = events[count]
    var place = 0
    while true {
      var child = 2 * place + 1
      guard child < count else { break }
      if child + 1 < count, events[child + 1] < events[child] { child += 1 }
      guard events[child] < last else { break }
      events[place] = events[child]
      place = child
    }
    events[place] = last
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
