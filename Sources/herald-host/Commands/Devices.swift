import ArgumentParser
import HeraldConsole
import HeraldHostLink
import HeraldText

/// `herald-host devices`
struct Devices: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Lists the Herald devices that can be reached.",
    discussion: "Devices this user may not open are listed too, with what is in the way.")

  @Option(
    help: ArgumentHelp(
      "List the devices of this USB/IP server as well; may be repeated.", valueName: "host[:port]"))
  var usbip: [String] = []

  @OptionGroup var display: DisplayOptions

  private struct Row: Encodable {
    let location: String
    let serial: String
    let product: String
    let manufacturer: String
    let usbID: String
    let usable: Bool
    let obstacle: ErrorRow?
  }

  /// The devices, and the servers that did not respond.
  private struct Rows: Encodable {
    let devices: [Row]
    let errors: [ErrorRow]
  }

  func run() throws {
    var found: [FoundDevice] = []
    var errors: [HostLinkError] = []
    do {
      found += try DeviceDirectory.usbDevices()
    } catch {
      // Devices of a server are available without USB support on this computer.
      if usbip.isEmpty { throw error }
      Console.complain(error)
    }
    let answers = ServerQuery.ask(usbip) { server throws(HostLinkError) in
      try DeviceDirectory.usbipDevices(server: server)
    }
    for answer in answers {
      switch answer {
      case .success(let more): found += more
      case .failure(let error):
        Console.complain(error)
        errors.append(error)
      }
    }
    if errors.isEmpty || !found.isEmpty || display.json { try show(found, errors) }
    if let last = errors.last { throw ExitCode(last.cause.exitStatus) }
  }

  private func show(_ found: [FoundDevice], _ errors: [HostLinkError]) throws {
    let rows = found.map {
      Row(
        location: $0.location, serial: $0.identity.serial, product: $0.identity.product,
        manufacturer: $0.identity.manufacturer,
        usbID: "\($0.vendorID.hexadecimal(4)):\($0.productID.hexadecimal(4))", usable: $0.obstacle == nil,
        obstacle: $0.obstacle.map(ErrorRow.init))
    }
    try display.show(Rows(devices: rows, errors: errors.map(ErrorRow.init))) { Self.list(found) }
  }

  private static func list(_ found: [FoundDevice]) {
    guard !found.isEmpty else {
      Console.line("No Herald device found.")
      return
    }
    var rows = [["DEVICE", "SERIAL", "PRODUCT", ""]]
    for device in found {
      rows.append([
        device.location, device.identity.serial, device.identity.product, device.obstacle?.what ?? "",
      ])
    }
    Console.printTable(rows)
    for advice in Set(found.compactMap { $0.obstacle?.advice }).sorted() { Console.line("  → \(advice)") }
  }
}

/// `herald-host udev-rule`
struct UdevRule: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "udev-rule",
    abstract: "Prints the udev rule that lets the person at the console use Herald devices.",
    discussion:
      "As root: herald-host udev-rule > /etc/udev/rules.d/70-herald.rules && udevadm control --reload")

  func run() { Console.line(LibUSB.udevRule) }
}
