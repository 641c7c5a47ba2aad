import HeraldDeviceLink
import HeraldHAL

/// The management link on USB: the device, and the SMP servers of its bulk interface and its serial port.
/// `memory` and `depth` are those of `USBDevice`.
public struct USBManagement<Controller: USBController & ~Copyable, let memory: Int, let depth: Int>:
  ManagementLinks, ~Copyable
{
  /// The USB device.
  public var device: USBDevice<Controller, memory, depth>
  private var server = SMPServer()

  /// Creates a device on `controller`. `serialNumber` is ASCII, without spaces. Both are evaluated here, not
  /// in a main function that never returns, whose stack frame would retain them.
  @inline(never)
  public init(_ controller: @autoclosure () -> Controller, serialNumber: @autoclosure () -> InlineBytes<32>) {
    device = USBDevice(controller: controller(), serialNumber: serialNumber())
  }

  /// Performs all pending work. Later actions of the host cause an interrupt. Not inlined, to keep the loop's
  /// stack frame small while the node is polled.
  @inline(never)
  public mutating func serve<Device: ManagedDevice & ~Copyable>(
    at now: Instant, device managed: inout Device
  ) -> Instant {
    device.poll(at: now, server: &server, device: &managed)
  }
}
