import Foundation
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

  /// Reads from the device whether it has a key; sends nothing else, and makes no file.
  /// - Throws: the error with which provisioning would end.
  init(
    _ file: ProvisionFile, for device: DeviceClient, serial: String, generates: Bool, isNewDevice: Bool
  ) throws(HostLinkError) {
    clockSet = file.setsTime
    settings = Dictionary(file.settings.map { ($0.name, $0.value) }) { first, _ in first }
    if let path = file.accessKey {
      accessKey = try Self.key(
        try SecretPath.of(path, serial: serial), device, generates: generates, isNewDevice: isNewDevice)
    }
    if let content = file.payload?.content { payload = try Self.payload(content, serial, generates) }
  }

  private static func key(
    _ path: String, _ device: DeviceClient, generates: Bool, isNewDevice: Bool
  ) throws(HostLinkError) -> String {
    let isThere = access(path, F_OK) == 0
    if device.client.isSealed { return "replaced by that in \(path)" }
    guard try device.access().isSet else {
      guard isThere || generates else {
        throw HostLinkError(.storage, "\(path) is not there", advice: "--generate makes it")
      }
      if isThere { try device.refuseImpostor(keyFile: path, isNew: isNewDevice) }
      return isThere ? "set from \(path)" : "made in \(path), and set"
    }
    guard isThere else {
      throw HostLinkError(
        .refused, "the device has an access key, and \(path) is not there",
        advice: "name the file of its key with --key-file")
    }
    return "opened with \(path)"
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
      let isThere = access(path, F_OK) == 0
      guard isThere || generates else {
        throw HostLinkError(.storage, "\(path) is not there", advice: "--generate makes it")
      }
      return
        "simple \(country),\(state), keys of \(days) days from \(path)\(isThere ? "" : ", which is made")"
    }
  }
}
