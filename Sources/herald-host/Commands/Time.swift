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
      let time: String

      /// The state of the clock before synchronisation, as text.
      var before: String {
        guard let driftMilliseconds else { return "it had not been set" }
        return "it was \(driftMilliseconds.magnitude) ms \(driftMilliseconds < 0 ? "behind" : "ahead")"
      }
    }

    func run() throws {
      guard fleet.isSingle else { return try syncMany() }
      try fleet.link.withDevice(fleet.single()) { device, open in
        let row = try Self.sync(device)
        try display.show(row) {
          Console.line(
            "The clock of \(open.transport.location) is \(Console.date(row.time)) UTC now; \(row.before)."
          )
        }
      }
    }

    private func syncMany() throws {
      let members = Fleet(try fleet.muster(), link: fleet.link).run { _, device, _, _ in
        try Self.sync(device)
      }
      try FleetSummary(members).report(display, isSingle: false, heading: ["CLOCK, UTC", "BEFORE"]) {
        [Console.date($0.time), $0.before]
      }
    }

    private static func sync(_ device: DeviceClient) throws(HostLinkError) -> Row {
      let before = try device.clock()
      let drift = before.map { Int64(clamping: $0) - Int64(clamping: PlausibleDate.now) }
      let moment = PlausibleDate.now
      try device.setClock(unixMilliseconds: moment)
      return Row(wasSet: before != nil, driftMilliseconds: drift, time: UTCTimestamp.json(moment))
    }
  }
}
