import HeraldCrypto
import HeraldEmbedded
import HeraldHAL

/// Group 3: the settings of the device, by name, as in MCUmgr's settings group. A written value is stored and
/// applied at once; `Setting` defines the names and ranges.
enum SettingsManagement {
  @inline(never)
  static func respond<Device: ManagedDevice & ~Copyable>(
    to request: inout SMPRequest, device: inout Device
  ) -> SMPOutcome {
    let isWrite = request.header.operation == .write
    switch request.header.command {
    case SettingsCommand.value: break
    case SettingsCommand.delete where isWrite: break
    // Every setting is applied and stored at once.
    case SettingsCommand.commit where isWrite, SettingsCommand.loadSave:
      request.answer.map(0)
      return .answered
    default: return .failure(.unsupported)
    }
    guard request.read(needed: SMPKeys(.name), optional: SMPKeys(.value) | .maximumSize) else {
      return .failure(.invalid)
    }
    guard let setting = Setting(name: request.span(request.said.text)) else {
      return .failure(.noSuchSetting)
    }
    guard isWrite else { return read(setting, &request, device: &device) }
    guard Device.takes(setting) else { return .failure(.settingNotTaken) }
    if request.header.command == SettingsCommand.delete {
      guard delete(setting, at: request.now, device: &device) else { return .failure(.settingNotKept) }
    } else {
      guard request.said.has(.value) else { return .failure(.invalid) }
      let failure = keep(setting, request.span(request.said.bytes), at: request.now, device: &device)
      if setting == .accessKey {
        var secret = request.answer.writer.part(request.said.bytes.range)
        secret.wipe()
      }
      if let failure { return .failure(failure) }
    }
    request.answer.map(0)
    return .answered
  }

  /// `{"name", "max_size"?}` → `{"val"}`: the first `max_size` bytes of the value.
  private static func read<Device: ManagedDevice & ~Copyable>(
    _ setting: Setting, _ request: inout SMPRequest, device: inout Device
  ) -> SMPOutcome {
    let description = setting.description
    guard description.isReadable else { return .failure(.settingNotReadable) }
    let limit = request.said.has(.maximumSize) ? Int(clamping: request.said.maximumSize) : .max
    if setting == .ownerKey {
      var key: [32 of UInt8] = .init(repeating: 0)
      var room = key.mutableSpan
      let count = device.copyOwnerKey(into: &room) ? min(room.count, limit) : 0
      request.answer.map(of: .value)
      request.answer.byteString(room.span.extracting(0..<count))
      return .answered
    }
    let value = device.inEffect(setting)
    request.answer.map(of: .value)
    request.answer.byteString(littleEndian: value, size: min(description.kind.size, limit))
    return .answered
  }

  /// `{"name", "val"}` → `{}`. MCUmgr's settings group has no code for an invalid value: EINVAL.
  private static func keep<Device: ManagedDevice & ~Copyable>(
    _ setting: Setting, _ value: Span<UInt8>, at now: Instant, device: inout Device
  ) -> SMPFailure? {
    let description = setting.description
    if description.kind == .bytes {
      guard setting.allows(UInt32(clamping: value.count)) else { return SMPFailure(.invalid) }
      if setting == .ownerKey {
        if value.count > 0, X25519.isLowOrder(value) { return SMPFailure(.invalid) }
        return device.keepOwnerKey(value) ? nil : .settingNotKept
      }
      return device.keepAccessKey(value) ? nil : .settingNotKept
    }
    guard value.count == description.kind.size else { return SMPFailure(.invalid) }
    var number: UInt32 = 0
    for index in 0..<value.count { number |= UInt32(value[index]) &<< UInt32(truncatingIfNeeded: index &* 8) }
    guard setting.allows(number) else { return SMPFailure(.invalid) }
    return device.keep(setting, value: number, at: now) ? nil : .settingNotKept
  }

  /// `{"name"}` → `{}`
  private static func delete<Device: ManagedDevice & ~Copyable>(
    _ setting: Setting, at now: Instant, device: inout Device
  ) -> Bool {
    switch setting {
    case .accessKey: device.keepAccessKey(Span())
    case .ownerKey: device.keepOwnerKey(Span())
    default: device.keep(setting, value: nil, at: now)
    }
  }
}
