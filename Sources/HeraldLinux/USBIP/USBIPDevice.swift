import HeraldDeviceLink
import HeraldEmbedded
import HeraldHAL
import HeraldUSBIP

/// The USB device with a USB/IP server as its connection to a host.
///
/// SMP packets have up to 4160 bytes on the bulk interface, two at once, and up to 8320 on the serial port:
/// the limits of a board do not apply to this machine.
package struct USBIPDevice: ~Copyable {
  /// The bus identifier of the exported device.
  package static let busIdentifier = "1-1"
  /// USB/IP's registered TCP port.
  package static let defaultPort = USBIP.port

  private var server: USBIPServer
  private var usb: USBDevice<VirtualUSBController, 8320, 2>
  private var smp = SMPServer()

  /// Listens on the loopback interface; port 0 selects a free one. `serialNumber` is ASCII and is truncated
  /// to 32 characters.
  package init(port: UInt16 = USBIPDevice.defaultPort, serialNumber: String) throws(SystemFailure) {
    server = try USBIPServer(port: port)
    var bytes = InlineBytes<32>()
    for character in serialNumber.utf8.prefix(32) { bytes.append(character) }
    usb = USBDevice(controller: VirtualUSBController(), serialNumber: bytes)
  }

  /// The listening TCP port.
  package var port: UInt16 { server.port }
  /// Whether a host has attached and configured the device.
  package var isConfigured: Bool { usb.isConfigured }

  /// Adds the descriptors of the server to `polls`.
  package func prepare(_ polls: inout PollSet) { server.prepare(&polls) }

  /// Accepts new hosts and serves those connected, without blocking. Returns when to call again at the latest
  /// if no descriptor becomes ready.
  @discardableResult
  package mutating func serve<Device: ManagedDevice & ~Copyable>(at now: Instant, device: inout Device)
    -> Instant
  {
    // Limited, so that a host with continuous requests does not block the loop: the rest is processed at the
    // next call.
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
