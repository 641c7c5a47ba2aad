import ArgumentParser
import HeraldHostLink

/// Options of commands for one device.
struct DeviceOptions: ParsableArguments {
  @Option(
    name: .shortAndLong, help: "Which device; see `herald-host --help`.", completion: .devices)
  var device: String?

  @OptionGroup var link: LinkOptions

  /// Opens the device for `body`, then closes it.
  func withDevice<Result>(_ body: (DeviceClient, OpenDevice) throws -> Result) throws -> Result {
    var selector: DeviceSelector?
    if let device { selector = try DeviceSelector(device) }
    return try link.withDevice(selector, body)
  }
}
