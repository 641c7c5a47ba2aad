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

        --kind, --peer and --min-rssi choose events; an event is shown if it meets all of them. Payloads are not among the live events: only their length is.

        Example: `herald-host log tail --min-rssi=-70 --seconds 60`
        """)

    @OptionGroup var options: DeviceOptions
    @Option(help: ArgumentHelp("How long to watch; without it until Ctrl-C.", valueName: "seconds"))
    var seconds: Double?
    @Option(
      help: ArgumentHelp(
        "Only events of this kind; may be repeated. One of: \(LiveEventText.names.joined(separator: ", ")).",
        valueName: "kind"))
    var kind: [String] = []
    @Option(
      help: ArgumentHelp(
        "Only events of peers whose address begins with this, such as F0:D1; may be repeated.",
        valueName: "address"))
    var peer: [String] = []
    @Option(
      name: .customLong("min-rssi"),
      help: ArgumentHelp(
        "Of the readings only those of at least this; other events are shown all the same.",
        valueName: "dBm"))
    var minimumRSSI: Int?
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
      for name in kind where !LiveEventText.names.contains(name) {
        throw ValidationError(
          "--kind \(name) is no kind; there are \(LiveEventText.names.joined(separator: ", ")).")
      }
      for address in peer where address.isEmpty || !address.allSatisfy({ $0.isHexDigit || $0 == ":" }) {
        throw ValidationError("--peer takes the first bytes of an address, such as F0:D1.")
      }
      if let minimumRSSI, !(-128...127).contains(minimumRSSI) {
        throw ValidationError("--min-rssi takes dBm, from -128 to 127.")
      }
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
          for event in live.events where isChosen(event) {
            try show(event, at: now - min(now, UInt64(event.ageMilliseconds)))
          }
          Thread.sleep(forTimeInterval: Self.period)
        } while end?.hasPassed != true && !Console.hasFailed
      }
    }

    private func isChosen(_ event: DeviceLive.Event) -> Bool {
      let words = LiveEventText(event)
      guard kind.isEmpty || kind.contains(words.name) else { return false }
      let address = event.target.addressText.uppercased()
      guard peer.isEmpty || words.hasPeer && peer.contains(where: { address.hasPrefix($0.uppercased()) })
      else { return false }
      guard let minimumRSSI, event.kind == .measured else { return true }
      return Int(event.level) >= minimumRSSI
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
