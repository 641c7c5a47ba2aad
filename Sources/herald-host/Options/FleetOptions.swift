import ArgumentParser
import HeraldHostLink
import HeraldText

/// Options of commands for several devices.
struct FleetOptions: ParsableArguments {
  @Option(
    name: .shortAndLong, help: "Which device; may be repeated. See `herald-host --help`.",
    completion: .devices)
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

  /// Whether a single device is selected: neither `--all` nor several `--device` options.
  var isSingle: Bool { !all && device.count < 2 }

  /// The selected device if `isSingle`; `nil` for the only device connected to this computer.
  func single() throws(HostLinkError) -> DeviceSelector? {
    guard let name = device.first else { return nil }
    return try DeviceSelector(name)
  }

  /// The selected devices, without duplicates, and the servers that did not respond. Servers are queried
  /// concurrently.
  /// - Throws: `.usage` for a selector that matches nothing, `.noDevice` if there is neither a device nor a
  ///   server that failed.
  func muster() throws(HostLinkError) -> FleetSelection {
    var muster = FleetSelection()
    for name in device { muster.add(try DeviceSelector(name)) }
    guard all else {
      if muster.selectors.isEmpty { muster.selectors = [nil] }
      return muster
    }
    for server in usbip { _ = try DeviceDirectory.address(of: server) }
    var failure: HostLinkError?
    do {
      for found in try DeviceDirectory.usbDevices() { muster.add(try DeviceSelector(found.location)) }
    } catch {
      failure = error
    }
    let answers = ServerQuery.ask(usbip) { server throws(HostLinkError) in
      try DeviceDirectory.usbipSelectors(server: server)
    }
    for (server, answer) in zip(usbip, answers) {
      switch answer {
      case .success(let found): for selector in found { muster.add(selector) }
      case .failure(let error):
        muster.absent.append((location: "usbip://\(PrintableText.of(server))", error: error))
      }
    }
    guard muster.selectors.isEmpty, muster.absent.isEmpty else { return muster }
    // Devices of a server are available without USB support on this computer.
    throw failure
      ?? HostLinkError(
        .noDevice, "there is no Herald device",
        advice: "plug one in, or name a server with --usbip or a device with --device")
  }
}

/// The selected devices.
struct FleetSelection: Sendable {
  /// The selectors of the devices; `nil` for the only device connected to this computer.
  var selectors: [DeviceSelector?] = []
  /// The servers that did not return their device list, and the reasons.
  var absent: [(location: String, error: HostLinkError)] = []

  /// Adds a device unless it is present.
  mutating func add(_ selector: DeviceSelector) {
    if !selectors.contains(selector) { selectors.append(selector) }
  }
}

extension CompletionKind {
  /// Completion of devices connected to this computer, and of serial lines.
  static var devices: CompletionKind {
    .custom { _, _, _ in
      let plugged = (try? DeviceDirectory.usbDevices()) ?? []
      let serials = plugged.map(\.identity.serial).filter { !$0.isEmpty && !$0.contains("/") }
      return plugged.map(\.location) + serials + SerialLines.paths
    }
  }
}
