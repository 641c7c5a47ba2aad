import HeraldDeviceLink
import HeraldEmbedded
import HeraldHAL
import HeraldUSBIP

/// The device's USB with a USB/IP server at its plug.
///
/// SMP packets are up to 4160 bytes long, two at once, on the link, and one of up to 8320 on the serial port:
/// the device's own limits are those of a board, not of this machine.
public struct USBIPDevice: ~Copyable {
  /// The bus identifier the device is exported as.
  public static let busIdentifier = "1-1"
  /// USB/IP's registered TCP port.
  public static let defaultPort = USBIP.port

  private var server: USBIPServer
  private var usb: USBDevice<VirtualUSBController, 8320, 2>
  private var smp = SMPServer()

  /// Listens on the loopback interface; port 0 takes one that is free. `serialNumber` is ASCII, at most 32
  /// characters; what is beyond them is cut.
  public init(port: UInt16 = USBIPDevice.defaultPort, serialNumber: String) throws(SystemFailure) {
    server = try USBIPServer(port: port)
    var bytes = InlineBytes<32>()
    for character in serialNumber.utf8.prefix(32) { bytes.append(character) }
    usb = USBDevice(controller: VirtualUSBController(), serialNumber: bytes)
  }

  /// The TCP port it listens on.
  public var port: UInt16 { server.port }
  /// Whether a host has attached and configured the device.
  public var isConfigured: Bool { usb.isConfigured }

  /// Adds what is to be waited for.
  public func prepare(_ polls: inout PollSet) { server.prepare(&polls) }

  /// Takes in new hosts and serves those that are there, without waiting. Returns when to be called again at
  /// the latest, if nothing happens.
  @discardableResult
  public mutating func serve<Device: ManagedDevice & ~Copyable>(at now: Instant, device: inout Device)
    -> Instant
  {
    // A host that never stops asking must not stop everything else: what is left over is there at the next
    // call.
    var rounds = 0
    var isMoving = true
    var deadline = Instant.never
    while isMoving, rounds < 64 {
      isMoving = server.receive(&usb.controller)
      deadline = usb.poll(at: now, server: &smp, device: &device)
      server.send(&usb.controller)
      rounds += 1
    }
    return deadline
  }
}
