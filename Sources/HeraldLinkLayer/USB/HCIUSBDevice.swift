import HeraldHAL

/// A controller on USB (Core Specification, Vol 4, Part B), over any USB device controller: commands are
/// received on the control endpoint, events are sent on an interrupt endpoint, ACL data on two bulk
/// endpoints.
///
/// **Framing.** A command is the data stage of a request (bmRequestType 0x20, bRequest 0), which is stalled
/// if its length is not that of the command. A command that the controller cannot accept yet is
/// acknowledged later. An ACL packet begins with a packet of the bus, and is as long as its header states,
/// without an empty packet behind it: Linux sends none. One that is shorter than its header states, or has
/// something behind it, is dropped; one that is too long for the controller is skipped and reported with
/// Data Buffer Overflow.
///
/// **Hosts.** The controller is reset (HCI_Reset) when the bus is reset, when the device is detached, and
/// when a configuration is selected: what a host has started ends with it.
///
/// There is no remote wake-up: a suspended host is not woken up.
public struct HCIUSBDevice<USB: USBController & ~Copyable>: ~Copyable {
  /// The USB device controller.
  public var usb: USB
  private var control: USBControlEndpoint<HCIUSBDescriptors>
  /// The first packet of a command, the bytes received of it, and its length; 0 if there is none.
  private var command: [64 of UInt8] = .init(repeating: 0)
  private var commandCount = 0
  private var commandLength = 0
  /// A received packet of the data endpoint, its length (−1: none), and the bytes that follow of an ACL
  /// packet that is too long.
  private var data: [64 of UInt8] = .init(repeating: 0)
  private var dataCount = -1
  private var skipped = 0
  private var event = HCIUSBPacket()
  private var dataIn = HCIUSBPacket()
  /// ACL packets that were too short or too long for their header.
  public private(set) var dropped: UInt32 = 0
  /// The controller is to be reset.
  private var owesReset = false
  /// Whether the bus is suspended.
  public private(set) var isSuspended = false

  /// A device in the default state. `serialNumber` is ASCII, without spaces.
  @inline(never)
  public init(usb: consuming USB, serialNumber: InlineBytes<32>) {
    self.usb = usb
    control = USBControlEndpoint(serialNumber: serialNumber)
  }

  /// Whether a host has selected the configuration.
  public var isConfigured: Bool { control.configuration != 0 }

  /// Exchanges what is possible at once between the host and `hci`, at most one packet of each kind. To be
  /// called when the USB controller has an event, when `HCIController.procedures` has run, and again while
  /// the result is `true`.
  @inline(never)
  public mutating func poll<
    Peripheral: RadioPeripheral & ~Copyable, Random: RandomSource & ~Copyable, let connections: Int
  >(_ hci: inout HCIController<Peripheral, Random, connections>) -> Bool {
    while let event = usb.nextEvent() {
      switch event {
      case .reset, .detached:
        control.reset()
        forget()
        owesReset = true
        isSuspended = false
      case .suspended: isSuspended = true
      case .resumed: isSuspended = false
      case .setup(let setup): handle(setup)
      }
      serveControl()
    }
    serveControl()
    if owesReset {
      guard hci.restart() else { return false }
      owesReset = false
    }
    guard isConfigured else { return false }
    var isMoving = receiveCommand(&hci)
    if receiveData(&hci) { isMoving = true }
    if takePacket(&hci) { isMoving = true }
    if event.send(to: &usb, .hciEvents) { isMoving = true }
    if dataIn.send(to: &usb, .hciDataIn) { isMoving = true }
    return isMoving
  }

  private mutating func forget() {
    commandLength = 0
    dataCount = -1
    skipped = 0
    event.discard()
    dataIn.discard()
  }

  private mutating func serveControl() {
    while control.isSending, usb.write(.control, control.nextPacket()) { control.packetSent() }
  }

  private mutating func handle(_ setup: USBSetup) {
    commandLength = 0
    switch control.respond(to: setup) {
    case .send: break
    case .decide:
      // A command has at least its opcode and its length, and at most 255 bytes behind them.
      guard isConfigured, setup.requestType == 0x20, setup.request == 0, setup.value == 0, setup.index == 0,
        setup.length >= 3, setup.length <= 258
      else {
        usb.refuse()
        return
      }
      commandLength = Int(setup.length)
      commandCount = 0
    case .refuse: usb.refuse()
    case .acknowledge: usb.acknowledge()
    case .setAddress(let address):
      usb.acknowledge()
      usb.setAddress(address)
    case .configure(let value):
      forget()
      owesReset = true
      setOpen(value != 0)
      usb.acknowledge()
    case .selectInterface:
      forget()
      setOpen(true)
      usb.acknowledge()
    case .halt(let endpoint, let isHalted):
      usb.setHalted(endpoint, isHalted)
      // The end of a halt is the point from which host and device start again.
      if !isHalted { beginAnew(endpoint) }
      usb.acknowledge()
    }
  }

