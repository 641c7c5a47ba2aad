import ArgumentParser
import HeraldConsole
import HeraldHostLink

extension LogCommands {
  /// `herald-host log erase`
  struct Erase: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Has a device erase its log, whether or not it was pulled.",
      discussion: """
        All but the page it is writing: page by page, while nobody is connected to it. Keys, settings and identity stay; `factory-reset` \
        erases those, too. `log pull --trim` erases what was pulled, and nothing else. A device erases a page only for a computer that has read it: \
        this reads them all, keeps nothing, and so takes as long as a pull.
        """)

    @OptionGroup var options: DeviceOptions
    @Flag(help: "Do not ask. Without it the device's serial number has to be typed.")
    var yes = false
    @OptionGroup var display: DisplayOptions

    private struct Row: Encodable {
      let pages: Int
      let through: UInt32?
    }

    func run() throws {
      try options.withDevice { device, open in
        let status = try device.logStatus()
        // The newest page is being written and is not erased.
        let pages = max(0, status.pageCount - 1)
        guard pages > 0 else {
          return try display.show(Row(pages: 0, through: nil)) { Console.line("There is no page to erase.") }
        }
        if !yes {
          try Confirmation.ask(
            device, "This erases \(Console.count(pages, "page")) of log. What was not pulled is lost.")
        }
        let bar = ProgressLine(isQuiet: display.quiet)
        let erased: Int
        do {
          defer { bar.finish() }
          erased = try LogErasure(device) { progress in
            bar.update(done: progress.pages, of: progress.ofPages, text: DevicePull.words(progress))
          }.run(status)
        }
        let last = status.last - 1
        try display.show(Row(pages: erased, through: last)) {
          Console.line(
            "\(open.transport.location) erases \(Console.count(erased, "page")), up to number \(last).")
        }
      }
    }
  }
}
