/// The configuration of one or more devices: a YAML file. `Examples/provision.yml` has every field.
public struct ProvisionFile: Equatable, Sendable {
  /// The path of the file with the access key of the devices; `{serial}` in it stands for a device's serial
  /// number. `nil` leaves the access key unchanged.
  public let accessKey: String?
  /// The path of the file with the owner's public key, for which the devices seal their logs; `nil` leaves that
  /// unchanged.
  public let ownerKey: String?
  /// Settings by name with their values as text, sorted by name.
  public let settings: [(name: String, value: String)]
  /// The payload of the devices; `nil` leaves it unchanged.
  public let payload: PayloadFile?
  /// Whether their clocks are set from the clock of this computer.
  public let setsTime: Bool

  /// Reads a file. Paths in it are relative to its folder.
  public init(path: String) throws(HostLinkError) {
    try self.init(YAMLFields.file(path))
  }

  init(_ source: YAMLFields) throws(HostLinkError) {
    var fields = source
    accessKey = try fields.optionalText("access-key").map(fields.path)
    ownerKey = try fields.optionalText("owner-key").map(fields.path)
    setsTime = try fields.optionalTruth("time") ?? true
    var settings: [(name: String, value: String)] = []
    if var wanted = try fields.fields("settings") {
      for name in wanted.names {
        let value = try wanted.text(name)
        do throws(HostLinkError) {
          _ = try SettingText.number(value, of: try SettingText.setting(named: name))
        } catch { throw wanted.located(error, at: name) }
        settings.append((name, value))
      }
    }
    self.settings = settings
    if let payload = try fields.fields("payload") {
      self.payload = try PayloadFile(payload)
    } else {
      payload = nil
    }
    try fields.finish()
  }

  /// Whether both have the same content.
  public static func == (left: Self, right: Self) -> Bool {
    left.accessKey == right.accessKey && left.ownerKey == right.ownerKey
      && left.settings.elementsEqual(right.settings) { $0 == $1 }
      && left.payload == right.payload && left.setsTime == right.setsTime
  }
}
