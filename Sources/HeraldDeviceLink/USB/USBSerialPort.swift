import HeraldHAL

/// The serial port of the device (CDC-ACM): SMP in its serial framing on a pair of bulk endpoints, one packet
/// at a time, in memory that it shares with the management link.
///
/// There is no physical line: the line coding is stored and returned, and has no effect. The end of Data
/// Terminal Ready, with which hosts close the port, discards incomplete packets. Bytes that belong to no
/// packet are skipped: a program that probes for modems has no response.
struct USBSerialPort: ~Copyable {
  private var exchange = SMPSerialExchange()
  /// The USB packet that is being processed.
  private var packet: [64 of UInt8] = .init(repeating: 0)
  private var count = 0
  private var taken = 0
  /// When a packet of the bus was received or accepted.
  private var moved = Instant.start
  /// Rate in four bytes, stop bits, parity, data bits (PSTN 1.2, table 17); a rate of 0: as it has not been
  /// set.
  private var coding: [8 of UInt8] = .init(repeating: 0)
  /// Whether the USB packet sent last was full, so that the host waits for more.
  private var endsWithEmptyPacket = false
  private var hasTerminal = false
  /// The carrier state that the host was notified of; set while a terminal is open.
  private var toldCarrier = false

  /// Bytes of a line coding.
  static var codingSize: Int { 7 }
  /// Timeout within a packet, or for a response to be accepted, when another interface needs the memory.
  static var timeout: Interval { .seconds(1) }

  init() {}

  /// Packets that were damaged, too long or incomplete.
  var dropped: UInt32 { exchange.dropped }
  /// Whether no packet is begun or being processed: the memory is not needed.
  var isIdle: Bool { exchange.isIdle }
  /// Whether something was received that waits for the memory.
  var isWaiting: Bool { isIdle && taken < count }
  /// Whether the host has neither continued a packet nor accepted a response for so long that the memory may
  /// be reused.
  func isStuck(at now: Instant) -> Bool { !isIdle && now.since(moved) > Self.timeout }

  /// Discards everything: the bus was reset, or the configuration selected.
  mutating func reset() {
    forget()
    coding = .init(repeating: 0)
    hasTerminal = false
    toldCarrier = false
  }

  /// Discards the packet that is begun or being processed.
  mutating func forget() {
    exchange.reset()
    count = 0
    taken = 0
    endsWithEmptyPacket = false
  }

  /// A program has opened the port, or closed it; whether it was closed just now.
  mutating func setTerminal(_ isThere: Bool) -> Bool {
    let isClosed = hasTerminal && !isThere
    if isClosed { forget() }
    hasTerminal = isThere
    return isClosed
  }

  /// Receives the data of Set Line Coding; `nil` before they are received, `false` if they are not seven
  /// bytes.
  mutating func receiveLineCoding<Controller: USBController & ~Copyable>(_ controller: inout Controller)
    -> Bool?
  {
    var data: [64 of UInt8] = .init(repeating: 0)
    var room = data.mutableSpan
    guard let count = controller.read(.control, into: &room) else { return nil }
    guard count == Self.codingSize else { return false }
    var index = 0
    while index < Self.codingSize {
      coding[index] = data[index]
      index &+= 1
    }
    return true
  }

  /// The line coding: that set by the host, initially 115,200 bit/s, one stop bit, no parity, eight data
  /// bits.
  @_lifetime(&self)
  mutating func lineCoding() -> Span<UInt8> {
    if coding[0] | coding[1] | coding[2] | coding[3] == 0 {
      coding[1] = 0xC2
      coding[2] = 0x01
      coding[6] = 8
    }
    return coding.span.extracting(0..<Self.codingSize)
  }

  /// Receives, responds and sends until the controller has no more packets and accepts none. Only what is
  /// begun continues unless `mayBegin`.
  @inline(never)
  mutating func service<Controller: USBController & ~Copyable, Device: ManagedDevice & ~Copyable>(
    _ controller: inout Controller, in memory: inout MutableSpan<UInt8>, mayBegin: Bool, at now: Instant,
    server: inout SMPServer, device: inout Device
  ) {
    if toldCarrier != hasTerminal, tellCarrier(&controller) { toldCarrier = hasTerminal }
    var isMoving = true
    while isMoving {
      isMoving = false
      while isSending, send(&controller, memory.span) { isMoving = true }
      if taken == count {
        guard !isSending else { break }
        var room = packet.mutableSpan
        guard let received = controller.read(.serialOut, into: &room) else { break }
        count = min(received, USBDescriptors.packetSize)
        taken = 0
        isMoving = true
      }
      if taken < count, !isSending, mayBegin || !isIdle {
        taken &+= exchange.receive(
          packet.span.extracting(taken..<count), in: &memory, at: now, server: &server, device: &device)
        isMoving = true
      }
      if isMoving { moved = now }
    }
  }

  private var isSending: Bool { exchange.isSending || endsWithEmptyPacket }

  /// Passes a packet of the response to the controller; returns whether it was accepted. The packet must not
  /// be on the stack while requests are processed.
  @inline(never)
  private mutating func send<Controller: USBController & ~Copyable>(
    _ controller: inout Controller, _ memory: Span<UInt8>
  ) -> Bool {
    var bytes: [64 of UInt8] = .init(repeating: 0)
    var room = bytes.mutableSpan
    // A packet that the controller refuses is made again: the exchange stores the position, not the bytes.
    let position = exchange.position
    let count = exchange.send(memory, into: &room)
    guard controller.write(.serialIn, bytes.span.extracting(0..<count)) else {
      exchange.position = position
      return false
    }
    endsWithEmptyPacket = count == USBDescriptors.packetSize && !exchange.isSending
    return true
  }

  /// Notifies the host of the carrier state: Serial State (PSTN 1.2, 6.5.4), bit 0 carrier, bit 1 ready.
  private mutating func tellCarrier<Controller: USBController & ~Copyable>(_ controller: inout Controller)
    -> Bool
  {
    var notice: [10 of UInt8] = [0xA1, 0x20, 0, 0, 1, 0, 2, 0, 0, 0]
    if hasTerminal { notice[8] = 0b11 }
    return controller.write(.serialState, notice.span)
  }
}
