import ArgumentParser
import HeraldConsole
import HeraldHostLink
import HeraldText

/// `herald-host devices`
struct Devices: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Lists the Herald devices that can be reached.",
    discussion: """
      Devices this user may not open are listed too, with what is in the way.

      Example: `herald-host devices --json`
      """)

  @Option(
    help: ArgumentHelp(
      "List the devices of this USB/IP server as well; may be repeated.", valueName: "host[:port]"))
  var usbip: [String] = []

  @OptionGroup var people: PeopleOptions
  @OptionGroup var display: DisplayOptions

  private struct Row: Encodable {
    let location: String
    let serial: String
    /// The person who wears it; `nil` if nobody is known to.
    let person: String?
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
    /// How many of the devices that are worn today are here, and who wears the others.
    let summary: String?
  }

  func run() throws {
    let wearers = try people.wearers()
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
    if errors.isEmpty || !found.isEmpty || display.json { try show(found, errors, wearers) }
    if let last = errors.last { throw ExitCode(last.cause.exitStatus) }
  }

  private func show(_ found: [FoundDevice], _ errors: [HostLinkError], _ wearers: Wearers) throws {
    let rows = found.map {
      Row(
        location: $0.location, serial: $0.identity.serial, person: wearers.person(of: $0.identity.serial),
        product: $0.identity.product,
        manufacturer: $0.identity.manufacturer,
        usbID: "\($0.vendorID.hexadecimal(4)):\($0.productID.hexadecimal(4))", usable: $0.obstacle == nil,
        obstacle: $0.obstacle.map(ErrorRow.init))
    }
    let summary = wearers.summary(of: found.map(\.identity.serial), verb: "here")
    try display.show(Rows(devices: rows, errors: errors.map(ErrorRow.init), summary: summary)) {
      Self.list(found, wearers)
      if let summary { Console.line(summary) }
    }
  }

  private static func list(_ found: [FoundDevice], _ wearers: Wearers) {
    guard !found.isEmpty else {
      Console.line("No Herald device found.")
      return
    }
    var rows = [["DEVICE", "SERIAL"] + (wearers.isKnown ? ["PERSON"] : []) + ["PRODUCT", ""]]
    for device in found {
      let person = wearers.isKnown ? [wearers.person(of: device.identity.serial) ?? "-"] : []
      rows.append(
        [device.location, device.identity.serial] + person
          + [device.identity.product, device.obstacle?.what ?? ""])
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
      """
      As root: herald-host udev-rule > /etc/udev/rules.d/70-herald.rules && udevadm control --reload

      Example: `herald-host udev-rule`
      """)

  func run() { Console.data(Array((LibUSB.udevRule + "\n").utf8)) }
}
