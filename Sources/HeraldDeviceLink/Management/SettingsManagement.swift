import HeraldEmbedded

/// Group 3: what the device is set to, by name, as MCUmgr's settings group has it. What is written is kept and applies at once; which names there
/// are, and what they take, says `Setting`.
enum SettingsManagement {
  @inline(never)
  static func respond<Device: ManagedDevice & ~Copyable>(
    to request: SMPRequest, in buffer: inout MutableSpan<UInt8>, device: inout Device
  ) -> SMPOutcome {
    let isWrite = request.header.operation == .write
    switch request.header.command {
    case SettingsCommand.value where isWrite: return write(request, in: &buffer, device: &device)
    case SettingsCommand.value: return read(request, in: &buffer, device: &device)
    case SettingsCommand.delete where isWrite: return delete(request, in: &buffer, device: &device)
    // There is nothing that is not applied, or not kept.
    case SettingsCommand.commit where isWrite, SettingsCommand.loadSave: return done(in: &buffer)
    default: return .failure(SMPFailure(.unsupported))
    }
  }

  /// `{"name"}` → `{"val"}`
  private static func read<Device: ManagedDevice & ~Copyable>(
    _ request: SMPRequest, in buffer: inout MutableSpan<UInt8>, device: inout Device
  ) -> SMPOutcome {
    let setting: Setting
    switch Question.of(request, in: buffer) {
    case .success(let question): setting = question.setting
    case .failure(let failure): return .failure(failure)
    }
    let description = setting.description
    guard description.isReadable else { return .failure(.settingNotReadable) }
    let value = device.inEffect(setting)
    var bytes: [4 of UInt8] = .init(repeating: 0)
    for index in 0..<4 {
      bytes[index] = UInt8(truncatingIfNeeded: value &>> UInt32(truncatingIfNeeded: index &* 8))
    }
    var writer = CBORWriter(buffer._mutatingExtracting(0...), from: SMPHeader.size)
    writer.map(1)
    writer.text(SMPKey.value)
    writer.byteString(bytes.span.extracting(0..<description.kind.size))
    return writer.outcome
  }

  /// `{"name", "val"}` → `{}`
  private static func write<Device: ManagedDevice & ~Copyable>(
    _ request: SMPRequest, in buffer: inout MutableSpan<UInt8>, device: inout Device
  ) -> SMPOutcome {
    let question: Question
    switch Question.of(request, in: buffer) {
    case .success(let understood): question = understood
    case .failure(let failure): return .failure(failure)
    }
    guard question.count >= 0 else { return .failure(SMPFailure(.invalid)) }
    let place = question.start..<(question.start &+ question.count)
    let failure = keep(question.setting, buffer.span.extracting(place), at: request.now, device: &device)
    if question.setting == .accessKey {
      var secret = buffer._mutatingExtracting(place)
      secret.wipe()
    }
    if let failure { return .failure(failure) }
    return done(in: &buffer)
  }

  private static func keep<Device: ManagedDevice & ~Copyable>(
    _ setting: Setting, _ value: Span<UInt8>, at now: Instant, device: inout Device
  ) -> SMPFailure? {
    let description = setting.description
    if description.kind == .bytes {
      guard description.allows(UInt32(clamping: value.count)) else { return .settingSize }
      return device.keepAccessKey(value) ? nil : .settingNotKept
    }
    guard value.count == description.kind.size else { return .settingSize }
    var number: UInt32 = 0
    for index in 0..<value.count { number |= UInt32(value[index]) &<< UInt32(truncatingIfNeeded: index &* 8) }
    guard description.allows(number) else { return .settingOutOfRange }
    return device.keep(setting, value: number, at: now) ? nil : .settingNotKept
  }

  /// `{"name"}` → `{}`
  private static func delete<Device: ManagedDevice & ~Copyable>(
    _ request: SMPRequest, in buffer: inout MutableSpan<UInt8>, device: inout Device
  ) -> SMPOutcome {
    switch Question.of(request, in: buffer) {
    case .success(let question):
      let isKept =
        question.setting == .accessKey
        ? device.keepAccessKey(buffer.span.extracting(0..<0))
        : device.keep(question.setting, value: nil, at: request.now)
      return isKept ? done(in: &buffer) : .failure(.settingNotKept)
    case .failure(let failure): return .failure(failure)
    }
  }

  private static func done(in buffer: inout MutableSpan<UInt8>) -> SMPOutcome {
    var writer = CBORWriter(buffer._mutatingExtracting(0...), from: SMPHeader.size)
    writer.map(0)
    return writer.outcome
  }

  /// Which setting a request is about, and where in the packet its value lies.
  private struct Question: BitwiseCopyable {
    var setting: Setting
    var start = 0
    /// −1 for no value.
    var count = -1

    @inline(never)
    static func of(_ request: SMPRequest, in buffer: borrowing MutableSpan<UInt8>) -> Result<
      Question, SMPFailure
    > {
      var reader = CBORReader(buffer.span.extracting(SMPHeader.size..<request.end))
      guard var entries = reader.map() else { return .failure(SMPFailure(.invalid)) }
      var isNamed = false
      var setting: Setting?
      var start = 0
      var count = -1
      while reader.next(in: &entries) {
        guard let key = reader.text() else { return .failure(SMPFailure(.invalid)) }
        if key.equals(SMPKey.name) {
          guard let name = reader.text() else { return .failure(SMPFailure(.invalid)) }
          isNamed = true
          setting = Setting(name: name)
        } else if key.equals(SMPKey.value) {
          guard let value = reader.byteString() else { return .failure(SMPFailure(.invalid)) }
          count = value.count
          start = SMPHeader.size &+ reader.offset &- count
        } else {
          guard reader.skip() else { return .failure(SMPFailure(.invalid)) }
        }
      }
      guard isNamed else { return .failure(SMPFailure(.invalid)) }
      guard let setting else { return .failure(.noSuchSetting) }
      return .success(Question(setting: setting, start: start, count: count))
    }
  }
}
