import HeraldDeviceLink
import HeraldEmbedded

extension DeviceClient {
  private static func request(
    _ subject: String, _ operation: SMPOperation, _ command: UInt8, _ setting: Setting, value: [UInt8]? = nil
  ) -> ManagementRequest {
    ManagementRequest(subject, operation, .settings, command) { writer in
      writer.map(value == nil ? 1 : 2)
      writer.key(.name)
      writer.text(setting.name)
      if let value {
        writer.key(.value)
        writer.byteString(value.span)
      }
    }
  }

  /// The effective value of a setting; `nil` if the device does not support it. Secrets cannot be read
  /// (`.refused`).
  public func number(of setting: Setting) throws(HostLinkError) -> UInt32? {
    let description = setting.description
    let request = Self.request("the setting \(setting.name)", .read, SettingsCommand.value, setting)
    switch try client.result(of: request) {
    case .failure(let failure):
      if failure.is(.noSuchSetting) { return nil }
      throw failure.error(request, at: client.location)
    case .success(let body):
      guard case .bytes(let value) = body[SMPKey.value], !value.isEmpty,
        value.count == description.kind.size
      else { throw malformed(request, "a value of another size") }
      return value.enumerated().reduce(0) { $0 | UInt32($1.element) << UInt32(8 * $1.offset) }
    }
  }

  /// The public key for which the device seals its log, 32 bytes; empty if it does not, `nil` if the device
  /// does not support it.
  public func ownerKey() throws(HostLinkError) -> [UInt8]? {
    let request = Self.request("the owner's key", .read, SettingsCommand.value, .ownerKey)
    switch try client.result(of: request) {
    case .failure(let failure):
      if failure.is(.noSuchSetting) { return nil }
      throw failure.error(request, at: client.location)
    case .success(let body):
      guard case .bytes(let value) = body[SMPKey.value], value.isEmpty || value.count == OwnerKey.size else {
        throw malformed(request, "a key of another size")
      }
      return value
    }
  }

  /// Sets the public key for which the device seals its log.
  public func setOwnerKey(_ key: [UInt8]) throws(HostLinkError) {
    try write(.ownerKey, key, "to set the owner's key")
  }

  /// Sets a setting to a value, which the device stores and applies immediately.
  public func set(_ setting: Setting, to number: UInt32) throws(HostLinkError) {
    let value = (0..<setting.description.kind.size).map {
      UInt8(truncatingIfNeeded: number >> UInt32(8 * $0))
    }
    try write(setting, value, "to set \(setting.name)")
  }

  /// Resets a setting to its default.
  public func unset(_ setting: Setting) throws(HostLinkError) {
    _ = try client.ask(
      Self.request("to set \(setting.name) back", .write, SettingsCommand.delete, setting))
  }

  func write(_ setting: Setting, _ value: [UInt8], _ subject: String) throws(HostLinkError) {
    _ = try client.ask(Self.request(subject, .write, SettingsCommand.value, setting, value: value))
  }
}
