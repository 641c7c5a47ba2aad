import HeraldEmbedded

/// What a device without an access key was set to by whoever had it before: anybody could.
public enum InheritedSettings {
  /// Whether a setting can be inherited. The owner's key is judged on its own.
  private static func isCandidate(_ setting: Setting) -> Bool { setting.description.standard != nil }

  /// Throws if the device seals its log for a key that is not among `known`: only who has the private half
  /// could read the log.
  /// - Throws: `.notConfirmed`, and the errors of the link.
  public static func refuseForeignOwner(of device: DeviceClient, known: [[UInt8]]) throws(HostLinkError) {
    guard case .sealed(let key) = try device.sealing(), !known.contains(key) else { return }
    throw HostLinkError(
      .notConfirmed,
      "\(device.client.location) seals its log for the key \(key.prefix(4).hexadecimal)…, which is not named here: only who has its private half could read the log",
      advice:
        "name your public key (owner-key in the file, or --owner-key-public FILE.pub); if that key is a stranger's, `herald-host config unset log/owner-key` removes it"
    )
  }

  /// The settings of the device that differ from the defaults of this program, but for those in `named`, with
  /// their values as text, in the order of the table.
  public static func list(of device: DeviceClient, except named: Set<Setting>) throws(HostLinkError) -> [(
    setting: Setting, text: String
  )] {
    var found: [(setting: Setting, text: String)] = []
    for setting in SettingText.all where isCandidate(setting) && !named.contains(setting) {
      guard let number = try device.number(of: setting), number != setting.description.standard else {
        continue
      }
      found.append((setting, SettingText.text(number, of: setting)))
    }
    return found
  }

  /// Sets the settings that differ back to their defaults, but for those in `named`. Returns those that have
  /// changed by it, as `log/keep-days 1 days`: an image may have other defaults than this program.
  public static func reset(_ device: DeviceClient, except named: Set<Setting>) throws(HostLinkError)
    -> [String]
  {
    var changed: [String] = []
    for (setting, text) in try list(of: device, except: named) {
      try device.unset(setting)
      guard let number = try device.number(of: setting), SettingText.text(number, of: setting) != text else {
        continue
      }
      changed.append("\(SettingText.name(of: setting)) \(text)")
    }
    return changed
  }

  /// Removes a payload that was pushed to the device, so that it offers that of its image. Returns the name
  /// of the family that it offered; `nil` if that has not changed.
  public static func resetPayload(of device: DeviceClient) throws(HostLinkError) -> String? {
    let former = try device.payload()
    guard former.family != "none" else { return nil }
    // Firmware with a fixed payload refuses.
    do { try device.pushPayload(.none()) } catch  where error.cause == .refused { return nil }
    return try device.payload() == former ? nil : former.family
  }
}
