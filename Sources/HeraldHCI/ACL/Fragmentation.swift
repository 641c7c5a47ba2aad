import HeraldBluetooth

// Sending: L2CAP PDUs are sent as ACL fragments (Vol 4, Part E, 5.4.2).
extension ACLConnection {
  /// A packet ready to be written: `count` bytes from `start` of its buffer, type byte first.
  @usableFromInline
  struct Fragment: BitwiseCopyable {
    @usableFromInline let start: Int
    @usableFromInline let count: Int

    @usableFromInline
    init(start: Int, count: Int) {
      self.start = start
      self.count = count
    }
  }

  /// Whether anything waits to be sent.
  @inlinable
  var hasOutgoing: Bool { control.isOwed || slots[0].isSending || slots[1].isSending }

  /// Whether a PDU has been sent in part: no other may be sent between its fragments.
  private var isMidPDU: Bool {
    (slots[0].isSending && slots[0].done > 0) || (slots[1].isSending && slots[1].done > 0)
  }

  /// Whether the response on a control channel is sent next.
  @usableFromInline
  var sendsControlNext: Bool { control.isOwed && !isMidPDU }

  /// The slot for a PDU of this host, −1 if the one before has not been sent or no buffer is free.
  /// `hasSpare`: no other connection uses the buffer of slot 1.
  @usableFromInline
  func slotToSend(hasSpare: Bool) -> Int {
    if slots[0].use == .request || slots[1].use == .request { return -1 }
    let isSpareFree = hasSpare && slots[1].use == .free
    // A peer that accepts nothing at present must not block the shared buffer for others.
    if slots[0].use == .free, inFlight > 0 || !isSpareFree { return 0 }
    return isSpareFree ? 1 : -1
  }

  /// Queues a PDU of this host.
  @usableFromInline @inline(never)
  mutating func send(_ pdu: Span<UInt8>, _ slot: Int, in buffer: inout ACLBuffer) {
    for index in 0..<pdu.count { buffer.bytes[ACLBuffer.attribute &+ index] = pdu[index] }
    queue(slot, as: .request, count: pdu.count, in: &buffer)
    if Self.isRequest(buffer.bytes[ACLBuffer.attribute]) { awaitsAnswer = true }
  }

  /// Writes an L2CAP header in front of `count` bytes and queues them.
  @inline(never)
  mutating func queue(_ slot: Int, as use: Use, count: Int, in buffer: inout ACLBuffer) {
    let base = ACLBuffer.start
    buffer.bytes[base] = UInt8(truncatingIfNeeded: count)
    buffer.bytes[base &+ 1] = 0
    buffer.bytes[base &+ 2] = UInt8(truncatingIfNeeded: ChannelID.attribute)
    buffer.bytes[base &+ 3] = 0
    let length = UInt8(truncatingIfNeeded: count &+ ACLConnection.headerSize)
    slots[slot] = Slot(use: use, length: length, done: 0)
    if !slots[1 &- slot].isSending { firstToSend = UInt8(truncatingIfNeeded: slot) }
  }

  /// The slot that sends next, −1 if there is nothing to send.
  @usableFromInline
  var nextToSend: Int {
    let first = Int(firstToSend & 1)
    if slots[first].isSending { return first }
    return slots[1 &- first].isSending ? 1 &- first : -1
  }

  /// The next fragment of at most `limit` bytes of payload of a slot that sends. Its packet header overwrites
  /// the five bytes in front of it, which were sent already: no PDU is copied to be sent.
  @usableFromInline @inline(never)
  mutating func nextFragment(_ slot: Int, limit: Int, in buffer: inout ACLBuffer) -> Fragment {
    let done = Int(slots[slot].done)
    let count = min(limit, Int(slots[slot].length) &- done)
    let start = ACLBuffer.start &+ done &- ACLConnection.packetHeaderSize
    // Packet_Boundary_Flag: 00 first, 01 continuing.
    let flags: UInt16 = done == 0 ? 0x0000 : 0x1000
    let head = handle.rawValue | flags
    buffer.bytes[start] = PacketType.aclData
    buffer.bytes[start &+ 1] = UInt8(truncatingIfNeeded: head)
    buffer.bytes[start &+ 2] = UInt8(truncatingIfNeeded: head &>> 8)
    buffer.bytes[start &+ 3] = UInt8(truncatingIfNeeded: count)
    buffer.bytes[start &+ 4] = 0
    return Fragment(start: start, count: count &+ ACLConnection.packetHeaderSize)
  }

  /// A fragment of a slot was sent. Frees the slot after its last one.
  @usableFromInline
  mutating func sent(_ fragment: Fragment, _ slot: Int, _ counters: inout HCICounters) {
    inFlight &+= 1
    counters.count(.fragmentsSent)
    let done = Int(slots[slot].done) &+ fragment.count &- ACLConnection.packetHeaderSize
    slots[slot].done = UInt8(truncatingIfNeeded: done)
    if done >= Int(slots[slot].length) {
      slots[slot] = .free
      firstToSend = UInt8(truncatingIfNeeded: 1 &- slot)
      counters.count(.pdusSent)
    }
  }

  /// Writes the packet of the response that is pending on a control channel: H4 and ACL headers, then its
  /// frame. Returns its length.
  @usableFromInline
  mutating func writeControl(into packet: inout [17 of UInt8]) -> Int {
    let length = control.write(into: &packet)
    packet[0] = PacketType.aclData
    packet[1] = UInt8(truncatingIfNeeded: handle.rawValue)
    packet[2] = UInt8(truncatingIfNeeded: handle.rawValue &>> 8)
    packet[3] = length
    return ACLConnection.packetHeaderSize &+ Int(length)
  }

  /// Ends the sending of the control packet.
  @usableFromInline
  mutating func sentControl(_ counters: inout HCICounters) {
    control.sent()
    inFlight &+= 1
    counters.count(.fragmentsSent)
  }
}
