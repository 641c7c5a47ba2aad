import HeraldEmbedded
import HeraldHostLink

/// What provisioning would do to a device, for `--dry-run`. Secrets are named by their files only.
struct ProvisionPlan: Encodable, Sendable {
  /// What would become of the access key.
  private(set) var accessKey: String?
  let clockSet: Bool
  /// The settings by name, with their values.
  let settings: [String: String]
  /// The family of the payload, with the file of its secret.
  private(set) var payload: String?

  /// The settings that would get their defaults back, as they differ on a device without a key.
  private(set) var reset: [String] = []

  /// Reads from the device whether it has a key, its date and its settings; sends nothing else, and makes no
  /// file.
  /// - Throws: the error with which provisioning would end.
  init(
    _ file: ProvisionFile, for device: DeviceClient, serial: String, _ provisioning: Provisioning,
    named: Set<Setting>, setsOwner: Bool
  ) throws(HostLinkError) {
    clockSet = file.setsTime
    settings = Dictionary(file.settings.map { ($0.name, $0.value) }) { first, _ in first }
    let generates = provisioning.generates
    if let path = file.accessKey {
      let keyFile = try SecretPath.of(path, serial: serial)
      let isThere = try LocalFile.exists(keyFile)
      switch try provisioning.open(device, serial: serial, keyFile: path) {
      case .first:
        accessKey = isThere ? "set from \(keyFile)" : "made in \(keyFile), and set"
        if !setsOwner { try provisioning.refuseForeignOwner(of: device) }
        reset = try InheritedSettings.list(of: device, except: named).map {
          "\(SettingText.name(of: $0.setting)) \($0.text)"
        }
        if file.payload == nil, let family = try DevicePayload.served(by: device)?.family, family != "none" {
          reset.append("payload \(family), unless it is the image's")
        }
      case .opened: accessKey = "opened with \(keyFile)"
      case .other:
        guard device.client.isSealed else {
          throw HostLinkError(
            .refused, "the device has an access key, and \(keyFile) is not there",
            advice: "name the file of its key with --key-file")
        }
        accessKey = "replaced by that in \(keyFile)"
      }
    }
    if file.setsTime || file.payload?.dependsOnToday == true { try provisioning.clockGuard.check(device) }
    if let content = file.payload?.content { payload = try Self.payload(content, serial, generates) }
  }

  private static func payload(
    _ content: PayloadFile.Content, _ serial: String, _ generates: Bool
  ) throws(HostLinkError) -> String {
    switch content {
    case .fixed(let country, let state, .number(let number)): return "fixed \(country),\(state),\(number)"
    case .fixed(let country, let state, .random): return "fixed \(country),\(state), a random identifier"
    case .venue(let country, let state, let code, let name):
      return "venue \(country),\(state),\(code)\(name.isEmpty ? "" : " \(name)")"
    case .test(let identifier, let length): return "test \(identifier), \(length) bytes"
    case .bytes(let bytes): return "\(bytes.count) bytes"
    case .none: return "that of its image"
    case .simple(let country, let state, let secret, _, let days, _):
      let path = try SecretPath.of(secret, serial: serial)
      let isThere = try LocalFile.exists(path)
      guard isThere || generates else {
        throw HostLinkError(.storage, "\(path) is not there", advice: "--generate makes it")
      }
      return
        "simple \(country),\(state), keys of \(days) days from \(path)\(isThere ? "" : ", which is made")"
    }
  }
}
