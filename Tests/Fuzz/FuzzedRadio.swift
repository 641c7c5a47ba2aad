import HeraldHAL

/// A radio whose outcomes are what the input says, at times that make sense; it holds the link layer to the
/// order of calls.
struct FuzzedRadio: RadioPeripheral, ~Copyable {
  enum State { case idle, busy, asking }

  static var leadTime: UInt32 { 200 }
  static var planningTime: UInt32 { 150 }
  static var transmitRampUp: UInt32 { 140 }
  static var receiveRampUp: UInt32 { 138 }
  var clockDeviation: UInt16 { 50 }
  private let air: Air

  /// What the link layer has no way to.
  final class Air {
    var time = RadioTime(microseconds: 0xFFFF_0000)
    var state = State.idle
    var operation: RadioOperation?
    var outcome: RadioOutcome?
    var incomingCount = 0
    let incoming = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: 39)
    let outgoing = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: 39)

    init() {
      incoming.initialize(repeating: 0)
      outgoing.initialize(repeating: 0)
    }

    deinit {
      incoming.deallocate()
      outgoing.deallocate()
    }

    /// The operation ends as the record says: the first byte is the kind and what passes of time, the others
    /// the PDU that was received.
    func pass(_ record: Span<UInt8>, _ operation: RadioOperation) {
      let kinds: [RadioOutcome.Kind] = [.sent, .received, .damaged, .silent, .late]
      let kind = kinds[Int(record[0]) % kinds.count]
      let begin = operation.start.isBefore(time) ? time + 150 : operation.start
      let start = begin + UInt32(record[0] >> 3) * 16
      let count = min(record.count - 1, 39)
      if kind == .received {
        for index in 0..<count { incoming[index] = record[index + 1] }
        incomingCount = count
      }
      let end = start + 8 * (8 + UInt32(count))
      time = end + 5
      outcome = RadioOutcome(kind, start: start, end: end, rssi: -60)
      state = .asking
    }
  }

  init(_ air: Air) {
    self.air = air
    outgoingBytes = air.outgoing
    incomingBytes = air.incoming
  }

  private let outgoingBytes: UnsafeMutableBufferPointer<UInt8>
  private let incomingBytes: UnsafeMutableBufferPointer<UInt8>

  mutating func now() -> RadioTime { air.time }
  mutating func crystalTime() -> UInt32 { air.time.microseconds }
  mutating func start(_ operation: RadioOperation) {
    if air.state != .idle { broken("an operation was begun while another was under way") }
    if operation.channel > 39 { broken("there is no such channel") }
    air.operation = operation
    air.state = .busy
  }
  mutating func cancel() -> Bool {
    guard air.state == .busy else { return false }
    air.state = .idle
    return true
  }
  mutating func takeOutcome() -> RadioOutcome? {
    defer { air.outcome = nil }
    return air.outcome
  }
  mutating func proceed(_ step: RadioStep) {
    if air.state != .asking { broken("a step without an outcome") }
    if step == .receiveAgain, air.operation?.kind != .receive { broken("nothing to go on with") }
    if step == .transmitAfterSpace, air.outgoing[1] > 37 { broken("a PDU longer than any") }
    air.state = step == .stop ? .idle : .busy
  }
  @_lifetime(&self)
  mutating func outgoing() -> MutableSpan<UInt8> {
    unsafe _overrideLifetime(MutableSpan(_unsafeElements: outgoingBytes), mutating: &self)
  }
  @_lifetime(&self)
  mutating func incoming() -> Span<UInt8> {
    let bytes = unsafe UnsafeBufferPointer(incomingBytes).extracting(..<air.incomingCount)
    return unsafe _overrideLifetime(Span(_unsafeElements: bytes), mutating: &self)
  }
}
