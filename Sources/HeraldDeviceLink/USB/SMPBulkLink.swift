import HeraldHAL

/// SMP over a pair of bulk endpoints: unencoded packets in sequence.
///
/// A packet begins where a transfer or the packet before it ends, and is as long as its header states. A
/// transfer ends with a packet of less than 64 bytes. What a transfer's end cuts off is dropped, and so is
/// everything up to there once a header makes no sense, or when nothing has come for a second within a
/// packet: so both ends agree again after whatever happened. Responses come in the order of the requests,
/// each a transfer of its own, with an empty packet behind one whose length is a multiple of 64.
///
/// `depth` packets wait here or are being processed, each in a buffer of its own: an equal part of `memory`
/// bytes, which is 64…65,543. The controller holds the host off while all are in use. While the link is idle,
/// the serial port may have the memory.
public struct SMPBulkLink<let memory: Int, let depth: Int>: ~Copyable {
  // One array, not one of arrays: only then does the compiler detect that it is all zeros, and place it in
  // .bss.
  var packets: [memory of UInt8] = .init(repeating: 0)
  private var counts: [depth of Int] = .init(repeating: 0)
  /// The position of the oldest packet, how many are complete, and how many bytes of the next were received.
  private var first = 0
  private var whole = 0
  private var received = 0
  /// How many bytes of the response in place of the oldest packet were sent.
  private var sent = 0

  /// The USB packet that is being processed.
  private var usbPacket: [64 of UInt8] = .init(repeating: 0)
  private var usbCount = 0
  private var usbTaken = 0
  private var last = Instant.start
  /// When a packet of the bus was received or accepted.
  private var moved = Instant.start
  /// Packets that were truncated, too long, or invalid.
  public private(set) var dropped: UInt32 = 0
  // Members of one byte are at the end, without padding.
  /// Whether the oldest packet has been replaced by its response.
  private var isAnswered = false
  private var endsWithEmptyPacket = false
  /// Whether everything up to the end of the transfer is dropped.
  private var isDiscarding = false

  /// How long the host may be silent within a packet.
  public static var timeout: Interval { .seconds(1) }

  /// Bytes of the longest packet, header included.
  public static var capacity: Int { memory / depth }

  /// A link in its initial state.
  public init() {}

  /// Whether no packet is begun, is waiting or is being processed: the memory is not needed.
  var isIdle: Bool { whole == 0 && received == 0 }
  /// Whether something was received that waits for the memory.
  var isWaiting: Bool { isIdle && usbTaken < usbCount }
  /// Whether the host has neither continued a packet nor accepted a response for so long that the memory may
  /// be reused.
  func isStuck(at now: Instant) -> Bool { !isIdle && now.since(moved) > Self.timeout }

  /// Discards the contents of the memory.
  mutating func giveUp() {
    dropped &+= 1
    reset()
  }

  /// Discards everything, in both directions.
  public mutating func reset() {
    resetReceiving()
    whole = 0
    isAnswered = false
  }

  /// Discards a packet that is begun.
  mutating func resetReceiving() {
    received = 0
    usbCount = 0
    usbTaken = 0
    isDiscarding = false
  }

  /// Discards the rest of a response that is being sent, as its beginning is lost.
  mutating func resetSending() {
    if isAnswered { release() }
  }

  /// Receives, responds and sends until the controller has no more packets and accepts none. Only what is
  /// begun continues unless `mayBegin`.
  @inline(never)
  mutating func service<Controller: USBController & ~Copyable, Device: ManagedDevice & ~Copyable>(
    _ controller: inout Controller, mayBegin: Bool, at now: Instant, server: inout SMPServer,
    device: inout Device
  ) {
    var isMoving = true
    while isMoving {
      isMoving = receive(&controller, mayBegin, at: now)
      if whole > 0, !isAnswered {
        answer(at: now, server: &server, device: &device)
        isMoving = true
      }
      if send(&controller) {
        isMoving = true
        moved = now
      }
    }
  }

  private func storageIndex(_ index: Int) -> Int {
    let position = first &+ index
    return position < depth ? position : position &- depth
  }

  private mutating func release() {
    isAnswered = false
    first = storageIndex(1)
    whole &-= 1
  }

  private mutating func answer<Device: ManagedDevice & ~Copyable>(
    at now: Instant, server: inout SMPServer, device: inout Device
  ) {
    let start = first &* Self.capacity
    var all = packets.mutableSpan
    var packet = all._mutatingExtracting(start..<(start &+ Self.capacity))
    let count = server.respond(
      to: &packet, count: counts[first], bufferCount: depth, at: now, device: &device)
    counts[first] = count
    isAnswered = true
    sent = 0
    endsWithEmptyPacket = count % USBDescriptors.packetSize == 0
    if count == 0 { release() }
  }

  /// Passes as many packets of the response to the controller as it accepts; returns whether it accepted any.
  private mutating func send<Controller: USBController & ~Copyable>(_ controller: inout Controller) -> Bool {
    var isMoving = false
    while isAnswered {
      let count = counts[first]
      let end = min(count, sent &+ USBDescriptors.packetSize)
      let start = first &* Self.capacity
      guard controller.write(.linkIn, packets.span.extracting((start &+ sent)..<(start &+ end))) else {
        return isMoving
      }
      isMoving = true
      let isEmpty = sent == end
      sent = end
      if sent == count, isEmpty || !endsWithEmptyPacket { release() }
    }
    return isMoving
  }

  /// Processes received packets, as far as there is room; returns whether there were any.
  private mutating func receive<Controller: USBController & ~Copyable>(
    _ controller: inout Controller, _ mayBegin: Bool, at now: Instant
  ) -> Bool {
    var isMoving = false
    while whole < depth {
      if usbTaken == usbCount {
        var room = usbPacket.mutableSpan
        guard let count = controller.read(.linkOut, into: &room) else { return isMoving }
        if received > 0 || isDiscarding, now.since(last) > Self.timeout {
          if received > 0 { dropped &+= 1 }
          resetReceiving()
        }
        last = now
        usbCount = min(count, USBDescriptors.packetSize)
        usbTaken = 0
        isMoving = true
      }
      guard mayBegin || isDiscarding || !isIdle || usbCount == 0 else { return isMoving }
      isMoving = true
      moved = now
      if isDiscarding { usbTaken = usbCount } else { take() }
      if usbTaken == usbCount, usbCount < USBDescriptors.packetSize {
        if received > 0 { dropped &+= 1 }
        received = 0
        isDiscarding = false
      }
    }
    return isMoving
  }

  /// Moves bytes of the USB packet to the packet that is begun, up to the end of either.
  private mutating func take() {
    let start = storageIndex(whole) &* Self.capacity
    while usbTaken < usbCount, received < Self.capacity {
      packets[start &+ received] = usbPacket[usbTaken]
      received &+= 1
      usbTaken &+= 1
      guard received >= SMPHeader.size else { continue }
      let length = SMPHeader.size &+ (Int(packets[start &+ 2]) &<< 8 | Int(packets[start &+ 3]))
      if received == SMPHeader.size, length > Self.capacity || packets[start] & 0b1110_0100 != 0 {
        dropped &+= 1
        received = 0
        isDiscarding = true
        usbTaken = usbCount
        return
      }
      guard received < length else {
        counts[storageIndex(whole)] = length
        whole &+= 1
        received = 0
        return
      }
    }
  }
}
