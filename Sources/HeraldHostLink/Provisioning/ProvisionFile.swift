/// What devices are to be made: one file in YAML for one of them or for a hundred. `Examples/provision.yml`
/// has every field.
public struct ProvisionFile: Equatable, Sendable {
  /// The file with the access key of the devices, as a path; `{serial}` in it stands for a device's serial
  /// number. `nil` leaves it as it is.
  public let accessKey: String?
  /// Settings by name, as people write their values; in the order of the names.
  public let settings: [(name: String, value: String)]
  /// What they are to offer; `nil` leaves it as it is.
  public let payload: PayloadFile?
  /// Whether their clocks are set from this computer's.
  public let setsTime: Bool

  /// Reads a file. Paths in it are from the folder that it is in.
  public init(path: String) throws(HostLinkError) {
    try self.init(YAMLFields.file(path))
  }

  init(_ source: YAMLFields) throws(HostLinkError) {
    var fields = source
    accessKey = try fields.optionalText("access-key").map(fields.path)
    setsTime = try fields.optionalTruth("time") ?? true
    var settings: [(name: String, value: String)] = []
    if var wanted = try fields.fields("settings") {
      for name in wanted.names { settings.append((name, try wanted.text(name))) }
    }
    self.settings = settings
    if let payload = try fields.fields("payload") {
      self.payload = try PayloadFile(payload)
    } else {
      payload = nil
    }
    try fields.finish()
  }

  /// Whether both say the same.
  public static func == (left: Self, right: Self) -> Bool {
    left.accessKey == right.accessKey && left.settings.elementsEqual(right.settings) { $0 == $1 }
      && left.payload == right.payload && left.setsTime == right.setsTime
  }
}
