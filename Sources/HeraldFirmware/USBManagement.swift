import HeraldDeviceLink
import HeraldHAL

/// The management link on USB: the device, and the SMP servers of its bulk interface and its serial port.
/// `memory` and `depth` are those of `USBDevice`.
public struct USBManagement<Controller: USBController & ~Copyable, let memory: Int, let depth: Int>:
  ManagementLinks, ~Copyable
{
  /// The device as the host sees it.
  public var device: USBDevice<Controller, memory, depth>
  private var server = SMPServer()

  /// A device on `controller`. `serialNumber` is ASCII, without spaces. Both are made here and not in a main
  /// function, which never returns: its stack would keep them.
  @inline(never)
  public init(_ controller: @autoclosure () -> Controller, serialNumber: @autoclosure () -> InlineBytes<32>) {
    device = USBDevice(controller: controller(), serialNumber: serialNumber())
  }

  /// Processes all pending work. The host's next action causes an interrupt. Not inlined: the loop's stack
  /// frame has to be small while the node is polled.
  @inline(never)
  public mutating func serve<Device: ManagedDevice & ~Copyable>(
    at now: Instant, device managed: inout Device
  ) -> Instant {
    device.poll(at: now, server: &server, device: &managed)
  }
}
