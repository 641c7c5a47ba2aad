import ArgumentParser
import HeraldConsole
import HeraldHostLink

extension LogCommands {
  /// `herald-host log erase`
  struct Erase: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Has a device erase its log, or many at once, whether or not it was pulled.",
      discussion: """
        All but the page it is writing: page by page, while nobody is connected to it. Keys, settings and identity stay; `factory-reset` \
        erases those, too. `log pull --trim` erases what was pulled, and nothing else. A device erases a page only for a computer that has read it: \
        this reads them all, keeps nothing, and so takes as long as a pull.

        With --all, or --device more than once, the devices are listed, and confirmed once.

        Example: `herald-host log erase --device HERALD-0001`
        """)

    @OptionGroup var fleet: FleetOptions
    @Flag(
      help:
        "Do not ask. Without it the device's serial number has to be typed, or the number of devices.")
    var yes = false
    @OptionGroup var display: DisplayOptions

    private struct Row: Encodable, Sendable {
      var pages = 0
      var through: UInt32?
    }

    func run() throws {
      guard fleet.isSingle else { return try eraseMany() }
      try fleet.link.withDevice(fleet.single()) { device, open in
        let status = try device.logStatus()
        let pages = Self.pages(status)
        guard pages > 0 else {
          return try display.show(Row()) { Console.line("There is no page to erase.") }
        }
        if !yes {
          try Confirmation.ask(
            device, "This erases \(Console.count(pages, "page")) of log. What was not pulled is lost.")
        }
        let bar = ProgressLine(isQuiet: display.quiet)
        defer { bar.finish() }
        let row = try Self.erase(device, status) { progress in
          bar.update(done: progress.pages, of: progress.ofPages, text: DevicePull.words(progress))
        }
        bar.finish()
        try display.show(row) {
          Console.line(
            "\(open.transport.location) erases \(Console.count(row.pages, "page")), up to number \(status.last - 1)."
          )
        }
      }
    }

    /// The number of pages that can be erased: the newest is being written.
    private static func pages(_ status: DeviceLogStatus) -> Int { max(0, status.pageCount - 1) }

    private static func erase(
      _ device: DeviceClient, _ status: DeviceLogStatus, progress: @escaping (PullProgress) -> Void
    ) throws(HostLinkError) -> Row {
      guard pages(status) > 0 else { return Row() }
      return Row(
        pages: try LogErasure(device, progress: progress).run(status), through: status.last - 1)
    }

    private func eraseMany() throws {
      let muster = try fleet.muster()
      if !yes { try confirm(muster) }
      let lines = ProgressLines(count: muster.selectors.count, isQuiet: display.quiet)
      let members = Fleet(muster, link: fleet.link).run { index, device, open, serial in
        let name = serial.isEmpty ? open.transport.location : serial
        defer { lines.update(index, name, isDone: true) }
        return try Self.erase(device, try device.logStatus()) { progress in
          let bar = ProgressLine.bar(done: progress.pages, of: progress.ofPages, width: 20)
          lines.update(index, "\(bar)  \(name)  \(DevicePull.words(progress))")
        }
      }
      lines.finish()
      try FleetSummary(members).report(
        display, isSingle: false, heading: ["PAGES ERASED", "UP TO NUMBER"], right: [0, 1]
      ) { [String($0.pages), $0.through.map { String($0) } ?? "-"] }
    }

    /// Lists the devices with their pages, and asks once for all of them.
    private func confirm(_ muster: FleetSelection) throws {
      let found = Fleet(muster, link: fleet.link).run { _, device, _, _ in
        Self.pages(try device.logStatus())
      }
      var total = 0
      for member in found {
        let name = member.serial.isEmpty ? member.location : "\(member.serial) at \(member.location)"
        switch member.result {
        case .success(let pages):
          total += pages
          Console.note("\(name): \(Console.count(pages, "page"))")
        case .failure(let error): Console.note("\(name): \(error.what)")
        }
      }
      try Confirmation.ask(
        devices: found.count,
        "This erases \(Console.count(total, "page")) of log on \(Console.count(found.count, "device")). What was not pulled is lost."
      )
    }
  }
}
