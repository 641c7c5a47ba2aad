import HeraldHAL

/// The received payloads of all connections, oldest first, for two execution levels.
///
/// The radio interrupt appends payloads. The level below takes them, also during an event, and releases their
/// slots. Each member is written by one level only, and the radio interrupt writes an element only after its
/// slot was released. `release` is a call of its own for the reason stated at `OutgoingPayloads`.
struct IncomingPayloads: BitwiseCopyable {
  /// The number of payloads that are stored at most.
  static var capacity: UInt8 { 6 }
  private static var period: UInt8 { 2 &* capacity }

  private var payloads: [6 of DataPayload] = .init(repeating: DataPayload())
  /// The position behind the last payload. Written by the radio interrupt.
  private var end = UInt8(0)
  /// The position of the oldest one that was not taken, and of the oldest whose slot was not released.
  /// Written by the level below.
  private var taken = UInt8(0)
  private var released = UInt8(0)

  /// No payload: all bits are zero.
  init() {}

  private static func index(_ position: UInt8) -> Int {
    Int(position < capacity ? position : position &- capacity)
  }

  private static func next(_ position: UInt8) -> UInt8 { position &+ 1 == period ? 0 : position &+ 1 }

  // MARK: The radio interrupt

  /// Whether there is no room for another payload.
  var isFull: Bool { (end >= released ? end &- released : end &+ Self.period &- released) >= Self.capacity }

  /// Appends the payload behind the header of `pdu`. There is room for it.
  mutating func append(_ pdu: Span<UInt8>, isStart: Bool, of connection: UInt8) {
    let index = Self.index(end)
    payloads[index].connection = connection
    payloads[index].isStart = isStart
    payloads[index].copy(pdu, from: 2)
    end = Self.next(end)
  }

  // MARK: The level below

  /// Whether there is no payload that was not taken.
  var isEmpty: Bool { taken == end }

  /// Returns the oldest payload, without releasing its slot; `nil` if there is none.
  mutating func take() -> DataPayload? {
    guard !isEmpty else { return nil }
    let payload = payloads[Self.index(taken)]
    taken = Self.next(taken)
    return payload
  }

  /// Releases the slots of the payloads that were taken.
  mutating func release() { released = taken }

  /// Discards all payloads. No event is in progress.
  mutating func removeAll() {
    taken = end
    released = end
  }
}
