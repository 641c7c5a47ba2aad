import ArgumentParser
import HeraldEmbedded
import HeraldHostLink

/// `herald-host config`
struct Config: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Shows and changes what a device is set to.",
    discussion: """
      A device keeps what is set over restarts, and obeys it at once; a factory reset makes it the default again. `config list` shows every setting, its value, \
      its default and what it takes. The access key is never shown; its value is the path of a file, so that it stands on no command line.
      """,
    subcommands: [List.self, Get.self, Set.self, Unset.self])

  /// A setting of a device.
  struct Row: Encodable {
    let name: String
    /// `nil` if the device does not know it, or does not tell it.
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
      value = try device.number(of: setting)
      text = value.map { SettingText.text($0, of: setting) } ?? "unknown to this device"
    }
  }

  /// `herald-host config list`
  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Shows every setting of a device.")

    @OptionGroup var options: DeviceOptions
    @OptionGroup var display: DisplayOptions

    func run() throws {
      try options.withDevice { device, _ in
        let rows = try SettingText.all.map { try Row($0, device) }
        try display.show(rows) {
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
    static let configuration = CommandConfiguration(abstract: "Shows a setting of a device.")

    @Argument(help: "The setting, as `config list` shows it.")
    var name: String
    @OptionGroup var options: DeviceOptions
    @OptionGroup var display: DisplayOptions

    func run() throws {
      let setting = try SettingText.setting(named: name)
      try options.withDevice { device, open in
        let row = try Row(setting, device)
        guard row.value != nil || !setting.description.isReadable else {
          throw HostLinkError(
            .refused, "\(open.transport.location) has no setting \(row.name)",
            advice: "the device's firmware may be older than this program")
        }
        try display.show(row) { print(row.value.map(String.init) ?? row.text) }
      }
    }
  }

  /// `herald-host config set NAME VALUE`
  struct Set: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Changes a setting of a device.")

    @Argument(help: "The setting, as `config list` shows it.")
    var name: String
    @Argument(
      help:
        "What it is to be: a number, a name that `config list` shows, or for access/key the path of a file with 32 bytes."
    )
    var value: String
    @OptionGroup var options: DeviceOptions

    func run() throws {
      let setting = try SettingText.setting(named: name)
      guard setting.description.kind != .bytes else {
        let key = try AccessKey.read(value)
        if key.isOpenToOthers {
          Console.note("herald-host: others than its owner may use \(value); `chmod 600` it")
        }
        return try options.withDevice { device, _ in try device.setAccessKey(key) }
      }
      let number = try SettingText.number(value, of: setting)
      try options.withDevice { device, _ in try device.set(setting, to: number) }
    }
  }

  /// `herald-host config unset NAME`
  struct Unset: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract:
        "Sets a setting of a device back to its default; without an access key a device is open to everybody with a cable."
    )

    @Argument(help: "The setting, as `config list` shows it.")
    var name: String
    @OptionGroup var options: DeviceOptions

    func run() throws {
      let setting = try SettingText.setting(named: name)
      try options.withDevice { device, _ in try device.unset(setting) }
    }
  }
}
