import HeraldEmbedded

/// Group 0: echo, clock, reset and information, as MCUmgr's OS group has them.
enum OSManagement {
  @inline(never)
  static func respond<Device: ManagedDevice & ~Copyable>(
    to request: SMPRequest, in buffer: inout MutableSpan<UInt8>, device: inout Device
  ) -> SMPOutcome {
    switch request.header.command {
    // MCUmgr takes an echo with either operation.
    case OSCommand.echo: echo(request, in: &buffer)
    case OSCommand.dateTime where request.header.operation == .read:
      tellClock(request, in: &buffer, device: &device)
    case OSCommand.dateTime: setClock(request, in: &buffer, device: &device)
    case OSCommand.bootLoader where !Device.bootLoader.isEmptyText && request.header.operation == .read:
      tellBootLoader(request, in: &buffer, of: Device.self)
    case OSCommand.reset where request.header.operation == .write:
      reset(request, in: &buffer, device: &device)
    case OSCommand.parameters where request.header.operation == .read: tellParameters(request, in: &buffer)
    case OSCommand.information where request.header.operation == .read:
      tellInformation(request, in: &buffer, device: &device)
    default: .failure(SMPFailure(.unsupported))
    }
  }

  /// `{"d": text}` → `{"r": text}`
  private static func echo(_ request: SMPRequest, in buffer: inout MutableSpan<UInt8>) -> SMPOutcome {
    guard let text = text(SMPKey.echo, in: request, of: buffer) else { return .failure(SMPFailure(.invalid)) }
    var writer = CBORWriter(buffer._mutatingExtracting(0...), from: SMPHeader.size)
    // The map, the key and the text's head, each in its shortest form, end at or before the text of the request.
    writer.map(1)
    writer.text(SMPKey.echoed)
    writer.textHead(text.count)
    let start = writer.count
    guard !writer.overflowed, buffer.count &- start >= text.count else {
      return .failure(SMPFailure(.tooLong))
    }
    var index = 0
    while index < text.count {
      buffer[start &+ index] = buffer[text.start &+ index]
      index &+= 1
    }
    return .success(start &+ text.count)
  }

  /// `{}` → `{"datetime": text}`
  private static func tellClock<Device: ManagedDevice & ~Copyable>(
    _ request: SMPRequest, in buffer: inout MutableSpan<UInt8>, device: inout Device
  ) -> SMPOutcome {
    guard let unixMilliseconds = device.unixMilliseconds(at: request.now) else {
      return .failure(.clockNotSet)
    }
    var writer = CBORWriter(buffer._mutatingExtracting(0...), from: SMPHeader.size)
    writer.map(1)
    writer.text(SMPKey.dateTime)
    writer.textHead(DateTime.size)
    let start = writer.count
    guard !writer.overflowed, buffer.count &- start >= DateTime.size else {
      return .failure(SMPFailure(.tooLong))
    }
    var text = buffer._mutatingExtracting(start..<(start &+ DateTime.size))
    guard DateTime.write(unixMilliseconds, to: &text) else { return .failure(.clockRefused) }
    return .success(start &+ DateTime.size)
  }

  /// `{"datetime": text}` → `{}`
  private static func setClock<Device: ManagedDevice & ~Copyable>(
    _ request: SMPRequest, in buffer: inout MutableSpan<UInt8>, device: inout Device
  ) -> SMPOutcome {
    guard let text = text(SMPKey.dateTime, in: request, of: buffer),
      let unixMilliseconds = DateTime.parse(
        buffer.span.extracting(text.start..<(text.start &+ text.count)))
    else { return .failure(SMPFailure(.invalid)) }
    guard device.setClock(unixMilliseconds: unixMilliseconds, at: request.now) else {
      return .failure(.clockRefused)
    }
    return empty(in: &buffer)
  }

  /// `{"query"?}` → `{"bootloader": text}`; nothing else is known of it.
  private static func tellBootLoader<Device: ManagedDevice & ~Copyable>(
    _ request: SMPRequest, in buffer: inout MutableSpan<UInt8>, of device: Device.Type
  ) -> SMPOutcome {
    guard let query = text(SMPKey.query, in: request, of: buffer, isOptional: true) else {
      return .failure(SMPFailure(.invalid))
    }
    guard query.count == 0 else { return .failure(.noAnswer) }
    var writer = CBORWriter(buffer._mutatingExtracting(0...), from: SMPHeader.size)
    writer.map(1)
    writer.text(SMPKey.bootLoader)
    writer.text(Device.bootLoader)
    return writer.outcome
  }

  /// Whether a request for a reset insists on it; `nil` if it is malformed.
  private static func isForced(_ request: SMPRequest, in buffer: borrowing MutableSpan<UInt8>) -> Bool? {
    guard request.end > SMPHeader.size else { return false }
    var reader = CBORReader(buffer.span.extracting(SMPHeader.size..<request.end))
    guard var entries = reader.map() else { return nil }
    var isForced = false
    while reader.next(in: &entries) {
      guard let key = reader.text() else { return nil }
      if key.equals(SMPKey.force), let number = reader.unsigned32() {
        isForced = number > 0
      } else {
        guard reader.skip() else { return nil }
      }
    }
    return isForced
  }

