import ArgumentParser
import HeraldConsole
import HeraldHostLink

/// `herald-host dock`
struct DockCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "dock",
    abstract: "Collects the logs of devices as they are plugged in, into an archive.",
    discussion: """
      Waits for devices plugged into this computer, and for those of the servers that --usbip names. Of each it pulls what is new in the log, checks every page, \
      adds them to the archive, and sets the clock. The device's light flashes meanwhile; it is on when the device can be unplugged, and flashes twice and twice again when something is wrong. A device that is unplugged in between goes on \
      where it was when it is plugged in again; one that failed and stays plugged in is tried again.

      A clock is not set, and a remark says why, if this computer's date is doubtful: more than a day from the device's, behind records in the archive, before the release of this program, \
      or not kept by NTP while the device has a date. The log is collected all the same. --trust-clock says that the date is right.

      With --people, or persons in the archive, it says who wears a device, and who of those that wear one today has not come.

      Sealed pages are stored as they are, and need no key. With --owner-key they are opened in the archive; otherwise `herald-host archive add --owner-key` opens them later.

      Nothing is erased on a device without --trim. With it the device erases the pages that are on this computer's disk, synced, and in the archive.

      Ctrl-C or SIGTERM ends it: what has come is kept. A second one ends it at once.

      With --json each event is an object on a line: arrived, phase, done, failed, left, hook-failed, clock-step. With --once the result is one table or object, as of `log pull --all`.

      Example: `herald-host dock --archive ward.sqlite`
      """)

  @Option(
    help: ArgumentHelp(
      "The archive; made if it is not there.", valueName: "file"))
  var archive: String
  @OptionGroup var zone: ZoneOption
  @Option(
    name: [.customLong("output"), .customShort("o")],
    help: ArgumentHelp(
      "The folder for the devices' folders; without it the archive's name with .devices behind it.",
      valueName: "dir"))
  var output: String?
  @Flag(help: "Have the devices erase what is safe here.")
  var trim = false
  @Option(
    help: ArgumentHelp(
      "Collect the devices of this USB/IP server, too; may be repeated.", valueName: "host[:port]"))
  var usbip: [String] = []
  @Option(
    name: .customLong("exec"),
    help: ArgumentHelp(
      "A program to run after each device, with HERALD_SERIAL, HERALD_FOLDER, HERALD_RESULT (done or failed), HERALD_ERROR and others in its environment.",
      valueName: "program"))
  var program: String?
  @Flag(help: "Collect the devices that are plugged in now, and end.")
  var once = false
  @Option(
    help: ArgumentHelp(
      "Who wears which device when, which replaces the persons of the archive: a CSV file with the columns serial, name, role, place, from, to.",
      valueName: "file"))
  var people: String?
  @OptionGroup var clock: ClockOptions
  @OptionGroup var owner: OwnerOptions
  @OptionGroup var link: LinkOptions
  @OptionGroup var display: DisplayOptions

  mutating func validate() throws {
    guard output != nil || !archive.contains("://") else {
      throw ValidationError("With an archive on a server --output is needed: the pages have to be on a disk.")
    }
  }

  func run() throws {
    let hook = try program.map { path throws(HostLinkError) in try DockHook(path) }
    let stop = DockStop()
    let screen = DockScreen(display, isOnce: once)
    let watch = try DeviceWatch(servers: usbip)
    let archivist = try DockArchivist(
      archive, zone: zone.zone, keys: try owner.keys(), people: people
    ) { error in
      screen.complain(error)
    }
    EndSignals.onFirst { signal in
      stop.request()
      watch.wake()
      screen.complain(
        HostLinkError(
          .partial, "ending, as \(signal) said; what has come is kept", advice: "once more ends it at once"))
    }
    var folder = output ?? "\(archive).devices"
    // As `PageStoreSearch` writes the folders in it.
    while folder.count > 1, folder.hasSuffix("/") { folder.removeLast() }
    // What an earlier run has pulled and not added.
    for folder in PageStoreSearch.existing(in: folder) { archivist.addSoon(folder) }
    let plan = Dock.Plan(
      output: folder, trims: trim, hook: hook, clockGuard: clock.clockGuard, isOnce: once)
    let dock = Dock(
      plan, link: link, watch: watch, archivist: archivist, screen: screen, stop: stop)
    if !once { display.say("Waiting for devices; Ctrl-C ends it.") }
    let members = dock.run()
    archivist.finish(derives: !stop.isRequested)
    let collected = dock.collected()
    guard once else {
      if !collected.isEmpty { display.say("Collected today: \(collected)") }
      let cut = members.count { member in
        if case .failure(let error) = member.result { error.cause == .partial } else { false }
      }
      guard cut == 0 else { throw ExitCode(HostLinkError.Cause.partial.exitStatus) }
      return
    }
    guard !members.isEmpty else {
      throw HostLinkError(
        .noDevice, "there is no Herald device",
        advice: "plug one in, or name a server with --usbip; without --once the dock waits for devices")
    }
    if !display.json {
      for member in members {
        guard case .success(let result) = member.result else { continue }
        for remark in result.remarks {
          Console.note("herald-host: \(member.serial.isEmpty ? member.location : member.serial): \(remark)")
        }
      }
    }
    try FleetSummary(members, summary: collected.isEmpty ? nil : collected).report(
      display, isSingle: false, heading: DockResult.heading, right: [1, 2]
    ) { $0.columns }
  }
}
