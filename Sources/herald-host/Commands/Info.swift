import ArgumentParser
import HeraldConsole
import HeraldHostLink
import HeraldText

/// `herald-host info`
struct Info: ParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Says what a device is.")

  @OptionGroup var options: DeviceOptions
  @OptionGroup var display: DisplayOptions

  private struct Row: Encodable {
    let location: String
    let usb: USBIdentity
    let device: DeviceInformation
    let access: DeviceAccess.State
    let restart: DeviceRestart?
    let settings: DeviceSettingsHealth?
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
        settings: settings)
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

/// `herald-host status`
struct Status: ParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Says how a device is: its clock and its log.")

  @OptionGroup var options: DeviceOptions
  @OptionGroup var display: DisplayOptions

  private struct Row: Encodable {
    let location: String
    let id: String?
    let epoch: UInt32
    let first: UInt32
    let last: UInt32
    let openBytes: UInt32
    let pageSize: UInt32
    let boot: UInt32
    let keptDays: UInt32?
    let uptimeMilliseconds: UInt64
    /// The device's date; `nil` if its clock has not been set.
    let time: String?
    /// The access state, which determines who may read the log.
    let access: DeviceAccess.State

    init(_ status: DeviceLogStatus, _ access: DeviceAccess.State, at location: String) {
      self.location = location
      self.access = access
      id = status.identifier?.hexadecimal
      epoch = status.epoch
      first = status.first
      last = status.last
      openBytes = status.openBytes
      pageSize = status.pageSize
      boot = status.boot
      keptDays = status.keptDays
      uptimeMilliseconds = status.uptimeMilliseconds
      time = status.unixMilliseconds.map(UTCTimestamp.json)
    }
  }

  func run() throws {
    try options.withDevice { device, open in
      let status = try device.logStatus()
      let access = try device.access().state
      guard !display.json else {
        return try Console.printJSON(Row(status, access, at: open.transport.location))
      }
      var facts = Facts()
      facts.add("Device", open.transport.location)
      facts.add("Running for", DurationText.of(seconds: Int(clamping: status.uptimeMilliseconds / 1000)))
      facts.add("Starts", "\(status.boot)")
      facts.add("Access", access.words)
      if let date = status.unixMilliseconds {
        let isBelieved = PlausibleDate.complaint(about: date) == nil
        facts.add(
          "Clock",
          "\(Console.date(date)) UTC\(isBelieved ? "" : ", which cannot be (`herald-host time sync` sets it)")"
        )
      } else {
        facts.add("Clock", "not set (`herald-host time sync` sets it)")
      }
      if status.pageCount == 0 {
        facts.add("Log", "no pages")
      } else {
        let pages = Console.count(status.pageCount, "page")
        facts.add("Log", "\(pages) of \(status.pageSize) bytes, numbers \(status.first) to \(status.last)")
        facts.add("Newest page", "\(status.openBytes) bytes so far")
      }
      if let days = status.keptDays {
        facts.add(
          "Records kept",
          days == 0 ? "as long as there is room" : "\(Console.count(Int(days), "day")), then erased")
      }
      facts.add("Identifier", status.identifier?.hexadecimal ?? "")
      facts.add("Log epoch", status.epoch.hexadecimal(8))
      if !display.quiet { facts.print() }
    }
  }
}

/// `herald-host stats`
struct Stats: ParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Shows every counter of a device.")

  @OptionGroup var options: DeviceOptions
  @OptionGroup var display: DisplayOptions

  func run() throws {
    try options.withDevice { device, _ in
      let groups = try device.statistics()
      var all: [String: [String: UInt64]] = [:]
      for group in groups {
        all[group.name] = Dictionary(group.counters.map { ($0.name, $0.value) }) { first, _ in first }
      }
      try display.show(all) {
        var rows: [[String]] = []
        for group in groups {
          for (index, counter) in group.counters.enumerated() {
            rows.append([index == 0 ? group.name : "", counter.name, String(counter.value)])
          }
        }
        Console.printTable(rows, right: [2])
      }
    }
  }
}
