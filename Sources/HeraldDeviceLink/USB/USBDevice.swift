import HeraldHAL

/// The device on its USB: enumeration, the management link on its bulk interface, and the serial port, over
/// any controller.
///
/// `depth` SMP packets are accepted at once on the link, each as long as an equal part of `memory` bytes (see
/// `SMPBulkLink`). The serial port has all of the memory for its one packet, while the link is idle: a packet
/// begun on one is finished before one on the other begins. After a second of silence within a packet the
/// memory is assigned to the other.
///
/// Both have one session (`SMPServer.endSession`), which belongs to the holder of its keys. It ends when a
/// host selects the configuration or an interface, as programs do when they begin, and when a program closes
/// the serial port.
public struct USBDevice<Controller: USBController & ~Copyable, let memory: Int, let depth: Int>: ~Copyable {
  /// The USB device controller.
  public var controller: Controller
  private var control: USBControlEndpoint<USBDescriptors>
  private var link = SMPBulkLink<memory, depth>()
  private var serial = USBSerialPort()
  /// Whether the data of Set Line Coding are still to come.
  private var awaitsLineCoding = false
  /// Whether the bus is suspended: nothing should draw more than 2.5 mA from it.
  public private(set) var isSuspended = false

  /// A device in the default state. `serialNumber` is ASCII, without spaces.
  ///
  /// Not inlined: its stack frame has to be free again when it returns, and a board's main function never
  /// returns.
  @inline(never)
  public init(controller: consuming Controller, serialNumber: InlineBytes<32>) {
    self.controller = controller
    control = USBControlEndpoint(serialNumber: serialNumber)
  }

  /// Whether a host has selected the configuration: the link and the serial port work.
  public var isConfigured: Bool { control.configuration != 0 }
  /// Packets on the link and the serial port that were truncated, too long, damaged, or invalid.
  public var dropped: UInt32 { link.dropped &+ serial.dropped }

  /// Processes all pending work. Call it when the controller has an event, and after the device has changed
  /// something. Returns when to be called again at the latest, if nothing happens.
  @discardableResult
  public mutating func poll<Device: ManagedDevice & ~Copyable>(
    at now: Instant, server: inout SMPServer, device: inout Device
  ) -> Instant {
    while let event = controller.nextEvent() {
      switch event {
      case .reset, .detached:
        control.reset()
        forgetFunctions()
        server.endSession()
        isSuspended = false
      case .suspended: isSuspended = true
      case .resumed: isSuspended = false
      case .setup(let setup): handle(setup, server: &server)
      }
      serveControl()
    }
    serveControl()
    guard isConfigured else { return .never }
    repeat {
      if link.isWaiting, serial.isStuck(at: now) { serial.forget() }
      link.service(&controller, mayBegin: serial.isIdle, at: now, server: &server, device: &device)
      if serial.isWaiting, link.isStuck(at: now) { link.giveUp() }
      serveSerial(at: now, server: &server, device: &device)
    } while link.isWaiting && serial.isIdle
    return link.isWaiting || serial.isWaiting ? now + .seconds(1) : .never
  }

  private mutating func serveSerial<Device: ManagedDevice & ~Copyable>(
    at now: Instant, server: inout SMPServer, device: inout Device
  ) {
    let mayBegin = link.isIdle
    var packets = link.packets.mutableSpan
    serial.service(
      &controller, in: &packets, mayBegin: mayBegin, at: now, server: &server, device: &device)
  }

  private mutating func forgetFunctions() {
    link.reset()
    serial.reset()
    awaitsLineCoding = false
  }

  private mutating func serveControl() {
    while control.isSending, controller.write(.control, control.nextPacket()) { control.packetSent() }
    guard awaitsLineCoding, let isRight = serial.receiveLineCoding(&controller) else { return }
    awaitsLineCoding = false
    if isRight { controller.acknowledge() } else { controller.refuse() }
  }

  private mutating func handle(_ setup: USBSetup, server: inout SMPServer) {
    awaitsLineCoding = false
    var outcome = control.respond(to: setup)
    if outcome == .decide { outcome = decide(setup, server: &server) }
    switch outcome {
    case .send: break
    // The data stage of Set Line Coding.
    case .decide: awaitsLineCoding = true
    case .refuse: controller.refuse()
    case .acknowledge: controller.acknowledge()
    case .setAddress(let address):
      controller.acknowledge()
      controller.setAddress(address)
    case .configure(let value):
      forgetFunctions()
      server.endSession()
      for interface in UInt16(0)...2 { setOpen(interface, value != 0) }
      controller.acknowledge()
    case .selectInterface(let interface):
      if interface == USBDescriptors.Interface.link { link.reset() }
      if interface == USBDescriptors.Interface.serialData { serial.forget() }
      server.endSession()
      setOpen(interface, true)
      controller.acknowledge()
    case .halt(let endpoint, let isHalted):
      controller.setHalted(endpoint, isHalted)
      // The end of a halt is the point from which host and device start again.
      if !isHalted { beginAnew(endpoint) }
      controller.acknowledge()
    }
  }

  /// The requests of the serial port (PSTN 1.2, table 13), all to its control interface.
  private enum SerialRequest {
    static var setLineCoding: UInt8 { 0x20 }
    static var getLineCoding: UInt8 { 0x21 }
    static var setControlLineState: UInt8 { 0x22 }
  }

  /// Decides about a request of the serial port, and about Microsoft's request for its descriptors. `.decide`
  /// if the data of Set Line Coding are to be received.
  private mutating func decide(_ setup: USBSetup, server: inout SMPServer)
    -> USBControlEndpoint<USBDescriptors>.Outcome
  {
    if setup.requestType == 0xC0 {
      guard setup.request == USBDescriptors.microsoftRequest,
        setup.index == USBDescriptors.microsoftSetIndex, setup.value == 0
      else { return .refuse }
      return control.sendVendorResponse(setup)
    }
    guard isConfigured, setup.index == USBDescriptors.Interface.serialControl else { return .refuse }
    switch (setup.requestType, setup.request) {
    case (0x21, SerialRequest.setLineCoding) where setup.value == 0 && setup.length == 7: return .decide
    case (0xA1, SerialRequest.getLineCoding) where setup.value == 0:
      return control.send(serial.lineCoding(), setup)
    // Bit 0 is Data Terminal Ready; bit 1, Request To Send, has no meaning here.
    case (0x21, SerialRequest.setControlLineState) where setup.length == 0:
      if serial.setTerminal(setup.value & 1 != 0) { server.endSession() }
      return .acknowledge
    default: return .refuse
    }
  }

  private mutating func beginAnew(_ endpoint: USBEndpoint) {
    switch endpoint {
    case .linkIn: link.resetSending()
    case .linkOut: link.resetReceiving()
    case .serialIn, .serialOut: serial.forget()
    default: break
    }
  }

  /// Closes the endpoints of an interface and, unless that is all, opens them again.
  @inline(never)
  private mutating func setOpen(_ interface: UInt16, _ isOpen: Bool) {
    switch interface {
    case USBDescriptors.Interface.link:
      reopen(.linkOut, .bulk, isOpen)
      reopen(.linkIn, .bulk, isOpen)
    case USBDescriptors.Interface.serialControl: reopen(.serialState, .interrupt, isOpen)
    default:
      reopen(.serialOut, .bulk, isOpen)
      reopen(.serialIn, .bulk, isOpen)
    }
  }

  @inline(never)
  private mutating func reopen(_ endpoint: USBEndpoint, _ kind: USBTransferKind, _ isOpen: Bool) {
    controller.close(endpoint)
    if isOpen { controller.open(endpoint, kind) }
  }
}
