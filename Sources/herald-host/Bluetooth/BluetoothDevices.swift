import HeraldHostLink
import HeraldLinux
import HeraldText

/// Opens devices over Bluetooth.
enum BluetoothDevices {
  /// How long a device is looked for.
  static let timeout = Duration.seconds(30)

  /// Opens the device with this serial number over a controller, which no other program uses meanwhile.
  /// `prove` opens a session with the device at the other end of a transport and returns false if there is no
  /// key for it; `remark` is called with what the user should know.
  static func open(
    _ search: BluetoothSearch, serial: String, over controller: RadioAddress,
    prove: (OpenDevice) throws(HostLinkError) -> Bool, remark: (String) -> Void
  ) throws(HostLinkError) -> OpenDevice {
    switch controller {
    case .userChannel(let adapter):
      let line: HCIUserChannel
      do throws(SystemFailure) {
        line = try HCIUserChannel(adapter: adapter)
      } catch {
        throw HostLinkError(.link, "\(error)")
      }
      return try open(search, BluetoothTransport(serial: serial, line: line), serial, prove, remark)
    case .air: throw HostLinkError(.usage, "\(controller) is no Bluetooth controller")
    default:
      let line: H4Stream
      do throws(SystemFailure) {
        line = try H4Stream(controller)
      } catch {
        throw HostLinkError(.link, "\(error)")
      }
      return try open(search, BluetoothTransport(serial: serial, line: line), serial, prove, remark)
    }
  }

  private static func open<Radio: SMPTransport & ManagementRadio>(
    _ search: BluetoothSearch, _ radio: Radio, _ serial: String,
    _ prove: (OpenDevice) throws(HostLinkError) -> Bool, _ remark: (String) -> Void
  ) throws(HostLinkError) -> OpenDevice {
    var identity = USBIdentity()
    identity.serial = serial
    let device = OpenDevice(transport: radio, identity: identity)
    var search = search
    let others = try search.run(radio, by: .after(timeout)) { () throws(HostLinkError) in try prove(device) }
    for other in others {
      remark(
        "another device near reports the serial number \(PrintableText.of(serial)) and does not have its key: \(other.text)"
      )
    }
    return device
  }
}
