import ArgumentParser
import HeraldHostLink

/// Options of every command that talks to one device.
struct DeviceOptions: ParsableArguments {
  @Option(
    name: .shortAndLong, help: "Which device; see `herald-host --help`.", completion: .devices)
  var device: String?

  @OptionGroup var link: LinkOptions

  /// Opens the device, lets `body` use it, and gives it back.
  func withDevice<Result>(_ body: (DeviceClient, OpenDevice) throws -> Result) throws -> Result {
    var selector: DeviceSelector?
    if let device { selector = try DeviceSelector(device) }
    return try link.withDevice(selector, body)
  }
}
