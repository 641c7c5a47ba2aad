import HeraldDeviceLink
import HeraldHAL

/// The management link over Bluetooth, for packets of at most `memory` − 3 bytes (`SMPBluetoothLink`). The
/// device has a `BluetoothManagementPort`.
public struct BluetoothManagement<let memory: Int>: ManagementLinks, ~Copyable {
  private var server = SMPServer()
  private var link = SMPBluetoothLink<memory>()

  /// Creates the link.
  public init() {}

  /// Serves requests and passes responses to the radio.
  @inline(never)
  public mutating func serve<Device: ManagedDevice & ~Copyable>(at now: Instant, device: inout Device)
    -> Instant
  {
    link.serve(at: now, server: &server, device: &device)
  }
}

/// Two management links of a device, each with sessions of its own.
public struct LinkPair<First: ManagementLinks & ~Copyable, Second: ManagementLinks & ~Copyable>:
  ManagementLinks, ~Copyable
{
  /// The first link.
  public var first: First
  /// The second link.
  public var second: Second

  /// Creates the pair. Both links are made in place.
  @inline(never)
  public init(_ first: @autoclosure () -> First, _ second: @autoclosure () -> Second) {
    self.first = first()
    self.second = second()
  }

  /// A link on USB and one over Bluetooth; see `USBManagement.init`.
  @inline(never)
  public init<Controller: USBController & ~Copyable, let memory: Int, let depth: Int, let room: Int>(
    _ controller: @autoclosure () -> Controller, serialNumber: @autoclosure () -> InlineBytes<32>
  ) where First == USBManagement<Controller, memory, depth>, Second == BluetoothManagement<room> {
    first = USBManagement(controller(), serialNumber: serialNumber())
    second = BluetoothManagement()
  }

  /// A link on a serial line and one over Bluetooth; see `SerialManagement.init`.
  public init<Line: ByteLine & ~Copyable, let capacity: Int, let room: Int>(_ line: consuming Line)
  where First == SerialManagement<Line, capacity>, Second == BluetoothManagement<room> {
    first = SerialManagement(line)
    second = BluetoothManagement()
  }

  /// Serves both.
  public mutating func serve<Device: ManagedDevice & ~Copyable>(at now: Instant, device: inout Device)
    -> Instant
  {
    let next = first.serve(at: now, device: &device)
    let other = second.serve(at: now, device: &device)
    return next < other ? next : other
  }
}
