import ArgumentParser
import HeraldConsole
import HeraldEnergy
import HeraldHostLink
import HeraldText

/// `herald-host status`
struct Status: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Says how a device is, or many at once: clock, log and battery.")

  @OptionGroup var fleet: FleetOptions
  @OptionGroup var cell: CellOptions
  @OptionGroup var display: DisplayOptions

  private struct Row: Encodable, Sendable {
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
    let sealing: DeviceSealing
    let debugPort: DeviceDebugPort
    let battery: BatteryRow

    init(
      _ status: DeviceLogStatus, _ access: DeviceAccess.State, _ sealing: DeviceSealing,
      _ battery: BatteryRow, at location: String
    ) {
      self.battery = battery
      self.sealing = sealing
      debugPort = status.debugPort
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
    guard fleet.isSingle else { return try runMany() }
    try fleet.link.withDevice(fleet.single()) { device, open in
      let status = try device.logStatus()
      let access = try device.access().state
      let battery = BatteryRow(try device.battery(), capacity: cell.battery)
      guard !display.json else {
        return try Console.printJSON(
          Row(status, access, try device.sealing(), battery, at: open.transport.location))
      }
      var facts = Facts()
      facts.add("Device", open.transport.location)
      facts.add("Running for", DurationText.of(seconds: Int(clamping: status.uptimeMilliseconds / 1000)))
      facts.add("Starts", "\(status.boot)")
      facts.add("Access", access.words)
      facts.add("Sealing", try device.sealing().words)
      facts.add("Debug port", status.debugPort.words)
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
      facts.add("Battery", battery.words)
      facts.add("Identifier", status.identifier?.hexadecimal ?? "")
      facts.add("Log epoch", status.epoch.hexadecimal(8))
      if !display.quiet { facts.print() }
    }
  }
  private func runMany() throws {
    let capacity = cell.battery
    let members = Fleet(try fleet.muster(), link: fleet.link).run { _, device, open, _ in
      Row(
        try device.logStatus(), try device.access().state, try device.sealing(),
        BatteryRow(try device.battery(), capacity: capacity), at: open.transport.location)
    }
    try FleetSummary(members).report(
      display, isSingle: false, heading: ["CLOCK, UTC", "PAGES", "RUNNING FOR", "ACCESS", "BATTERY"],
      right: [1]
    ) { row in
      [
        row.time.map { Console.date($0) } ?? "not set",
        String(row.first > row.last ? 0 : row.last - row.first + 1),
        DurationText.of(seconds: Int(clamping: row.uptimeMilliseconds / 1000)), row.access.rawValue,
        row.battery.shortWords,
      ]
    }
  }
}
