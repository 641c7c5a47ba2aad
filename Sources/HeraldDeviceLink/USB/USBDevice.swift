import HeraldEmbedded

/// The device on its USB: enumeration, and the management link on its bulk interface, over any controller.
///
/// `depth` SMP packets are taken at once, each as long as an equal part of `memory` bytes (see `SMPBulkLink`).
public struct USBDevice<Controller: USBController & ~Copyable, let memory: Int, let depth: Int>: ~Copyable {
  /// What it is attached with.
  public var controller: Controller
  private var control = USBControlEndpoint()
  private var link = SMPBulkLink<memory, depth>()
  private var serialNumber: InlineBytes<32>
  /// Whether the bus is suspended: nothing should draw more than 2.5 mA from it.
  public private(set) var isSuspended = false

  /// A device that has not been asked anything. `serialNumber` is ASCII, without spaces.
  ///
  /// Not inlined: what it needs of the stack is to be free again when it returns, and a board's main function never does.
  @inline(never)
  public init(controller: consuming Controller, serialNumber: InlineBytes<32>) {
    self.controller = controller
    self.serialNumber = serialNumber
  }

  /// Whether a host has selected the configuration: the link works.
  public var isConfigured: Bool { control.configuration != 0 }
  /// Packets on the link that were cut off, too long, or none at all.
  public var dropped: UInt32 { link.dropped }

  /// Does all there is to do. Call it when the controller has something, and after the device has changed something.
  public mutating func poll<Device: ManagedDevice & ~Copyable>(
    at now: Instant, server: inout SMPServer, device: inout Device
  ) {
    while let event = controller.nextEvent() {
      switch event {
      case .reset, .detached:
        control.reset()
        link.reset()
        isSuspended = false
      case .suspended: isSuspended = true
      case .resumed: isSuspended = false
      case .setup(let setup): handle(setup)
      }
      sendControl()
    }
    sendControl()
    if isConfigured { link.service(&controller, at: now, server: &server, device: &device) }
  }

  private mutating func sendControl() {
    while control.isSending, controller.write(.control, control.nextPacket) { control.packetSent() }
  }

  private mutating func handle(_ setup: USBSetup) {
    switch control.respond(to: setup, serialNumber: serialNumber) {
    case .send: break
    case .refuse: controller.refuse()
    case .acknowledge: controller.acknowledge()
    case .setAddress(let address):
      controller.acknowledge()
      controller.setAddress(address)
    case .configure(let value):
      link.reset()
      closeLink()
      if value != 0 { openLink() }
      controller.acknowledge()
    case .selectInterface:
      link.reset()
      closeLink()
      openLink()
      controller.acknowledge()
    case .halt(let endpoint, let isHalted):
      controller.setHalted(endpoint, isHalted)
      // The end of a halt is where host and device agree to begin anew.
      if !isHalted {
        if endpoint.isIn { link.resetSending() } else { link.resetReceiving() }
      }
      controller.acknowledge()
    }
  }

  private mutating func openLink() {
    controller.open(.linkOut, .bulk)
    controller.open(.linkIn, .bulk)
  }

  private mutating func closeLink() {
    controller.close(.linkOut)
    controller.close(.linkIn)
  }
}
