import HeraldHostLink
import HeraldLinux

/// Opens devices over Bluetooth.
enum BluetoothDevices {
  /// How long a device is looked for.
  static let timeout = Duration.seconds(30)

  /// Opens the device with this serial number over a controller, which no other program uses meanwhile.
  static func open(_ serial: String, over controller: RadioAddress) throws(HostLinkError) -> OpenDevice {
    switch controller {
    case .userChannel(let adapter):
      let line: HCIUserChannel
      do throws(SystemFailure) {
        line = try HCIUserChannel(adapter: adapter)
      } catch {
        throw HostLinkError(.link, "\(error)")
      }
      return try open(serial, line: line)
    case .air: throw HostLinkError(.usage, "\(controller) is no Bluetooth controller")
    default:
      let line: H4Stream
      do throws(SystemFailure) {
        line = try H4Stream(controller)
      } catch {
        throw HostLinkError(.link, "\(error)")
      }
      return try open(serial, line: line)
    }
  }

  private static func open<Line: PollableTransport & ~Copyable>(
    _ serial: String, line: consuming Line
  ) throws(HostLinkError) -> OpenDevice {
    let transport = try BluetoothTransport(serial: serial, line: line, by: .after(timeout))
    var identity = USBIdentity()
    identity.serial = serial
    return OpenDevice(transport: transport, identity: identity)
  }
}