  private mutating func beginAnew(_ endpoint: USBEndpoint) {
    switch endpoint {
    case .hciEvents: event.discard()
    case .hciDataIn: dataIn.discard()
    default:
      dataCount = -1
      skipped = 0
    }
  }

  /// Closes the endpoints and, unless that is all, opens them again.
  private mutating func setOpen(_ isOpen: Bool) {
    reopen(.hciEvents, .interrupt, isOpen)
    reopen(.hciDataIn, .bulk, isOpen)
    reopen(.hciDataOut, .bulk, isOpen)
  }

  @inline(never)
  private mutating func reopen(_ endpoint: USBEndpoint, _ kind: USBTransferKind, _ isOpen: Bool) {
    usb.close(endpoint)
    if isOpen { usb.open(endpoint, kind) }
  }

  /// Receives the data stage of a command. Returns whether something was received or accepted.
  private mutating func receiveCommand<
    Peripheral: RadioPeripheral & ~Copyable, Random: RandomSource & ~Copyable, let connections: Int
  >(_ hci: inout HCIController<Peripheral, Random, connections>) -> Bool {
    guard commandLength > 0 else { return false }
    if commandCount < commandLength {
      guard let count = commandCount == 0 ? receiveBeginning() : receiveRest() else { return false }
      commandCount &+= count
      // A short packet ends the data stage.
      guard commandCount >= commandLength || count < USBEndpoint.packetSize else { return true }
    }
    guard commandCount == commandLength, commandLength == 3 &+ Int(command[2]) else {
      usb.refuse()
      commandLength = 0
      return true
    }
    let first = command.span.extracting(first: min(commandLength, USBEndpoint.packetSize))
    guard hci.receiveCommand(first) else { return false }
    usb.acknowledge()
    commandLength = 0
    return true
  }

  private mutating func receiveBeginning() -> Int? {
    var room = command.mutableSpan
    return usb.read(.control, into: &room)
  }

  /// Receives a packet behind the first, which no supported command has.
  @inline(never)
  private mutating func receiveRest() -> Int? {
    var packet: [64 of UInt8] = .init(repeating: 0)
    var room = packet.mutableSpan
    return usb.read(.control, into: &room)
  }

  /// Receives a packet of ACL data. Returns whether there was one.
  private mutating func receiveData<
    Peripheral: RadioPeripheral & ~Copyable, Random: RandomSource & ~Copyable, let connections: Int
  >(_ hci: inout HCIController<Peripheral, Random, connections>) -> Bool {
    if dataCount < 0 {
      var room = data.mutableSpan
      guard let count = usb.read(.hciDataOut, into: &room) else { return false }
      dataCount = min(max(0, count), USBEndpoint.packetSize)
    }
    guard !hci.isBusy else { return false }
    let count = dataCount
    dataCount = -1
    if skipped > 0 {
      skipped = count < USBEndpoint.packetSize ? 0 : max(0, skipped &- count)
      return true
    }
    // An empty packet behind the last one.
    guard count > 0 else { return true }
    let length = 4 &+ (Int(data[2]) | Int(data[3]) &<< 8)
    let isTooLong = length > USBEndpoint.packetSize && count == USBEndpoint.packetSize
    guard count >= 4, length == count || isTooLong, hci.receiveData(data.span.extracting(first: count)) else {
      dropped &+= 1
      return true
    }
    skipped = max(0, length &- count)
    return true
  }

  /// Takes a packet of the controller, if there is room for it.
  private mutating func takePacket<
    Peripheral: RadioPeripheral & ~Copyable, Random: RandomSource & ~Copyable, let connections: Int
  >(_ hci: inout HCIController<Peripheral, Random, connections>) -> Bool {
    guard !event.isPending else { return false }
    var writer = ByteWriter(event.room)
    guard hci.takePacket(into: &writer, withData: !dataIn.isPending) else { return false }
    let count = writer.count
    if event.type == 0x02 { dataIn.take(&event, count) } else { event.begin(count) }
    return true
  }
}
