import ArgumentParser
import HeraldConsole
import HeraldHostLink
import HeraldText

/// `herald-host provision`
struct Provision: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Makes a device, or many at once, what a file says: clock, settings, payload, access key.",
    discussion: """
      The file is YAML; Examples/provision.yml has every field. What it leaves out stays as it is. All of the file is checked before any device is changed. \
      A device that is locked is opened with --key-file, or with the file's own key. A device without a key gets the file's own first, so that all that follows is encrypted; \
      if that key's file was there before this run, the device is not the one it belongs to, or was reset, and --new-device says that it is meant all the same.
      """)

  @Argument(help: "The file.")
  var file: String
  @OptionGroup var fleet: FleetOptions
  @Flag(help: "Make the access key and the payload's secret, in new files, if they are not there.")
  var generate = false
  @Flag(
    name: .customLong("dry-run"),
    help:
      "Say what would be sent to each device, and send nothing of it; make no files. Secrets are not shown."
  )
  var isDryRun = false
  @Option(
    name: .customLong("owner-key-public"),
    help: ArgumentHelp(
      "Have the devices seal their logs for this public key, which `herald-host owner-key make` made; instead of the file's owner-key.",
      valueName: "file"))
  var ownerKey: String?
  @OptionGroup var display: DisplayOptions

  /// The result of provisioning a device.
  struct Done: Encodable, Sendable {
    var clockSet = false
    var settings = 0
    var payload: String?
    var accessKeySet = false
    var debugPort = DeviceDebugPort.unknown
  }

  func run() throws {
    let wanted = try ProvisionFile(path: file)
    let settings = try wanted.settings.map { entry in
      let setting = try SettingText.setting(named: entry.name)
      return (setting: setting, number: try SettingText.number(entry.value, of: setting))
    }
    // The option wins over the file.
    let owner = try (ownerKey ?? wanted.ownerKey).map(OwnerKey.readPublic)
    let muster = try fleet.muster()
    if let payload = wanted.payload { try Provisioning.check(payload, devices: muster.selectors.count) }
    if isDryRun { return try showPlan(wanted, muster) }
    let link = fleet.link
    let provisioning = Provisioning(generates: generate, isNewDevice: link.answers.isNewDevice)
    let lines = ProgressLines(count: muster.selectors.count, isQuiet: display.quiet)
    let members = Fleet(muster, link: link).run { index, device, open, serial in
      let name = serial.isEmpty ? open.transport.location : serial
      defer { lines.update(index, name, isDone: true) }
      var done = Done()
      // The access key is set first, so that the following requests are sealed.
      if let path = wanted.accessKey {
        lines.update(index, "\(name)  access key")
        done.accessKeySet = try provisioning.establishKey(of: device, serial: serial, from: path)
      }
      // Before the clock and the payload, which are logged.
      if let owner {
        lines.update(index, "\(name)  owner's key")
        try device.setOwnerKey(owner)
      }
      if wanted.setsTime {
        lines.update(index, "\(name)  clock")
        try device.setClock(unixMilliseconds: PlausibleDate.now)
        done.clockSet = true
      }
      for entry in settings {
        lines.update(index, "\(name)  \(SettingText.name(of: entry.setting))")
        try device.set(entry.setting, to: entry.number)
        done.settings += 1
      }
      if let payload = wanted.payload {
        lines.update(index, "\(name)  payload")
        try provisioning.push(payload, to: device, serial: serial)
        done.payload = try device.payload().family
      }
      // A device opened with another key receives the new one last, as setting it ends the session.
      if let path = wanted.accessKey, !done.accessKeySet {
        lines.update(index, "\(name)  access key")
        try provisioning.setKey(of: device, serial: serial, from: path)
        done.accessKeySet = true
      }
      done.debugPort = try device.logStatus().debugPort
      return done
    }
    lines.finish()
    Self.warn(members)
    try FleetSummary(members).report(
      display, isSingle: fleet.isSingle, heading: ["CLOCK", "SETTINGS", "PAYLOAD", "ACCESS KEY"], right: [1]
    ) { done in
      [
        done.clockSet ? "set" : "-", String(done.settings), done.payload ?? "-",
        done.accessKeySet ? "set" : "-",
      ]
    }
  }

  /// Names the devices whose keys can be read with a debugger.
  private static func warn(_ members: [FleetMember<Done>]) {
    for member in members {
      guard case .success(let done) = member.result, done.debugPort == .open else { continue }
      Console.note(
        "herald-host: the debug port of \(member.serial.isEmpty ? member.location : PrintableText.of(member.serial, limit: 40)) is open: who has the device reads its keys by it; `herald-flash lock` closes it"
      )
    }
  }

  private func showPlan(_ file: ProvisionFile, _ muster: FleetSelection) throws {
    let (link, generate) = (fleet.link, generate)
    let members = Fleet(muster, link: link).run { _, device, _, serial in
      try ProvisionPlan(
        file, for: device, serial: serial, generates: generate, isNewDevice: link.answers.isNewDevice)
    }
    display.say("Nothing was sent. Without --dry-run:")
    try FleetSummary(members).report(
      display, isSingle: fleet.isSingle, heading: ["CLOCK", "SETTINGS", "PAYLOAD", "ACCESS KEY"]
    ) { plan in
      [
        plan.clockSet ? "set" : "-",
        plan.settings.isEmpty
          ? "-"
          : plan.settings.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: " "),
        plan.payload ?? "-", plan.accessKey ?? "-",
      ]
    }
  }
}
