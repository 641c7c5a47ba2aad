import ArgumentParser
import HeraldConsole
import HeraldEmbedded
import HeraldHostLink

/// `herald-host config`
struct Config: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Shows and changes what a device is set to, or many are.",
    discussion: """
      A device keeps what is set over restarts, and obeys it at once; a factory reset makes it the default again. `config list` shows every setting, its value, \
      its default and what it takes. The access key is never shown; its value is the path of a file, so that it stands on no command line.

      Example: `herald-host config list`
      """,
    subcommands: [List.self, Get.self, Set.self, Unset.self])

  /// A setting of a device.
  struct Row: Encodable, Sendable {
    let name: String
    /// `nil` if the device does not support it, or does not report it.
    let value: UInt32?
    let text: String
    let standard: UInt32?
    let takes: String

    init(_ setting: Setting, _ device: DeviceClient) throws(HostLinkError) {
      let description = setting.description
      name = SettingText.name(of: setting)
      takes = SettingText.range(of: setting)
      standard = description.standard
      guard description.isReadable else {
        value = nil
        text = try device.access().isSet ? "set" : "not set"
        return
      }
      if setting == .ownerKey {
        value = nil
        text =
          try device.ownerKey().map { $0.isEmpty ? "not set" : $0.hexadecimal } ?? "unknown to this device"
        return
      }
      value = try device.number(of: setting)
      text = value.map { SettingText.text($0, of: setting) } ?? "unknown to this device"
    }
  }

  /// Settings of a device.
  private struct Rows: Encodable, Sendable {
    let settings: [Row]
  }

  /// Runs an operation on each of several devices, and shows their settings afterwards, one column for each
  /// device.
  private static func eachOf(
    _ fleet: FleetOptions, _ display: DisplayOptions, _ settings: [Setting],
    after work: @escaping @Sendable (DeviceClient, _ serial: String) throws -> Void = { _, _ in }
  ) throws {
    let members = Fleet(try fleet.muster(), link: fleet.link).run { _, device, _, serial in
      try work(device, serial)
      return Rows(settings: try settings.map { try Row($0, device) })
    }
    try FleetSummary(members).report(
      display, isSingle: false, heading: settings.map(SettingText.name)
    ) { $0.settings.map(\.text) }
  }

  /// Changes a setting of one or more devices, and shows it afterwards.
  private static func change(
    _ fleet: FleetOptions, _ display: DisplayOptions, _ setting: Setting,
    _ work: @escaping @Sendable (DeviceClient, _ serial: String) throws -> Void
  ) throws {
    guard fleet.isSingle else { return try eachOf(fleet, display, [setting], after: work) }
    try fleet.link.withDevice(fleet.single()) { device, open in
      try work(device, open.identity.serial.isEmpty ? device.serialNumber() : open.identity.serial)
      if display.json { try display.show(Row(setting, device)) {} }
    }
  }

  /// `herald-host config list`
  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Shows every setting of a device, or of many at once.",
      discussion: "Example: `herald-host config list --device HERALD-0001`")

    @OptionGroup var fleet: FleetOptions
    @OptionGroup var display: DisplayOptions

    func run() throws {
      guard fleet.isSingle else { return try Config.eachOf(fleet, display, SettingText.all) }
      try fleet.link.withDevice(fleet.single()) { device, _ in
        let rows = try SettingText.all.map { try Row($0, device) }
        try display.show(Rows(settings: rows)) {
          Console.printTable(
            [["SETTING", "VALUE", "DEFAULT", "TAKES"]]
              + zip(SettingText.all, rows).map { setting, row in
                [
                  row.name, row.text, row.standard.map { SettingText.text($0, of: setting) } ?? "-",
                  row.takes,
                ]
              })
        }
      }
    }
  }

  /// `herald-host config get NAME`
  struct Get: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Shows a setting of a device, or of many at once.",
      discussion: "Example: `herald-host config get scan/window-ms`")

    @Argument(help: "The setting, as `config list` shows it.", completion: .settings)
    var name: String
    @OptionGroup var fleet: FleetOptions
    @OptionGroup var display: DisplayOptions

    func run() throws {
      let setting = try SettingText.setting(named: name)
      guard fleet.isSingle else { return try Config.eachOf(fleet, display, [setting]) }
      try fleet.link.withDevice(fleet.single()) { device, open in
        let row = try Row(setting, device)
        guard row.value != nil || setting.description.kind == .bytes else {
          throw HostLinkError(
            .refused, "\(open.transport.location) has no setting \(row.name)",
            advice: "the device's firmware may be older than this program")
        }
        try display.show(row) {
          Console.line(row.value.map { SettingText.value($0, of: setting) } ?? row.text)
        }
      }
    }
  }

  /// `herald-host config set NAME VALUE`
  struct Set: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Changes a setting of a device, or of many at once.",
      discussion: "Example: `herald-host config set scan/window-ms 60`")

    @Argument(help: "The setting, as `config list` shows it.", completion: .settings)
    var name: String
    @Argument(
      help:
        "What it is to be: a number, a name that `config list` shows, or for access/key the path of a file with 32 bytes, in which {serial} stands for the device's serial number, and for log/owner-key that of a public key.",
      completion: .settingValues
    )
    var value: String
    @Option(
      name: .customLong("owner-key-public"),
      help: ArgumentHelp(
        "With access/key: your public key, of a device that seals its log before it has an access key; may be repeated.",
        valueName: "file"))
    var ownerKey: [String] = []
    @OptionGroup var fleet: FleetOptions
    @OptionGroup var display: DisplayOptions

    func run() throws {
      let setting = try SettingText.setting(named: name)
      let value = value
      if setting == .ownerKey {
        let key = try OwnerKey.readPublic(value)
        return try Config.change(fleet, display, setting) { device, _ in try device.setOwnerKey(key) }
      }
      guard setting.description.kind != .bytes else {
        return try setAccessKey(setting)
      }
      let number = try SettingText.number(value, of: setting)
      try Config.change(fleet, display, setting) { device, _ in try device.set(setting, to: number) }
    }

    /// Sets the access key; of a device that had none, names what else somebody may have set.
    private func setAccessKey(_ setting: Setting) throws {
      let provisioning = Provisioning(
        generates: false, isNewDevice: fleet.link.answers.isNewDevice,
        ownerKeys: try ownerKey.map(OwnerKey.readPublic))
      let path = value
      defer { provisioning.remarks.print() }
      try Config.change(fleet, display, setting) { device, serial in
        try provisioning.refuseInheritance(of: device, serial: serial, keyFile: path)
        guard try provisioning.setKey(of: device, serial: serial, from: path) else { return }
        let name = serial.isEmpty ? device.client.location : serial
        if let family = try DevicePayload.served(by: device)?.family, family != "none" {
          provisioning.remarks.note(
            .device(
              "anybody could push a payload before the first access key, `herald-host payload push` replaces it: the family is \(family)"
            ), name)
        }
        let others = try InheritedSettings.list(of: device, except: [])
        guard !others.isEmpty else { return }
        let list = others.map { "\(SettingText.name(of: $0.setting)) \($0.text)" }.joined(separator: ", ")
        provisioning.remarks.note(
          .device(
            "settings that anybody could change before the first access key differ from the defaults, `config unset` sets them back: \(list)"
          ), name)
      }
    }
  }

  /// `herald-host config unset NAME`
  struct Unset: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract:
        "Sets a setting of a device, or of many at once, back to its default; without an access key everybody with a cable can set up the device anew.",
      discussion: "Example: `herald-host config unset scan/window-ms`"
    )

    @Argument(help: "The setting, as `config list` shows it.", completion: .settings)
    var name: String
    @OptionGroup var fleet: FleetOptions
    @OptionGroup var display: DisplayOptions

    func run() throws {
      let setting = try SettingText.setting(named: name)
      try Config.change(fleet, display, setting) { device, _ in
        try device.unset(setting)
        // The key was what the session was opened with.
        if setting == .accessKey { device.client.forgetSession() }
      }
    }
  }
}

extension CompletionKind {
  /// The names of all settings.
  static var settings: CompletionKind { .list(SettingText.all.map { SettingText.name(of: $0) }) }

  /// The named values of all settings.
  static var settingValues: CompletionKind { .list(SettingText.words) }
}