  /// `{"force"?: 1}` → `{}`. While everything is being erased, after which the device restarts by itself, only if it is forced.
  private static func reset<Device: ManagedDevice & ~Copyable>(
    _ request: SMPRequest, in buffer: inout MutableSpan<UInt8>, device: inout Device
  ) -> SMPOutcome {
    guard let isForced = isForced(request, in: buffer) else { return .failure(SMPFailure(.invalid)) }
    let erasing = device.factoryReset()
    guard isForced || erasing.done >= erasing.total else { return .failure(SMPFailure(.busy)) }
    device.restart(at: request.now)
    return empty(in: &buffer)
  }

  /// `{}` → `{"buf_size": bytes, "buf_count": packets}`
  private static func tellParameters(
    _ request: SMPRequest, in buffer: inout MutableSpan<UInt8>
  ) -> SMPOutcome {
    let size = UInt32(clamping: buffer.count)
    var writer = CBORWriter(buffer._mutatingExtracting(0...), from: SMPHeader.size)
    writer.map(2)
    writer.text(SMPKey.bufferSize)
    writer.unsigned(size)
    writer.text(SMPKey.bufferCount)
    writer.unsigned(UInt32(clamping: request.bufferCount))
    return writer.outcome
  }

  /// `{"format": characters}` → `{"output": text}`: the fields in their own order, whatever that of the characters is,
  /// with spaces between them. Without a format, the kernel name.
  private static func tellInformation<Device: ManagedDevice & ~Copyable>(
    _ request: SMPRequest, in buffer: inout MutableSpan<UInt8>, device: inout Device
  ) -> SMPOutcome {
    let fields: UInt16
    switch informationFields(request, in: buffer) {
    case .success(let wanted): fields = UInt16(truncatingIfNeeded: wanted)
    case .failure(let failure): return .failure(failure)
    }
    // The text's length is not known before its text, and its head may be one to three bytes: write the text
    // behind the longest, then move it down.
    let longestHead = 3
    var writer = CBORWriter(buffer._mutatingExtracting(0...), from: SMPHeader.size)
    writer.map(1)
    writer.text(SMPKey.output)
    let headStart = writer.count
    let textStart = headStart &+ longestHead
    guard !writer.overflowed, textStart <= buffer.count else { return .failure(SMPFailure(.tooLong)) }
    var end = textStart
    var index: UInt8 = 0
    while index < InformationField.count {
      if fields &>> UInt16(index) & 1 != 0, let field = InformationField(rawValue: index) {
        let start = end > textStart ? end &+ 1 : end
        guard start <= buffer.count else { return .failure(SMPFailure(.tooLong)) }
        var room = buffer._mutatingExtracting(start..<buffer.count)
        let written = device.information(field, into: &room)
        guard written >= 0, written <= buffer.count &- start else { return .failure(SMPFailure(.unknown)) }
        if written > 0 {
          if start > end { buffer[end] = UInt8(ascii: " ") }
          end = start &+ written
        }
      }
      index &+= 1
    }
    let count = end &- textStart
    guard count <= 0xFFFF else { return .failure(SMPFailure(.tooLong)) }
    var head = CBORWriter(buffer._mutatingExtracting(0...), from: headStart)
    head.textHead(count)
    let start = head.count
    var moved = 0
    while moved < count {
      buffer[start &+ moved] = buffer[textStart &+ moved]
      moved &+= 1
    }
    return .success(start &+ count)
  }

  /// The fields a request for information asks for, as bits numbered like `InformationField`.
  private static func informationFields(
    _ request: SMPRequest, in buffer: borrowing MutableSpan<UInt8>
  ) -> SMPOutcome {
    guard let format = text(SMPKey.format, in: request, of: buffer, isOptional: true) else {
      return .failure(SMPFailure(.invalid))
    }
    guard format.count > 0 else { return .success(1) }
    var fields = 0
    for index in format.start..<(format.start &+ format.count) {
      let character = buffer[index]
      if character == UInt8(ascii: "a") {
        fields = 0x1FF
      } else if let field = InformationField(character: character) {
        fields |= 1 &<< Int(field.rawValue)
      } else {
        return .failure(.invalidFormat)
      }
    }
    return .success(fields)
  }

  private static func empty(in buffer: inout MutableSpan<UInt8>) -> SMPOutcome {
    var writer = CBORWriter(buffer._mutatingExtracting(0...), from: SMPHeader.size)
    writer.map(0)
    return writer.outcome
  }

  /// Where a text of the request lies in the packet.
  private struct Text: BitwiseCopyable {
    var start: Int
    var count: Int
  }

  /// Where the text under `key` lies; `nil` if the body is malformed, or lacks the key and `isOptional` is not set. A
  /// request without any body has no keys.
  @inline(never)
  private static func text(
    _ key: StaticString, in request: SMPRequest, of buffer: borrowing MutableSpan<UInt8>,
    isOptional: Bool = false
  ) -> Text? {
    let missing: Text? = isOptional ? Text(start: SMPHeader.size, count: 0) : nil
    guard request.end > SMPHeader.size else { return missing }
    var reader = CBORReader(buffer.span.extracting(SMPHeader.size..<request.end))
    guard var entries = reader.map() else { return nil }
    var found = missing
    while reader.next(in: &entries) {
      guard let name = reader.text() else { return nil }
      if name.equals(key) {
        guard let value = reader.text() else { return nil }
        found = Text(start: SMPHeader.size &+ reader.offset &- value.count, count: value.count)
      } else {
        guard reader.skip() else { return nil }
      }
    }
    return found
  }
}

extension StaticString {
  /// Whether it has no bytes.
  fileprivate var isEmptyText: Bool { !hasPointerRepresentation || utf8CodeUnitCount == 0 }
}
