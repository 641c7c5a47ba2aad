import ArgumentParser
import HeraldConsole
import HeraldHostLink

/// `herald-host time`
struct Time: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Sets the clock of a device, or of many at once.",
    discussion: "Example: `herald-host time sync`", subcommands: [Sync.self])

  /// `herald-host time sync`
  struct Sync: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Sets a device's clock from this computer's, or the clocks of many at once.",
      discussion: """
        What the device logged since it started, and before, gets its date from this.

        The clock is not set if this computer's date is doubtful: more than a day from the device's, behind the records in the device's log, before the release of this program, or not kept by NTP \
        while the device has a date. --trust-clock says that it is right.

        Example: `herald-host time sync --all`
        """)

    @OptionGroup var fleet: FleetOptions
    @OptionGroup var clock: ClockOptions
    @OptionGroup var display: DisplayOptions

    private struct Row: Encodable, Sendable {
      /// Whether the device had a date before.
      let wasSet: Bool
      /// Whether it got this computer's; otherwise its own was right.
      let isSet: Bool
      let driftMilliseconds: Int64?
      let time: String
      let remark: String?

      init(_ outcome: ClockGuard.Outcome) {
        wasSet = outcome.before != nil
        isSet = outcome.isSet
        driftMilliseconds = outcome.before.map { Int64(clamping: $0) - Int64(clamping: outcome.computer) }
        time = UTCTimestamp.json(outcome.isSet ? outcome.computer : outcome.before ?? outcome.computer)
        remark = outcome.remark
      }

      /// The state of the clock before synchronisation, as text.
      var before: String {
        guard let driftMilliseconds else { return "it had not been set" }
        let drift = "\(driftMilliseconds.magnitude) ms \(driftMilliseconds < 0 ? "behind" : "ahead")"
        return isSet ? "it was \(drift)" : "it is left as it is, \(drift)"
      }
    }

    func run() throws {
      guard fleet.isSingle else { return try syncMany() }
      try fleet.link.withDevice(fleet.single()) { device, open in
        let row = Row(try clock.clockGuard.setClock(of: device))
        if let remark = row.remark { Console.note("herald-host: \(open.transport.location): \(remark)") }
        try display.show(row) {
          Console.line(
            "The clock of \(open.transport.location) is \(Console.date(row.time)) UTC now; \(row.before)."
          )
        }
      }
    }

    private func syncMany() throws {
      let remarks = FleetRemarks()
      let clockGuard = clock.clockGuard
      let members = Fleet(try fleet.muster(), link: fleet.link).run { _, device, open, serial in
        let row = Row(try clockGuard.setClock(of: device))
        if let remark = row.remark {
          remarks.note(.device(remark), serial.isEmpty ? open.transport.location : serial)
        }
        return row
      }
      remarks.print()
      try FleetSummary(members).report(display, isSingle: false, heading: ["CLOCK, UTC", "BEFORE"]) {
        [Console.date($0.time), $0.before]
      }
    }
  }
}
