import HeraldHAL

// Sending: L2CAP PDUs are sent as fragments (Vol 3, Part A, 7.2.1).
extension L2CAPConnection {
  /// A fragment to be sent: `count` bytes from `start` of the slot's buffer.
  package struct Fragment: BitwiseCopyable {
    package let start: Int
    /// The number of its bytes.
    package let count: Int
    /// Whether it is the first of its PDU.
    package let isStart: Bool

    init(start: Int, count: Int, isStart: Bool) {
      self.start = start
      self.count = count
      self.isStart = isStart
    }
  }

  /// Whether anything waits to be sent.
  package var hasOutgoing: Bool { control.isOwed || slots[0].isSending || slots[1].isSending }

  /// Whether a PDU has been sent in part: no other may be sent between its fragments.
  private var isMidPDU: Bool {
    (slots[0].isSending && slots[0].done > 0) || (slots[1].isSending && slots[1].done > 0)
  }

  /// Whether the response on a control channel is sent next.
  package var sendsControlNext: Bool { control.isOwed && !isMidPDU }

  /// The slot for a PDU of this host, −1 if the one before has not been sent or no buffer is free.
  /// `hasSpare`: no other connection uses the buffer of slot 1.
  /// `isWaiting`: the lower layer holds fragments of this connection.
  package func slotToSend(hasSpare: Bool, isWaiting: Bool) -> Int {
    if slots[0].use == .request || slots[1].use == .request { return -1 }
    let isSpareFree = hasSpare && slots[1].use == .free
    // A peer that accepts nothing at present must not block the shared buffer for others.
    if slots[0].use == .free, isWaiting || !isSpareFree { return 0 }
    return isSpareFree ? 1 : -1
  }

  /// Queues a PDU of this host.
  @inline(never)
  package mutating func send(_ pdu: Span<UInt8>, _ slot: Int, in buffer: inout L2CAPBuffer) {
    for index in 0..<pdu.count { buffer.bytes[L2CAPBuffer.attribute &+ index] = pdu[index] }
    queue(slot, as: .request, count: pdu.count, in: &buffer)
    if Self.isRequest(buffer.bytes[L2CAPBuffer.attribute]) { awaitsAnswer = true }
  }

  /// Writes an L2CAP header in front of `count` bytes and queues them.
  @inline(never)
  mutating func queue(_ slot: Int, as use: Use, count: Int, in buffer: inout L2CAPBuffer) {
    let base = L2CAPBuffer.start
    buffer.bytes[base] = UInt8(truncatingIfNeeded: count)
    buffer.bytes[base &+ 1] = 0
    buffer.bytes[base &+ 2] = UInt8(truncatingIfNeeded: ChannelID.attribute)
    buffer.bytes[base &+ 3] = 0
    let length = UInt8(truncatingIfNeeded: count &+ Self.headerSize)
    slots[slot] = Slot(use: use, length: length, done: 0)
    if !slots[1 &- slot].isSending { firstToSend = UInt8(truncatingIfNeeded: slot) }
  }

  /// The slot that sends next, −1 if there is nothing to send.
  package var nextToSend: Int {
    let first = Int(firstToSend & 1)
    if slots[first].isSending { return first }
    return slots[1 &- first].isSending ? 1 &- first : -1
  }

  /// The next fragment of at most `limit` bytes of a slot that sends.
  @inline(never)
  package func nextFragment(_ slot: Int, limit: Int) -> Fragment {
    let done = Int(slots[slot].done)
    let count = min(limit, Int(slots[slot].length) &- done)
    return Fragment(start: L2CAPBuffer.start &+ done, count: count, isStart: done == 0)
  }

  /// A fragment of a slot was sent. Frees the slot after its last one.
  @inline(never)
  package mutating func sent(_ fragment: Fragment, _ slot: Int, _ counters: inout L2CAPCounters) {
    counters.count(.fragmentsSent)
    let done = Int(slots[slot].done) &+ fragment.count
    slots[slot].done = UInt8(truncatingIfNeeded: done)
    if done >= Int(slots[slot].length) {
      slots[slot] = .free
      firstToSend = UInt8(truncatingIfNeeded: 1 &- slot)
      counters.count(.pdusSent)
    }
  }

  /// The response on a control channel was sent.
  package mutating func sentControl(_ counters: inout L2CAPCounters) {
    control.sent()
    counters.count(.fragmentsSent)
  }
}
