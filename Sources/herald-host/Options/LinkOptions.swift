import ArgumentParser
import HeraldHostLink
import Logging

/// Options of every command that talks to devices.
struct LinkOptions: ParsableArguments {
  @Option(help: ArgumentHelp("How long an answer may take.", valueName: "seconds"))
  var timeout: Double = 2

  @Flag(name: .shortAndLong, help: "Say on standard error what is odd about the link.")
  var verbose = false

  mutating func validate() throws {
    guard timeout > 0, timeout <= 3600 else {
      throw ValidationError("--timeout takes seconds, more than 0 and at most 3600.")
    }
  }

  /// Opens a device, lets `body` use it, and gives it back; without a selector the only one plugged in.
  func withDevice<Result>(
    _ selector: DeviceSelector?, _ body: (DeviceClient, OpenDevice) throws -> Result
  ) throws -> Result {
    let open = try DeviceDirectory.open(selector)
    defer { open.transport.close() }
    var logger = Logger(label: "herald-host") { StreamLogHandler.standardError(label: $0) }
    logger.logLevel = verbose ? .debug : .error
    let patience = SMPClient.Patience(timeout: .milliseconds(Int64(timeout * 1000)))
    let client = SMPClient(transport: open.transport, patience: patience, logger: logger)
    return try body(DeviceClient(client), open)
  }
}
