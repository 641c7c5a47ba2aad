import ArgumentParser
import HeraldConsole
import HeraldHostLink
import Logging

/// Options of every command that talks to devices.
struct LinkOptions: ParsableArguments {
  @OptionGroup var answers: AnswerOptions

  @Flag(name: .shortAndLong, help: "Say on standard error what is odd about the link.")
  var verbose = false

  /// Opens a device, lets `body` use it, and gives it back; without a selector the only one plugged in.
  func withDevice<Result>(
    _ selector: DeviceSelector?, _ body: (DeviceClient, OpenDevice) throws -> Result
  ) throws -> Result {
    let open = try DeviceDirectory.open(selector)
    defer { open.transport.close() }
    var logger = Logger(label: "herald-host") { StreamLogHandler.standardError(label: $0) }
    logger.logLevel = verbose ? .debug : .error
    let patience = SMPClient.Patience(timeout: answers.patience)
    let device = DeviceClient(SMPClient(transport: open.transport, patience: patience, logger: logger))
    if let path = answers.keyFile {
      try unlock(device, open, with: path)
    }
    return try body(device, open)
  }

  /// Opens a device that is locked.
  private func unlock(_ device: DeviceClient, _ open: OpenDevice, with path: String) throws(HostLinkError) {
    guard try !device.access().isOpen else { return }
    var serial = open.identity.serial
    if serial.isEmpty, SecretPath.isPerDevice(path) { serial = try device.information().serial }
    let file = try SecretPath.of(path, serial: serial)
    let key = try AccessKey.read(file)
    if key.isOpenToOthers {
      Console.note("herald-host: others than its owner may use \(file); `chmod 600` it")
    }
    try device.unlock(key)
  }
}
