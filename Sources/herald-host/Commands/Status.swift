import ArgumentParser
import HeraldConsole
import HeraldEnergy
import HeraldHostLink
import HeraldText

/// `herald-host status`
struct Status: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Says how a device is, or many at once: clock, log and battery.",
    discussion: "Example: `herald-host status --all`")

  @OptionGroup var fleet: FleetOptions
  @OptionGroup var cell: CellOptions
  @OptionGroup var people: PeopleOptions
  @OptionGroup var display: DisplayOptions

  private struct Row: Encodable, Sendable {
    let location: String
    /// The person who wears it; `nil` if nobody is known to.
    let person: String?
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
    /// The payload; `nil` if the device does not report it without a session.
    let payload: DevicePayloadRow?
    /// How much it can still log before it overwrites its oldest records; `nil` if it does not say so.
    let room: LogRoom?

    init(
      _ status: DeviceLogStatus, _ device: DeviceClient, _ battery: BatteryRow, person: String?,
      at location: String
    ) throws(HostLinkError) {
      let access = try device.access().state
      let sealing = try device.sealing()
      self.battery = battery
      self.person = person
      payload = try DevicePayload.served(by: device).map {
        DevicePayloadRow($0, date: status.unixMilliseconds)
      }
      room = LogRoom(status, capacity: try device.logRoom().capacity)
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
    let wearers = try people.wearers()
    guard fleet.isSingle else { return try runMany(wearers) }
    try fleet.link.withDevice(fleet.single()) { device, open in
      let status = try device.logStatus()
      let battery = BatteryRow(try device.battery(), capacity: cell.battery)
      let payload = try DevicePayload.served(by: device)
      let serial =
        !wearers.isKnown
        ? "" : try open.identity.serial.isEmpty ? device.serialNumber() : open.identity.serial
      let row = try Row(
        status, device, battery, person: wearers.person(of: serial), at: open.transport.location)
      guard !display.json else { return try Console.printJSON(row) }
      let access = row.access
      var facts = Facts()
      facts.add("Device", open.transport.location)
      facts.add("Worn by", row.person ?? "")
      facts.add("Running for", DurationText.of(seconds: Int(clamping: status.uptimeMilliseconds / 1000)))
      facts.add("Starts", "\(status.boot)")
      facts.add("Access", access.words)
      facts.add("Sealing", row.sealing.words)
      facts.add("Debug port", status.debugPort.words)
      if let date = status.unixMilliseconds {
        let isBelieved = PlausibleDate.complaint(about: date) == nil
        facts.add(
          "Clock",
          "\(Console.date(date)) UTC\(isBelieved ? "" : ", which cannot be (`herald-host time sync` compares it with this computer's)")"
        )
      } else {
        facts.add("Clock", "not set (`herald-host time sync` sets it)")
      }
      facts.add(
        "Payload",
        payload?.words(date: status.unixMilliseconds) ?? "not reported without the access key")
      if status.pageCount == 0 {
        facts.add("Log", "no pages")
      } else {
        let pages = Console.count(status.pageCount, "page")
        facts.add("Log", "\(pages) of \(status.pageSize) bytes, numbers \(status.first) to \(status.last)")
        facts.add("Newest page", "\(status.openBytes) bytes so far")
      }
      facts.add("Log free", row.room?.words ?? "")
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

  private func runMany(_ wearers: Wearers) throws {
    let capacity = cell.battery
    let members = Fleet(try fleet.muster(), link: fleet.link).run { _, device, open, serial in
      try Row(
        try device.logStatus(), device, BatteryRow(try device.battery(), capacity: capacity),
        person: wearers.person(of: serial), at: open.transport.location)
    }
    let summary = wearers.summary(
      of: members.filter { (try? $0.result.get()) != nil }.map(\.serial), verb: "here")
    let person = wearers.isKnown ? ["PERSON"] : []
    try FleetSummary(members, summary: summary).report(
      display, isSingle: false,
      heading: person + ["CLOCK, UTC", "PAGES", "LOG FREE", "RUNNING FOR", "ACCESS", "BATTERY"],
      right: [1 + person.count]
    ) { row in
      (wearers.isKnown ? [row.person ?? "-"] : []) + [
        row.time.map { Console.date($0) } ?? "not set",
        String(row.first > row.last ? 0 : row.last - row.first + 1), row.room?.words ?? "-",
        DurationText.of(seconds: Int(clamping: row.uptimeMilliseconds / 1000)), row.access.rawValue,
        row.battery.shortWords,
      ]
    }
  }
}
