import HeraldHAL

/// The payloads of one connection that are to be transmitted, oldest first, for two execution levels.
///
/// The level below the radio interrupt appends payloads, also during an event, and publishes them. The radio
/// interrupt reads the oldest published one and removes it when the peer has acknowledged it. Each member is
/// written by one level only, and an element by the level below only while the radio interrupt does not
/// regard it as published. No access has to be atomic. `publish` is a call of its own: it is made after the
/// interrupt of `procedures` was held off or has returned, so that the compiler does not move the writes of a
/// payload behind it.
struct OutgoingPayloads: BitwiseCopyable {
  /// The number of payloads that wait at most.
  static var capacity: UInt8 { 3 }
  /// Positions are modulo twice the capacity, so that a full queue differs from an empty one.
  private static var period: UInt8 { 2 &* capacity }

  private var payloads: [3 of DataPayload] = .init(repeating: DataPayload())
  /// The position of the oldest. Written by the radio interrupt.
  private var begin = UInt8(0)
  /// The position behind the last published one, and behind the last one. Written by the level below.
  private var published = UInt8(0)
  private var end = UInt8(0)

  /// No payload: all bits are zero.
  init() {}

  private static func index(_ position: UInt8) -> Int {
    Int(position < capacity ? position : position &- capacity)
  }

  private static func distance(_ from: UInt8, _ to: UInt8) -> UInt8 {
    to >= from ? to &- from : to &+ period &- from
  }

  private static func next(_ position: UInt8) -> UInt8 { position &+ 1 == period ? 0 : position &+ 1 }

  // MARK: The level below

  /// The number of payloads that the peer has not acknowledged.
  var count: UInt8 { Self.distance(begin, end) }

  /// Appends a payload without publishing it; `false` if there is no room.
  mutating func append(_ payload: Span<UInt8>, isStart: Bool) -> Bool {
    guard count < Self.capacity else { return false }
    payloads[Self.index(end)].isStart = isStart
    payloads[Self.index(end)].copy(payload)
    end = Self.next(end)
    return true
  }

  /// Lets the radio interrupt transmit the payloads that were appended.
  mutating func publish() { published = end }

  // MARK: The radio interrupt

  /// The number of published payloads.
  var waiting: UInt8 { Self.distance(begin, published) }

  /// The oldest payload.
  var first: DataPayload {
    @inline(__always) mutating get { payloads[Self.index(begin)] }
    @inline(__always) _modify { yield &payloads[Self.index(begin)] }
  }

  /// Removes the oldest payload, which the peer has acknowledged.
  mutating func removeFirst() { begin = Self.next(begin) }
}
