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
        erases those, too. `log pull --trim` erases what was pulled, and nothing else.
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
        // The newest page is being written.
        let pages = max(0, status.pageCount - 1)
        guard pages > 0 else {
          return try display.show(Row(pages: 0, through: nil)) { Console.line("There is no page to erase.") }
        }
        if !yes {
          try Confirmation.ask(
            device, "This erases \(Console.count(pages, "page")) of log. What was not pulled is lost.")
        }
        let trim = try device.acknowledge(epoch: status.epoch, through: status.last - 1)
        try display.show(Row(pages: pages, through: trim.through)) {
          Console.line(
            "\(open.transport.location) erases \(Console.count(pages, "page")), up to number \(trim.through)."
          )
        }
      }
    }
  }
}
