import HeraldEmbedded
import HeraldText

/// Settings as text: names, named values, units and ranges, all from the table that devices use (`Setting`).
public enum SettingText {
  /// All settings, in the order of the table.
  public static var all: [Setting] {
    (0..<UInt8(Setting.count)).compactMap(Setting.init(rawValue:))
  }

  /// The setting with this name.
  /// - Throws: `.usage` if there is none.
  public static func setting(named name: String) throws(HostLinkError) -> Setting {
    guard let setting = Setting(name: Array(name.utf8).span) else {
      let names = all.map { Self.name(of: $0) }
      throw HostLinkError(
        .usage, "there is no setting \(PrintableText.of(name))",
        advice: NearestWord.of(name, in: names).map { "did you mean \($0)?" }
          ?? "there are \(names.joined(separator: ", "))")
    }
    return setting
  }

  /// The name of the setting.
  public static func name(of setting: Setting) -> String { "\(setting.name)" }

  /// The number given by `text`: an integer within the setting's range, or the name of a choice.
  public static func number(_ text: String, of setting: Setting) throws(HostLinkError) -> UInt32 {
    let description = setting.description
    guard setting != .ownerKey else {
      throw HostLinkError(
        .usage, "\(name(of: setting)) is a key, which stands in a file",
        advice: "`herald-host provision --owner-key-public FILE` or `config set \(name(of: setting)) FILE`")
    }
    guard description.kind != .bytes else {
      throw HostLinkError(
        .usage,
        "\(name(of: setting)) is a secret and must not be given on a command line or in a settings file",
        advice:
          "put it into a file of its own, and name that: `herald-host config set \(name(of: setting)) FILE`")
    }
    let choice = choices(of: setting).first { $0.name == text }?.number
    guard let number = choice ?? UInt32(text), description.allows(number) else {
      throw HostLinkError(
        .usage, "\(name(of: setting)) is not to be \(PrintableText.of(text, limit: 40))",
        advice: "it takes \(range(of: setting))")
    }
    return number
  }

  /// The number for display: the name of a choice, or the number with its unit.
  public static func text(_ number: UInt32, of setting: Setting) -> String {
    if let choice = choices(of: setting).first(where: { $0.number == number }) { return choice.name }
    let unit = unit(of: setting)
    return unit.isEmpty ? "\(number)" : "\(number) \(unit)"
  }

  /// The number in the form accepted by programs and `config set`: the name of a choice, or the number
  /// without its unit.
  public static func value(_ number: UInt32, of setting: Setting) -> String {
    choices(of: setting).first { $0.number == number }?.name ?? "\(number)"
  }

  /// The names of the choices of all settings.
  public static var words: [String] { all.flatMap { choices(of: $0).map(\.name) } }

  /// The range of the setting as text.
  public static func range(of setting: Setting) -> String {
    let description = setting.description
    guard setting != .ownerKey else { return "a file of a public key" }
    guard description.kind != .bytes else { return "a file of \(description.range.upperBound) bytes" }
    let choices = choices(of: setting)
    guard choices.isEmpty else { return choices.map(\.name).joined(separator: ", ") }
    let unit = unit(of: setting)
    return
      "\(description.range.lowerBound) to \(description.range.upperBound)\(unit.isEmpty ? "" : " \(unit)")"
  }

  private static func unit(of setting: Setting) -> String {
    switch setting.description.unit {
    case .none: ""
    case .days: "days"
    case .seconds: "s"
    case .milliseconds: "ms"
    }
  }

  private static func choices(of setting: Setting) -> [(number: UInt32, name: String)] {
    switch setting {
    case .stayOpen, .motionDetection, .bluetoothManagement: [(0, "no"), (1, "yes")]
    case .radioSetting:
      setting.description.range.compactMap { number in
        RadioSetting(rawValue: UInt8(truncatingIfNeeded: number)).map { (number, "\($0.name)") }
      }
    default: []
    }
  }
}
