import ArgumentParser
import Foundation
import HeraldConsole
import HeraldHostLink

/// `herald-host dock`
struct DockCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "dock",
    abstract: "Collects the logs of devices as they are plugged in, into an archive.",
    discussion: """
      Waits for devices plugged into this computer, and for those of the servers that --usbip names. Of each it sets the clock, pulls what is new in the log, checks every page, \
      and adds them to the archive. The device's light flashes meanwhile; it is on when the device can be unplugged, and flashes twice and twice again when something is wrong. A device that is unplugged in between goes on \
      where it was when it is plugged in again; one that failed and stays plugged in is tried again.

      Sealed pages are stored as they are, and need no key. With --owner-key they are opened in the archive; otherwise `herald-host archive add --owner-key` opens them later.

      Nothing is erased on a device without --trim. With it the device erases the pages that are on this computer's disk, synced, and in the archive.

      Ctrl-C or SIGTERM ends it: what has come is kept. A second one ends it at once.

      With --json each event is an object on a line: arrived, phase, done, failed, left, hook-failed. With --once the result is one table or object, as of `log pull --all`.
      """)

  @Option(
    help: ArgumentHelp(
      "The archive; made if it is not there.", valueName: "file"))
  var archive: String
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
    let archivist = try DockArchivist(archive, keys: try owner.keys()) { error in screen.complain(error) }
    EndSignals.onFirst { signal in
      stop.request()
      watch.wake()
      screen.complain(
        HostLinkError(
          .partial, "ending, as \(signal) said; what has come is kept", advice: "once more ends it at once"))
    }
    let folder = output ?? "\(archive).devices"
    // What an earlier run has pulled and not added.
    if FileManager.default.fileExists(atPath: folder), let found = try? PageStoreSearch.folders(in: [folder])
    {
      for folder in found { archivist.addSoon(folder) }
    }
    let plan = Dock.Plan(output: folder, trims: trim, hook: hook, isOnce: once)
    let dock = Dock(
      plan, link: link, watch: watch, archivist: archivist, screen: screen, stop: stop)
    if !once { display.say("Waiting for devices; Ctrl-C ends it.") }
    let members = dock.run()
    archivist.finish(derives: !stop.isRequested)
    guard once else {
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
    try FleetSummary(members).report(
      display, isSingle: false, heading: DockResult.heading, right: [0, 1]
    ) { $0.columns }
  }
}
