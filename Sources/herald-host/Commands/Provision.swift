import ArgumentParser
import HeraldConsole
import HeraldEmbedded
import HeraldHostLink

/// `herald-host provision`
struct Provision: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Makes a device, or many at once, what a file says: clock, settings, payload, access key.",
    discussion: """
      The file is YAML; Examples/provision.yml has every field. What it leaves out stays as it is. All of the file is checked before any device is changed. \
      A device that is locked is opened with --key-file, or with the file's own key.
      """)

  @Argument(help: "The file.")
  var file: String
  @OptionGroup var fleet: FleetOptions
  @Flag(help: "Make the access key and the payload's secret, in new files, if they are not there.")
  var generate = false
  @OptionGroup var display: DisplayOptions

  /// What was done to a device.
  struct Done: Encodable, Sendable {
    var clockSet = false
    var settings = 0
    var payload: String?
    var accessKeySet = false
  }

  func run() throws {
    let wanted = try ProvisionFile(path: file)
    let settings = try wanted.settings.map { entry in
      let setting = try SettingText.setting(named: entry.name)
      return (setting: setting, number: try SettingText.number(entry.value, of: setting))
    }
    let selectors = try fleet.optionalSelectors()
    if let payload = wanted.payload { try Provisioning.check(payload, devices: selectors.count) }
    let (generate, link) = (self.generate, fleet.link)
    let lines = ProgressLines(count: selectors.count, isQuiet: display.quiet)
    let members = Fleet(selectors: selectors, link: link).run { index, device, open, serial in
      let name = serial.isEmpty ? open.transport.location : serial
      defer { lines.update(index, name, isDone: true) }
      var done = Done()
      if let path = wanted.accessKey { try Provisioning.open(device, serial: serial, with: path) }
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
        try Provisioning.push(payload, to: device, serial: serial, generate: generate)
        done.payload = try device.payload().family
      }
      // Last: a new key ends what the former one opened.
      if let path = wanted.accessKey {
        lines.update(index, "\(name)  access key")
        try Provisioning.setKey(of: device, serial: serial, from: path, generate: generate)
        done.accessKeySet = true
      }
      return done
    }
    lines.finish()
    let summary = FleetSummary(members)
    try summary.show(display, heading: ["CLOCK", "SETTINGS", "PAYLOAD", "ACCESS KEY"], right: [1]) { done in
      [
        done.clockSet ? "set" : "-", String(done.settings), done.payload ?? "-",
        done.accessKeySet ? "set" : "-",
      ]
    }
    try summary.finish()
  }
}
