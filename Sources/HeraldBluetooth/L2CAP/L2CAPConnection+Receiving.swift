import HeraldHAL

// Receiving: fragments become L2CAP PDUs (Vol 3, Part A, 7.2).
//
// A length in a header only determines how many bytes are expected; bytes are stored only where there is
// room. A PDU that does not fit, is inconsistent or has an unknown channel is skipped up to the next start
// fragment and counted; the connection stays open.
extension L2CAPConnection {
  /// Evaluates one fragment. Returns its slot, or −1 if it was processed here. `hasSpare`: no other
  /// connection uses the buffer of slot 1.
  package mutating func slot(
    for fragment: Span<UInt8>, isStart: Bool, hasSpare: Bool, _ counters: inout L2CAPCounters
  ) -> Int {
    counters.count(.fragmentsReceived)
    if isStart { return start(fragment, hasSpare, &counters) }
    let slot = slots[0].use == .receiving ? 0 : 1
    guard slots[slot].use == .receiving else {
      // Nothing to continue: the rest of a PDU that is skipped, or a fragment without a start.
      if !isSkipping { counters.count(.fragmentsMalformed) }
      return -1
    }
    return slot
  }

  private mutating func start(
    _ fragment: Span<UInt8>, _ hasSpare: Bool, _ counters: inout L2CAPCounters
  ) -> Int {
    isSkipping = false
    for slot in 0..<2 where slots[slot].use == .receiving {
      // The PDU before is incomplete and will not be completed.
      counters.count(.fragmentsMalformed)
      slots[slot] = .free
    }
    // Short PDUs of the other channels are usually in one fragment: they need no buffer.
    if fragment.count >= Self.headerSize, fragment.u16(at: 2) != ChannelID.attribute,
      Int(fragment.u16(at: 0)) == fragment.count &- Self.headerSize
    {
      take(
        fragment.extracting(droppingFirst: Self.headerSize), on: fragment.u16(at: 2),
        &counters)
      return -1
    }
    let slot = slots[0].use == .free ? 0 : 1
    guard slots[slot].use == .free, slot == 0 || hasSpare else {
      // The peer sends more requests than a transaction allows, and their responses are still pending.
      counters.count(.pdusDropped)
      isSkipping = true
      return -1
    }
    slots[slot] = Slot(use: .receiving, length: 0, done: 0)
    return slot
  }

  /// Stores a fragment that `slot(for:…)` found a slot for. Returns that slot if it now holds a whole ATT PDU
  /// behind its L2CAP header, or −1; its length is `slots[…].length`, and the caller then calls `answered`.
  @inline(never)
  package mutating func append(
    _ fragment: Span<UInt8>, to slot: Int, _ buffer: inout L2CAPBuffer, _ counters: inout L2CAPCounters
  ) -> Int {
    let base = L2CAPBuffer.start
    let done = Int(slots[slot].done)
    guard fragment.count <= Self.slotSize &- done else {
      return refuse(slot, .fragmentsMalformed, &counters)
    }
    for index in 0..<fragment.count { buffer.bytes[base &+ done &+ index] = fragment[index] }
    let total = done &+ fragment.count
    slots[slot].done = UInt8(truncatingIfNeeded: total)
    guard total >= Self.headerSize else { return -1 }
    let length = Int(buffer.bytes[base]) | Int(buffer.bytes[base &+ 1]) &<< 8
    let expected = length &+ Self.headerSize
    guard expected <= Self.slotSize else {
      return refuse(slot, .pdusDropped, &counters)
    }
    guard total <= expected else {
      return refuse(slot, .fragmentsMalformed, &counters)
    }
    guard total == expected else { return -1 }
    let channel = UInt16(buffer.bytes[base &+ 2]) | UInt16(buffer.bytes[base &+ 3]) &<< 8
    if channel == ChannelID.attribute {
      guard length > 0 else { return refuse(slot, .pdusDropped, &counters) }
      let opcode = buffer.bytes[base &+ Self.headerSize]
      if Self.isRequest(opcode) {
        // The last buffer is reserved for the outstanding response, not for a second request of a peer, which
        // may have only one.
        guard !awaitsAnswer || slots[1 &- slot].use == .free else {
          return refuse(slot, .pdusDropped, &counters)
        }
      } else if Self.isResponse(opcode) {
        awaitsAnswer = false
      }
      slots[slot].length = UInt8(truncatingIfNeeded: length)
      counters.count(.pdusReceived)
      return slot
    }
    slots[slot] = .free
    let pdu = buffer.bytes.span.extracting((base &+ Self.headerSize)..<(base &+ expected))
    take(pdu, on: channel, &counters)
    return -1
  }

  /// One whole PDU of a channel other than ATT's.
  private mutating func take(_ pdu: Span<UInt8>, on channel: UInt16, _ counters: inout L2CAPCounters) {
    var isDropped = false
    switch control.take(pdu, on: channel, role: role, isDropped: &isDropped) {
    case .nothing: break
    case .unknownChannel: counters.count(.unknownChannels)
    case .rejected: counters.count(.signalsRejected)
    case .pairingRefused: counters.count(.pairingsRefused)
    case .update:
      timing = ConnectionTiming(request: pdu)
      wantsUpdate = true
    }
    if isDropped { counters.count(.pdusDropped) }
  }

  /// Whether a PDU with this opcode is a request: even, without the command flag, and not a confirmation (Vol
  /// 3, Part F, 3.4.8).
  package static func isRequest(_ opcode: UInt8) -> Bool { opcode & 0x41 == 0 && opcode != 0x1E }
  /// Whether it is the response to a request that this host sends.
  private static func isResponse(_ opcode: UInt8) -> Bool { opcode & 1 == 1 && opcode < 0x1B }

  /// Frees the buffer and skips the rest of its PDU.
  private mutating func refuse(
    _ slot: Int, _ counter: L2CAPCounter, _ counters: inout L2CAPCounters
  ) -> Int {
    counters.count(counter)
    slots[slot] = .free
    isSkipping = true
    return -1
  }

  /// Ends the handling of a received PDU: with a response of `count` bytes in the same place, or with none.
  @inline(never)
  package mutating func answered(_ slot: Int, count: Int, in buffer: inout L2CAPBuffer) {
    guard count > 0, count <= Self.longestPDU else {
      slots[slot] = .free
      return
    }
    queue(slot, as: .answer, count: count, in: &buffer)
  }
}
