import ArgumentParser
import Foundation
import HeraldConsole
import HeraldHostLink

extension LogCommands {
  /// `herald-host log tail`
  struct Tail: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Shows what happens on a device as it happens.",
      discussion: """
        A line for each event, until Ctrl-C or --seconds: who was heard and how strongly, what was read, who is gone. The device keeps a few events for who watches, and \
        says how many it had no room for. Its log has all of them, and is not changed by this. With --json each line is an object.
        """)

    @OptionGroup var options: DeviceOptions
    @Option(help: ArgumentHelp("How long to watch; without it until Ctrl-C.", valueName: "seconds"))
    var seconds: Double?
    @OptionGroup var display: DisplayOptions

    /// The polling interval.
    private static let period = 0.1

    private struct Row: Encodable {
      let time: String
      let event: String
      let peerKind: String?
      let peer: String?
      let level: Int?
      let count: Int?
    }

    mutating func validate() throws {
      guard (seconds ?? 1) > 0 else { throw ValidationError("--seconds takes more than 0.") }
    }

    func run() throws {
      try options.withDevice { device, _ in
        let end = seconds.map { Deadline.after(.milliseconds(Int64($0 * 1000))) }
        repeat {
          let live = try device.live()
          let now = PlausibleDate.now
          if live.lost > 0, !display.quiet {
            Console.note("… \(live.lost) more that the device had no room for")
          }
          for event in live.events { try show(event, at: now - min(now, UInt64(event.ageMilliseconds))) }
          Thread.sleep(forTimeInterval: Self.period)
        } while end?.hasPassed != true
      }
    }

    private func show(_ event: DeviceLive.Event, at moment: UInt64) throws {
      let words = LiveEventText(event)
      guard display.json else {
        let time = UTCTimestamp.text(moment).dropFirst(11).prefix(12)
        return display.say("\(time)  \(words.text)")
      }
      let row = Row(
        time: UTCTimestamp.json(moment), event: words.name,
        peerKind: words.hasPeer ? words.peerKind : nil, peer: words.hasPeer ? event.target.addressText : nil,
        level: words.hasLevel ? Int(event.level) : nil, count: words.hasCount ? Int(event.count) : nil)
      try Console.printJSON(row, isLine: true)
    }
  }
}
