import ArgumentParser
import HeraldConsole
import HeraldHostLink

/// `herald-host time`
struct Time: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Sets the clock of a device, or of many at once.", subcommands: [Sync.self])

  /// `herald-host time sync`
  struct Sync: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Sets a device's clock from this computer's, or the clocks of many at once.",
      discussion: "What the device logged since it started, and before, gets its date from this.")

    @OptionGroup var fleet: FleetOptions
    @OptionGroup var display: DisplayOptions

    private struct Row: Encodable, Sendable {
      let wasSet: Bool
      let driftMilliseconds: Int64?
      let unixMilliseconds: UInt64

      /// What it was before, in words.
      var before: String {
        guard let driftMilliseconds else { return "it had not been set" }
        return "it was \(driftMilliseconds.magnitude) ms \(driftMilliseconds < 0 ? "behind" : "ahead")"
      }
    }

    func run() throws {
      let selectors = try fleet.selectors()
      guard fleet.isSingle else { return try syncMany(selectors) }
      try fleet.link.withDevice(selectors.first) { device, open in
        let row = try Self.sync(device)
        try display.show(row) {
          Console.line(
            "The clock of \(open.transport.location) is \(Console.date(row.unixMilliseconds)) UTC now; \(row.before)."
          )
        }
      }
    }

    private func syncMany(_ selectors: [DeviceSelector]) throws {
      let members = Fleet(selectors: selectors, link: fleet.link).run { _, device, _, _ in
        try Self.sync(device)
      }
      let summary = FleetSummary(members)
      try summary.show(display, heading: ["CLOCK, UTC", "BEFORE"]) {
        [Console.date($0.unixMilliseconds), $0.before]
      }
      try summary.finish()
    }

    private static func sync(_ device: DeviceClient) throws(HostLinkError) -> Row {
      let before = try device.clock()
      let drift = before.map { Int64(clamping: $0) - Int64(clamping: PlausibleDate.now) }
      let moment = PlausibleDate.now
      try device.setClock(unixMilliseconds: moment)
      return Row(wasSet: before != nil, driftMilliseconds: drift, unixMilliseconds: moment)
    }
  }
}
