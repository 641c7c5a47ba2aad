import ArgumentParser
import HeraldConsole
import HeraldEmbedded
import HeraldHostLink
import HeraldText

/// `herald-host provision`
struct Provision: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Makes a device, or many at once, what a file says: clock, settings, payload, access key.",
    discussion: """
      The file is YAML; Examples/provision.yml has every field. What it leaves out stays as it is. All of the file is checked before any device is changed. \
      A device that is locked is opened with --key-file, or with the file's own key. A device without a key gets the file's own first, so that all that follows is encrypted; \
      if that key's file was there before this run, the device is not the one it belongs to, or was reset, and --new-device says that it is meant all the same. \
      Before it has a key anybody can change a device: settings and a payload that the file does not name get their defaults back, and one that seals its log for a key that is not named is refused.

      The clock is not set, and no device is changed, if this computer's date is doubtful: more than a day from the device's, behind the device's records, before the release of this program, \
      or not kept by NTP while the device has a date. --trust-clock says that it is right.

      Example: `herald-host provision Examples/provision.yml --generate --all`
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
  @OptionGroup var clock: ClockOptions
  @OptionGroup var display: DisplayOptions

  /// The result of provisioning a device.
  struct Done: Encodable, Sendable {
    var clockSet = false
    var settings = 0
    /// The settings that a device without a key had from somebody else, with their former values, and
    /// `payload FAMILY` for a payload; they have their defaults again.
    var reset: [String] = []
    var payload: String?
    var accessKeySet = false
    var debugPort = DeviceDebugPort.unknown
  }

  /// A file whose settings and keys have been checked.
  private struct Wanted: Sendable {
    let file: ProvisionFile
    let settings: [(setting: Setting, number: UInt32)]
    let owner: [UInt8]?

    /// The settings that the file names.
    var named: Set<Setting> { Set(settings.map(\.setting)) }
  }

  func run() throws {
    let file = try ProvisionFile(path: self.file)
    let settings = try file.settings.map { entry in
      let setting = try SettingText.setting(named: entry.name)
      return (setting: setting, number: try SettingText.number(entry.value, of: setting))
    }
    // The option wins over the file.
    let owner = try (ownerKey ?? file.ownerKey).map(OwnerKey.readPublic)
    let wanted = Wanted(file: file, settings: settings, owner: owner)
    let muster = try fleet.muster()
    let link = fleet.link
    let provisioning = Provisioning(
      generates: generate, isNewDevice: link.answers.isNewDevice, clockGuard: clock.clockGuard,
      ownerKeys: [owner].compactMap(\.self))
    if let payload = file.payload {
      try provisioning.check(payload, devices: muster.selectors.count, keyFile: file.accessKey)
    }
    if isDryRun { return try showPlan(wanted, provisioning, muster) }
    let lines = ProgressLines(count: muster.selectors.count, isQuiet: display.quiet)
    let members = Fleet(muster, link: link).run { index, device, open, serial in
      let name = serial.isEmpty ? open.transport.location : serial
      defer { lines.update(index, name, isDone: true) }
      return try Self.provision(device, name, serial, as: wanted, provisioning) { step in
        lines.update(index, "\(name)  \(step)")
      }
    }
    lines.finish()
    for member in members {
      guard case .success(let done) = member.result, done.debugPort == .open else { continue }
      provisioning.remarks.note(.openDebugPort, member.serial.isEmpty ? member.location : member.serial)
    }
    provisioning.remarks.print()
    let provisioned = members.count { (try? $0.result.get()) != nil }
    try FleetSummary(
      members, summary: "\(provisioned) of \(Console.count(members.count, "device")) provisioned."
    ).report(
      display, isSingle: fleet.isSingle, heading: ["CLOCK", "SETTINGS", "PAYLOAD", "ACCESS KEY"], right: [1]
    ) { done in
      [
        done.clockSet ? "set" : file.setsTime ? "right" : "-", String(done.settings), done.payload ?? "-",
        done.accessKeySet ? "set" : "-",
      ]
    }
  }

  private static func provision(
    _ device: DeviceClient, _ name: String, _ serial: String, as wanted: Wanted, _ provisioning: Provisioning,
    _ report: (String) -> Void
  ) throws -> Done {
    let file = wanted.file
    var done = Done()
    var key: Provisioning.KeyState?
    if let path = file.accessKey { key = try provisioning.open(device, serial: serial, keyFile: path) }
    done.accessKeySet = key == .opened
    // What is refused is refused before the device is changed.
    if file.setsTime || file.payload?.dependsOnToday == true { try provisioning.clockGuard.check(device) }
    if let path = file.accessKey, key == .first {
      // The file's own key replaces any other.
      if wanted.owner == nil { try provisioning.refuseForeignOwner(of: device) }
      // The access key is set first, so that the following requests are sealed.
      report("access key")
      try provisioning.setKey(of: device, serial: serial, from: path)
      done.accessKeySet = true
      done.reset = try InheritedSettings.reset(device, except: wanted.named)
      if file.payload == nil, let family = try InheritedSettings.resetPayload(of: device) {
        done.reset.append("payload \(family)")
      }
      if !done.reset.isEmpty {
        provisioning.remarks.note(
          .device(
            "somebody had changed this before the first access key, and it is set back: \(done.reset.joined(separator: ", "))"
          ), name)
      }
      // Somebody else may have had the device until the key was set.
      if wanted.owner == nil { try provisioning.refuseForeignOwner(of: device) }
    }
    // Before the clock and the payload, which are logged.
    if let owner = wanted.owner {
      report("owner's key")
      if case .sealed(let former) = try device.sealing(), former != owner {
        provisioning.remarks.note(
          .device("its log was sealed for another key, \(former.prefix(4).hexadecimal)…, until now"), name)
      }
      try device.setOwnerKey(owner)
    }
    if file.setsTime {
      report("clock")
      let outcome = try provisioning.clockGuard.setClock(of: device)
      done.clockSet = outcome.isSet
      if let remark = outcome.remark { provisioning.remarks.note(.device(remark), name) }
    }
    for entry in wanted.settings {
      report(SettingText.name(of: entry.setting))
      try device.set(entry.setting, to: entry.number)
      done.settings += 1
    }
    if let payload = file.payload {
      report("payload")
      try provisioning.push(payload, to: device, serial: serial)
      done.payload = try device.payload().family
    }
    // A device opened with another key receives the new one last, as setting it ends the session.
    if let path = file.accessKey, key == .other {
      report("access key")
      try provisioning.setKey(of: device, serial: serial, from: path)
      done.accessKeySet = true
    }
    done.debugPort = try device.logStatus().debugPort
    return done
  }

  private func showPlan(_ wanted: Wanted, _ provisioning: Provisioning, _ muster: FleetSelection) throws {
    let members = Fleet(muster, link: fleet.link).run { _, device, _, serial in
      try ProvisionPlan(
        wanted.file, for: device, serial: serial, provisioning, named: wanted.named,
        setsOwner: wanted.owner != nil)
    }
    display.say("Nothing was sent. Without --dry-run:")
    provisioning.remarks.print()
    try FleetSummary(members).report(
      display, isSingle: fleet.isSingle, heading: ["CLOCK", "SETTINGS", "SET BACK", "PAYLOAD", "ACCESS KEY"]
    ) { plan in
      [
        plan.clockSet ? "set" : "-",
        plan.settings.isEmpty
          ? "-"
          : plan.settings.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: " "),
        plan.reset.isEmpty ? "-" : plan.reset.joined(separator: " "),
        plan.payload ?? "-", plan.accessKey ?? "-",
      ]
    }
  }
}
