import ArgumentParser
import HeraldArchive
import HeraldConsole
import HeraldHostLink

extension LogCommands {
  /// `herald-host log pull`
  struct Pull: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Fetches what is new in the log of a device, or of many at once.",
      discussion: """
        The folder then holds the raw pages; contacts.csv, statistics.csv, detection.csv and, if the device has a \
        battery, battery.csv, all of them as Herald phones write them; and files of contacts, visits, messages, \
        models and codes of other systems. A pull that is cut off goes on where it was when it is started again. \
        For questions in SQL, --archive adds what was pulled to a database.

        Nothing is erased on the device without --trim. With it the device erases the pages that are on this computer's disk, synced: \
        all but the one it is writing.

        A folder is bound to the device whose log it holds, by its serial number and by an identifier that no other device has; another one is refused. A factory reset \
        gives a device another identifier: --rebind says that it is the same one.

        The records of a device without a date get this computer's, unless it is doubtful (`herald-host time sync --help`).

        With --all, or --device more than once, each device has a folder of its own in that folder, with its serial number as its name.

        Example: `herald-host log pull --output logs/dora --device HERALD-0001`
        """)

    @OptionGroup var fleet: FleetOptions
    @Option(
      name: [.customLong("output"), .customShort("o")],
      help: ArgumentHelp(
        "The folder for this device's log, or for the folders of many; made if it is not there.",
        valueName: "dir"))
    var folder: String
    @Flag(help: "Have the device erase what is safe here.")
    var trim = false
    @Flag(
      help: "Go on in a folder whose device has another identifier now: it was reset to its factory settings."
    )
    var rebind = false
    @Option(
      help: ArgumentHelp(
        "Also add what was pulled to this archive: a file, or postgresql://…; made if it is not there.",
        valueName: "place"))
    var archive: String?
    @OptionGroup var clock: ClockOptions
    @OptionGroup var zone: ZoneOption
    @OptionGroup var display: DisplayOptions

    func run() throws {
      // An archive that cannot be used is found before a device is asked for its log.
      let archive = try archive.map { try Archive.open($0, create: true, zone: zone.zone) }
      // What was made for nothing is not left behind.
      defer { archive?.discard(onlyIfEmpty: true) }
      if fleet.isSingle {
        let (result, report) = try pullOne(fleet.single())
        try fill(archive, [result.folder])
        try display.show(result) { result.show() }
        for problem in report.problems { Console.note("herald-host: \(problem)") }
        if let error = report.stoppedBy { Console.complain(error) }
        if let error = result.shortcoming { throw error }
      } else {
        try pullMany(fleet.muster(), into: archive)
      }
    }

    /// Adds folders to the archive. What cannot be added is named, and is not lost: it is in its folder.
    private func fill(_ archive: Archive?, _ folders: [String]) throws {
      guard let archive else { return }
      do {
        let filling = try ArchiveFilling(archive: archive, who: nil, isQuiet: display.quiet)
        try filling.add(folders).noteProblems()
      } catch let error as HostLinkError {
        throw HostLinkError(
          error.cause, "the logs are pulled, and not in the archive: \(error.what)",
          advice: "when that is put right: `herald-host archive add \(folder) --archive \(archive.location)`")
      }
    }

    private func pullOne(_ selector: DeviceSelector?) throws -> (PullResult, PullReport) {
      let bar = ProgressLine(isQuiet: display.quiet)
      let (pageStore, report, clock) = try fleet.link.withDevice(selector) { device, open in
        try device.checkLogAccess()
        let pageStore = try PageStore(path: folder, create: true)
        let serial = try open.identity.serial.isEmpty ? device.serialNumber() : open.identity.serial
        defer { bar.finish() }
        let pull = DevicePull(
          pageStore, device, open, serial, trims: trim, rebinds: rebind, clockGuard: self.clock.clockGuard)
        let (report, clock) = try pull.run { progress in
          bar.update(done: progress.pages, of: progress.ofPages, text: DevicePull.words(progress))
        }
        return (pageStore, report, clock)
      }
      // The pages so far are converted after any error.
      return (try DevicePull.convert(pageStore, report, clock: clock), report)
    }

    private func pullMany(_ muster: FleetSelection, into archive: Archive?) throws {
      let lines = ProgressLines(count: muster.selectors.count, isQuiet: display.quiet)
      let (folder, trim, rebind, clockGuard) = (self.folder, self.trim, self.rebind, self.clock.clockGuard)
      let members = Fleet(muster, link: fleet.link).run { index, device, open, serial in
        let location = open.transport.location
        let own = DeviceFolder.name(serial: serial, location: location)
        let name = serial.isEmpty ? location : serial
        defer { lines.update(index, name, isDone: true) }
        try device.checkLogAccess()
        let pageStore = try PageStore(path: "\(folder)/\(own)", create: true)
        let pull = DevicePull(
          pageStore, device, open, serial, trims: trim, rebinds: rebind, clockGuard: clockGuard)
        let (report, clock) = try pull.run { progress in
          let bar = ProgressLine.bar(done: progress.pages, of: progress.ofPages, width: 20)
          lines.update(index, "\(bar)  \(name)  \(DevicePull.words(progress))")
        }
        lines.update(index, "\(name)  making tables")
        return try DevicePull.convert(pageStore, report, clock: clock)
      }
      lines.finish()
      var archiveError: HostLinkError?
      do {
        try fill(archive, members.compactMap { (try? $0.result.get())?.folder })
      } catch let error as HostLinkError {
        archiveError = error
        Console.complain(error)
      }
      // An incomplete pull is not a success; the received pages are kept, and the folder is reported.
      let summary = FleetSummary(
        members.map { member in
          guard case .success(let result) = member.result, let error = result.shortcoming else {
            return member
          }
          let reason = (result.pull?.problems ?? []) + [result.pull?.stoppedBy].compactMap(\.self)
          return FleetMember(
            location: member.location, serial: member.serial,
            result: .failure(
              HostLinkError(
                error.cause, reason.isEmpty ? error.what : reason.joined(separator: "; "),
                advice:
                  "\(error.advice ?? "see what is wrong with it"); the pages received are in \(result.folder)"
              )))
        })
      try summary.report(
        display, isSingle: false, heading: ["NEW PAGES", "READINGS", "MET", "FOLDER"], right: [0, 1, 2]
      ) { result in
        [
          String(result.pull?.newPages ?? 0), String(result.readings), String(result.contactCount),
          result.folder,
        ]
      }
      if let archiveError { throw ExitCode(archiveError.cause.exitStatus) }
    }
  }
}
