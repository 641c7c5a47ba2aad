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
    let open = wrap(try open(selector))
    var logger = Logger(label: "herald-host") { StreamLogHandler.standardError(label: $0) }
    logger.logLevel = verbose ? .debug : .error
    let timeouts = SMPClient.Timeouts(timeout: answers.responseTimeout)
    let device = DeviceClient(SMPClient(transport: open.transport, timeouts: timeouts, logger: logger))
    defer {
      device.client.closeSession()
      open.transport.close()
    }
    if let path = answers.keyFile {
      try device.authenticate(keyFile: path, serial: open.identity.serial, isNew: answers.isNewDevice) {
        Console.note("herald-host: \($0)")
      }
    }
    return try body(device, open)
  }

  private func open(_ selector: DeviceSelector?) throws(HostLinkError) -> OpenDevice {
    guard case .bluetooth(let serial) = selector else { return try DeviceDirectory.open(selector) }
    return try BluetoothDevices.open(serial, over: controller)
  }
}
