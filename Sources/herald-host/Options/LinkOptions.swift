import ArgumentParser
import HeraldConsole
import HeraldHostLink
import HeraldLinux
import Logging

/// Options of commands for devices.
struct LinkOptions: ParsableArguments {
  @OptionGroup var answers: AnswerOptions

  @Flag(name: .shortAndLong, help: "Say on standard error what is odd about the link.")
  var verbose = false

  @Option(
    help: ArgumentHelp(
      "The Bluetooth controller for --device ble:SERIAL: hci:N, h4:/dev/NAME, tcp:HOST:PORT or unix:PATH.",
      valueName: "controller"),
    transform: { try RadioAddress($0) })
  var controller = RadioAddress.userChannel(adapter: 0)

  /// Opens a device for `body`, then closes it; without a selector, the only connected device. `wrapping`
  /// may put another transport around that of the device.
  func withDevice<Result>(
    _ selector: DeviceSelector?,
    wrapping wrap: (OpenDevice) -> OpenDevice = { $0 },
    _ body: (DeviceClient, OpenDevice) throws -> Result
  ) throws -> Result {
    EndSignals.closeSessions()
    let (device, open) = try connect(selector, wrap)
    defer {
      device.client.closeSession()
      open.transport.close()
    }
    return try body(device, open)
  }

  /// Opens a device, and a session with it if there is a key for it.
  private func connect(_ selector: DeviceSelector?, _ wrap: (OpenDevice) -> OpenDevice)
    throws(HostLinkError) -> (DeviceClient, OpenDevice)
  {
    guard case .bluetooth(let serial, let address) = selector else {
      let open = wrap(try DeviceDirectory.open(selector))
      do throws(HostLinkError) {
        return (try authenticated(open), open)
      } catch {
        open.transport.close()
        throw error
      }
    }
    var device: DeviceClient?
    let open = try BluetoothDevices.open(
      BluetoothSearch(serial: serial, address: address), serial: serial, over: controller,
      prove: { found throws(HostLinkError) in
        let client = try authenticated(found)
        device = client
        return client.client.isSealed
      }, remark: { Console.note("herald-host: \($0)") })
    guard let device else { throw HostLinkError(.noDevice, "there is no Herald device ble:\(serial)") }
    return (device, open)
  }

  /// A client of an open device, in a session if there is a key for it.
  private func authenticated(_ open: OpenDevice) throws(HostLinkError) -> DeviceClient {
    var logger = Logger(label: "herald-host") { _ in ConsoleLogHandler() }
    logger.logLevel = verbose ? .debug : .error
    let timeouts = SMPClient.Timeouts(timeout: answers.responseTimeout)
    let device = DeviceClient(SMPClient(transport: open.transport, timeouts: timeouts, logger: logger))
    guard let path = answers.keyFile else { return device }
    do throws(HostLinkError) {
      try device.authenticate(keyFile: path, serial: open.identity.serial, isNew: answers.isNewDevice) {
        Console.note("herald-host: \($0)")
      }
    } catch {
      device.client.closeSession()
      throw error
    }
    return device
  }
}
