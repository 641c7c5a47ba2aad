import HeraldEmbedded

/// Group 3: what the device is set to, by name, as MCUmgr's settings group has it. What is written is kept at once.
enum SettingsManagement {
  static func respond<Device: ManagedDevice & ~Copyable>(
    to request: SMPRequest, in buffer: inout MutableSpan<UInt8>, device: inout Device
  ) -> SMPOutcome {
    let isWrite = request.asks(.write, SettingsCommand.value)
    guard isWrite || request.asks(.read, SettingsCommand.value) else {
      return .failure(SMPFailure(.unsupported))
    }
    let question: Question
    switch Self.question(buffer.span.extracting(SMPHeader.size..<request.end)) {
    case .success(let understood): question = understood
    case .failure(let failure): return .failure(failure)
    }
    var writer = CBORWriter(buffer._mutatingExtracting(0...), from: SMPHeader.size)
    if isWrite {
      guard let days = question.days else { return .failure(SMPFailure(.invalid)) }
      guard device.keepRetention(days: days) else { return .failure(.settingNotKept) }
      writer.map(0)
    } else {
      let days = device.logStatus().keptDays
      writer.map(1)
      writer.text(SMPKey.value)
      let bytes: [2 of UInt8] = [
        UInt8(truncatingIfNeeded: days), UInt8(truncatingIfNeeded: days &>> 8),
      ]
      writer.byteString(bytes.span)
    }
    return writer.outcome
  }

  /// What a request brings beside the name of the one setting there is.
  private struct Question: BitwiseCopyable {
    /// `nil` unless there is a value of two bytes.
    var days: UInt16?
  }

  /// `{"name"}` to read, `{"name", "val"}` to write.
  private static func question(_ body: Span<UInt8>) -> Result<Question, SMPFailure> {
    var reader = CBORReader(body)
    guard var entries = reader.map() else { return .failure(SMPFailure(.invalid)) }
    var isNamed = false
    var isKnown = false
    var question = Question()
    while reader.next(in: &entries) {
      guard let key = reader.text() else { return .failure(SMPFailure(.invalid)) }
      if key.equals(SMPKey.name) {
        guard let name = reader.text() else { return .failure(SMPFailure(.invalid)) }
        isNamed = true
        isKnown = name.equals(SettingsCommand.retentionDays)
      } else if key.equals(SMPKey.value) {
        guard let value = reader.byteString() else { return .failure(SMPFailure(.invalid)) }
        question.days = value.count == 2 ? UInt16(value[0]) | UInt16(value[1]) &<< 8 : nil
      } else {
        guard reader.skip() else { return .failure(SMPFailure(.invalid)) }
      }
    }
    guard isNamed else { return .failure(SMPFailure(.invalid)) }
    return isKnown ? .success(question) : .failure(.noSuchSetting)
  }
}
