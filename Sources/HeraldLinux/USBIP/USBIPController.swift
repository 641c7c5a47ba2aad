import HeraldHAL
import HeraldLinkLayer

/// A Bluetooth controller on USB, with a USB/IP server as its connection to a host.
package struct USBIPController: ~Copyable {
  private var server: USBIPServer
  private var device: HCIUSBDevice<VirtualUSBController>

  /// Listens on the loopback interface; port 0 selects a free one. `serialNumber` is ASCII and is truncated
  /// to 32 characters.
  package init(port: UInt16, serialNumber: String) throws(SystemFailure) {
    server = try USBIPServer(port: port, exporting: .controller)
    var bytes = InlineBytes<32>()
    for character in serialNumber.utf8.prefix(32) { bytes.append(character) }
    device = HCIUSBDevice(usb: VirtualUSBController(), serialNumber: bytes)
  }

  /// The listening TCP port.
  package var port: UInt16 { server.port }
  /// Whether a host has attached and configured the device.
  package var isConfigured: Bool { device.isConfigured }

  /// Waits until a host has sent something, for at most so many milliseconds of real time.
  package mutating func wait(milliseconds: UInt32) {
    var polls = PollSet()
    server.prepare(&polls)
    polls.wait(until: .start + .milliseconds(milliseconds), from: .start)
  }

  /// Accepts new hosts and serves those connected, without blocking. Returns whether anything was exchanged.
  package mutating func serve<Random: RandomSource & ~Copyable, let connections: Int>(
    _ hci: inout HCIController<PhyRadio, Random, connections>
  ) -> Bool {
    // Limited, so that a host with continuous requests does not stop the simulation.
    var rounds = 0
    var isMoving = true
    while isMoving, rounds < 64 {
      isMoving = server.receive(&device.usb)
      if device.poll(&hci) { isMoving = true }
      server.send(&device.usb)
      rounds += 1
    }
    return rounds > 1
  }
}
