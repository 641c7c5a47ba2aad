import ArgumentParser
import HeraldConsole
import HeraldHostLink
import HeraldText

/// `herald-host info`
struct Info: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Says what a device is.",
    discussion: "Example: `herald-host info --device HERALD-0001`")

  @OptionGroup var options: DeviceOptions
  @OptionGroup var display: DisplayOptions

  private struct Row: Encodable {
    let location: String
    let usb: USBIdentity
    let device: DeviceInformation
    let access: DeviceAccess.State
    let restart: DeviceRestart?
    let settings: DeviceSettingsHealth?
    let sealing: DeviceSealing
  }

  func run() throws {
    try options.withDevice { device, open in
      let information = try device.information()
      let access = try device.access().state
      let restart = try device.restart()
      let settings = try device.settingsHealth()
      let location = open.transport.location
      let row = Row(
        location: location, usb: open.identity, device: information, access: access, restart: restart,
        settings: settings, sealing: try device.sealing())
      guard !display.json else { return try Console.printJSON(row) }
      let serial = open.identity.serial.isEmpty ? information.serial : open.identity.serial
      var facts = Facts()
      facts.add("Device", location)
      facts.add("Product", open.identity.product)
      facts.add("Manufacturer", open.identity.manufacturer)
      facts.add("Serial number", serial)
      facts.add("Firmware", "\(information.firmware) \(information.release)")
      facts.add("Version", information.version == information.release ? "" : information.version)
      facts.add("Built", information.buildDate)
      facts.add("Board", information.board)
      facts.add("Processor", information.processor)
      facts.add("Architecture", information.machine)
      facts.add("System", information.system)
      facts.add("Access", access.words)
      facts.add("Sealing", try device.sealing().words)
      if let restart { Self.add(restart, to: &facts) }
      if let settings { Self.add(settings, to: &facts) }
      if !display.quiet { facts.print() }
    }
  }
}

extension Info {
  /// Adds the errors of the settings, if any.
  private static func add(_ settings: DeviceSettingsHealth, to facts: inout Facts) {
    if settings.damagedPages > 0 {
      let pages = Console.count(settings.damagedPages, "page")
      facts.add(
        "Settings",
        "\(pages) found damaged and erased; their settings are lost and the defaults apply; a locked device is still locked"
      )
    }
    if settings.flashErrors > 0 {
      facts.add("Settings", "their flash failed \(Console.count(settings.flashErrors, "time"))")
    }
  }

  /// Adds the cause of the start, and the details of a fault.
  private static func add(_ restart: DeviceRestart, to facts: inout Facts) {
    facts.add("Started", restart.reason)
    if let registers = restart.registers {
      let lasted = DurationText.of(seconds: Int(restart.lasted))
      facts.add("Fault at", "0x\(registers.pc.hexadecimal(8)), after \(lasted)")
      facts.add("Called from", "0x\(registers.lr.hexadecimal(8))")
      facts.add("Program status", "0x\(registers.psr.hexadecimal(8))")
      facts.add("Fault status", registers.faultStatus == 0 ? "" : "0x\(registers.faultStatus.hexadecimal(8))")
      facts.add(
        "Fault address", registers.faultAddress == 0 ? "" : "0x\(registers.faultAddress.hexadecimal(8))")
    }
    facts.add("Faults", restart.faults == 0 ? "" : "\(restart.faults) since power came on")
    facts.add("Limited", restart.limitation ?? "")
  }
}
