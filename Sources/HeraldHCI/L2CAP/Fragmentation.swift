import HeraldEmbedded

// Sending: L2CAP PDUs leave as ACL fragments (Vol 4, Part E, 5.4.2).
extension Link {
  /// A packet ready to be written: `count` bytes from `start` of the buffers, type byte first.
  @usableFromInline
  struct Fragment: BitwiseCopyable {
    @usableFromInline let slot: Int
    @usableFromInline let start: Int
    @usableFromInline let count: Int
    /// What stood where the packet header is now.
    @usableFromInline let covered: [5 of UInt8]

    @usableFromInline
    init(slot: Int, start: Int, count: Int, covered: [5 of UInt8]) {
      self.slot = slot
      self.start = start
      self.count = count
      self.covered = covered
    }
  }

  /// Whether anything waits to be sent.
  @inlinable
  var hasOutgoing: Bool { control.isOwed || slots[0].isSending || slots[1].isSending }

  /// Whether a PDU has begun to leave: nothing may come between its fragments.
  private var isMidPDU: Bool {
    (slots[0].isSending && slots[0].done > 0) || (slots[1].isSending && slots[1].done > 0)
  }

  /// Whether the answer on a control channel goes next.
  @usableFromInline
  var sendsControlNext: Bool { control.isOwed && !isMidPDU }

  /// Whether `send` would take a PDU.
  @usableFromInline
  var canSend: Bool {
    slots[0].use != .request && slots[1].use != .request && (slots[0].use == .free || slots[1].use == .free)
  }

  /// Takes one of our own PDUs; `false` if the one before has not left or no buffer is free.
  @usableFromInline
  mutating func send(_ pdu: Span<UInt8>, in buffers: inout LinkBuffers) -> Bool {
    guard canSend else { return false }
    let slot = slots[1].use == .free ? 1 : 0
    let base = Link.start(of: slot) &+ Link.headerSize
    for index in 0..<pdu.count { buffers.bytes[base &+ index] = pdu[index] }
    queue(slot, as: .request, count: pdu.count, in: &buffers)
    if Self.isRequest(buffers.bytes[base]) { awaitsAnswer = true }
    return true
  }

  /// Puts an L2CAP header in front of `count` bytes and lets them go.
  mutating func queue(_ slot: Int, as use: Use, count: Int, in buffers: inout LinkBuffers) {
    let base = Link.start(of: slot)
    buffers.bytes[base] = UInt8(truncatingIfNeeded: count)
    buffers.bytes[base &+ 1] = 0
    buffers.bytes[base &+ 2] = UInt8(truncatingIfNeeded: ChannelID.attribute)
    buffers.bytes[base &+ 3] = 0
    let length = UInt8(truncatingIfNeeded: count &+ Link.headerSize)
    slots[slot] = Slot(use: use, length: length, done: 0)
    if !slots[1 &- slot].isSending { firstToSend = UInt8(truncatingIfNeeded: slot) }
  }

  /// The next fragment of at most `limit` bytes of payload, its packet header written over the five bytes in front of
  /// it: so no PDU is ever copied to be sent. `sent` puts the five bytes back. `nil` if there is nothing.
  @usableFromInline
  mutating func nextFragment(limit: Int, in buffers: inout LinkBuffers) -> Fragment? {
    var slot = Int(firstToSend & 1)
    if !slots[slot].isSending { slot = 1 &- slot }
    guard slots[slot].isSending, limit > 0 else { return nil }
    let done = Int(slots[slot].done)
    let count = min(limit, Int(slots[slot].length) &- done)
    let start = Link.start(of: slot) &+ done &- Link.packetHeaderSize
    var covered: [5 of UInt8] = .init(repeating: 0)
    for index in 0..<5 { covered[index] = buffers.bytes[start &+ index] }
    // Packet_Boundary_Flag: 00 first, 01 continuing.
    let flags: UInt16 = done == 0 ? 0x0000 : 0x1000
    let head = handle.rawValue | flags
    buffers.bytes[start] = PacketType.aclData
    buffers.bytes[start &+ 1] = UInt8(truncatingIfNeeded: head)
    buffers.bytes[start &+ 2] = UInt8(truncatingIfNeeded: head &>> 8)
    buffers.bytes[start &+ 3] = UInt8(truncatingIfNeeded: count)
    buffers.bytes[start &+ 4] = 0
    return Fragment(slot: slot, start: start, count: count &+ Link.packetHeaderSize, covered: covered)
  }

  /// Ends what `nextFragment` began, `hasLeft` or not. Frees the buffer after its last fragment.
  @usableFromInline
  mutating func sent(
    _ fragment: Fragment, hasLeft: Bool, in buffers: inout LinkBuffers, _ counters: inout HCICounters
  ) {
    for index in 0..<5 { buffers.bytes[fragment.start &+ index] = fragment.covered[index] }
    guard hasLeft else { return }
    inFlight &+= 1
    counters.count(.fragmentsSent)
    let slot = fragment.slot
    let done = Int(slots[slot].done) &+ fragment.count &- Link.packetHeaderSize
    slots[slot].done = UInt8(truncatingIfNeeded: done)
    if done >= Int(slots[slot].length) {
      slots[slot] = .free
      firstToSend = UInt8(truncatingIfNeeded: 1 &- slot)
      counters.count(.pdusSent)
    }
  }

  /// Ends the sending of the control packet.
  @usableFromInline
  mutating func sentControl(_ counters: inout HCICounters) {
    control = .none
    inFlight &+= 1
    counters.count(.fragmentsSent)
  }
}
