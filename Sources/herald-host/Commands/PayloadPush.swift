import ArgumentParser
import HeraldConsole
import HeraldHostLink
import HeraldText

extension PayloadCommands {
  /// `herald-host payload push`
  struct Push: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Has a device, or many at once, offer the payload that a file describes.",
      discussion: """
        The file is YAML; Examples/Payloads has one of each family. The keys of the simple family's days are derived here, from a secret that stays here. The \
        device goes on with its former payload until all of the new one is there.

        Example: `herald-host payload push Examples/Payloads/venue.yml`
        """)

    @Argument(help: "The file.")
    var file: String
    @OptionGroup var fleet: FleetOptions
    @Flag(help: "Make the secret, in a new file, if it is not there.")
    var generate = false
    @OptionGroup var clock: ClockOptions
    @OptionGroup var display: DisplayOptions

    func run() throws {
      let payload = try PayloadFile(path: file)
      let muster = try fleet.muster()
      let provisioning = Provisioning(
        generates: generate, isNewDevice: fleet.link.answers.isNewDevice, clockGuard: clock.clockGuard)
      try provisioning.check(payload, devices: muster.selectors.count)
      let members = Fleet(muster, link: fleet.link).run { _, device, _, serial in
        try provisioning.push(payload, to: device, serial: serial)
        return DevicePayloadRow(try device.payload(), date: try device.logStatus().unixMilliseconds)
      }
      provisioning.remarks.print()
      try FleetSummary(members).report(
        display, isSingle: fleet.isSingle, heading: ["PAYLOAD", "UNTIL (UTC)"]
      ) { [$0.family, $0.until.map(Console.date) ?? "-"] }
    }
  }

  /// `herald-host payload show`
  struct Show: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Says which payload a device offers, and until when.",
      discussion: "Example: `herald-host payload show --device HERALD-0001`")

    @OptionGroup var options: DeviceOptions
    @OptionGroup var display: DisplayOptions

    func run() throws {
      try options.withDevice { device, open in
        let payload = try device.payload()
        let row = DevicePayloadRow(payload, date: try device.logStatus().unixMilliseconds)
        try display.show(row) {
          var facts = Facts()
          facts.add("Device", open.transport.location)
          facts.add("Payload", row.family == "none" ? "none: it advertises nothing" : row.family)
          facts.add("Until", row.until.map { "\(Console.date($0)) UTC" } ?? "")
          facts.add("Keys", row.keyCount.map(String.init) ?? "")
          facts.add("Days left", row.daysLeft.map(String.init) ?? "")
          if row.until != nil, row.daysLeft == nil { facts.add("Not offered", row.state) }
          facts.add("Bytes", row.bytes ?? "")
          facts.add("Says", payload.bytes.flatMap { PayloadDescription($0)?.text } ?? "")
          facts.print()
        }
      }
    }
  }
}

/// The payload of a device, for JSON output.
struct DevicePayloadRow: Encodable, Sendable {
  let family: String
  /// The end of the last day of its keys.
  let until: String?
  /// The number of keys that exist, from today on.
  let keyCount: UInt32?
  let daysLeft: UInt32?
  /// What is offered, or why nothing is, as a sentence.
  let state: String
  /// The payload in hexadecimal digits; secret payloads are omitted.
  let bytes: String?

  init(_ payload: DevicePayload, date: UInt64?) {
    family = payload.family
    until = payload.until.map { UTCTimestamp.json(min($0, UTCTimestamp.latest / 1000) * 1000) }
    keyCount = payload.keyCount
    daysLeft = payload.daysLeft
    state = payload.words(date: date)
    bytes = payload.bytes?.hexadecimal
  }
}
