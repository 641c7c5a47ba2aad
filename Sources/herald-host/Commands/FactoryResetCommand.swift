import ArgumentParser
import Foundation
import HeraldConsole
import HeraldHostLink

/// `herald-host factory-reset`
struct FactoryReset: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "factory-reset",
    abstract: "Erases everything a device keeps: its log first, then keys, settings and identity.",
    discussion: """
      The device erases page by page and goes on by itself, also after its power went; then it restarts as a new one. What has not \
      been pulled is lost.

      Example: `herald-host factory-reset --device HERALD-0001`
      """)

  @OptionGroup var options: DeviceOptions
  @OptionGroup var display: DisplayOptions

  @Flag(help: "Do not ask. Without it the device's serial number has to be typed.")
  var yes = false

  func run() throws {
    try options.withDevice { device, open in
      let status = try device.logStatus()
      if !yes {
        try Confirmation.ask(
          device,
          "This erases \(Console.count(status.pageCount, "page")) of log, and keys, settings and identity.")
      }
      var progress = try device.beginFactoryReset(epoch: status.epoch)
      let started = ContinuousClock.now
      var patience = ResetPatience(start: .zero)
      let bar = ProgressLine(isQuiet: display.quiet)
      while !progress.isDone {
        guard patience.note(progress, at: started.duration(to: .now)) else {
          throw HostLinkError(
            .noAnswer,
            "\(open.transport.location) has stopped erasing after \(progress.done) of \(progress.total) erasures",
            advice:
              "it goes on by itself when it can: leave it under power for some minutes, then `herald-host status` shows whether it is a new device"
          )
        }
        Thread.sleep(forTimeInterval: 0.05)
        let next = try device.factoryResetProgress()
        // The device restarts shortly after the last page: a late request finds no reset in progress.
        guard next.total > 0 else { break }
        progress = next
        bar.update(done: progress.done, of: progress.total, text: "erased")
      }
      bar.finish()
      if display.json {
        try Console.printJSON(progress)
      } else if !display.quiet {
        Console.line("Everything on \(open.transport.location) is erased; it restarts.")
      }
      guard progress.failed == 0 else {
        throw HostLinkError(
          .partial, "\(Console.count(progress.failed, "page")) of its flash could not be erased",
          advice: "its former contents may still be readable; do not give the device to others")
      }
    }
  }
}
