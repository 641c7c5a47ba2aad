import ArgumentParser
import HeraldHostLink

/// Options of commands that can be done with many devices at once.
struct FleetOptions: ParsableArguments {
  @Option(name: .shortAndLong, help: "Which device; may be repeated. See `herald-host --help`.")
  var device: [String] = []

  @Flag(help: "Every device plugged into this computer, and those that --usbip and --device name.")
  var all = false

  @Option(
    help: ArgumentHelp(
      "With --all: every device of this USB/IP server, too; may be repeated.", valueName: "host[:port]"))
  var usbip: [String] = []

  @OptionGroup var link: LinkOptions

  mutating func validate() throws {
    guard all || usbip.isEmpty else {
      throw ValidationError("--usbip is for --all; name one device with --device.")
    }
  }

  /// Whether one device is meant, and not a number of them, which may be one by chance.
  var isSingle: Bool { !all && device.count < 2 }

  /// The devices that are meant; `nil` is the only one plugged into this computer, which is meant where none is named.
  func optionalSelectors() throws(HostLinkError) -> [DeviceSelector?] {
    let named = try selectors()
    return named.isEmpty ? [nil] : named
  }

  /// The devices that are named, each once.
  func selectors() throws(HostLinkError) -> [DeviceSelector] {
    var selectors: [DeviceSelector] = []
    func add(_ selector: DeviceSelector) {
      if !selectors.contains(selector) { selectors.append(selector) }
    }
    for name in device { add(try DeviceSelector(name)) }
    guard all else { return selectors }
    var failure: HostLinkError?
    do {
      for found in try DeviceDirectory.usbDevices() { add(try DeviceSelector(found.location)) }
    } catch {
      failure = error
    }
    for server in usbip {
      for found in try DeviceDirectory.usbipDevices(server: server) {
        add(try DeviceSelector(found.location))
      }
    }
    guard selectors.isEmpty else { return selectors }
    // A computer without USB can still reach a server's devices.
    throw failure
      ?? HostLinkError(
        .noDevice, "there is no Herald device",
        advice: "plug one in, or name a server with --usbip or a device with --device")
  }
}
