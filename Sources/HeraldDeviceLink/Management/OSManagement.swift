import HeraldHAL

/// Group 0: echo, clock, reset and information, as in MCUmgr's OS group.
enum OSManagement {
  @inline(never)
  static func respond<Device: ManagedDevice & ~Copyable>(
    to request: inout SMPRequest, device: inout Device
  ) -> SMPOutcome {
    switch request.header.command {
    // MCUmgr takes an echo with either operation.
    case OSCommand.echo: echo(&request)
    case OSCommand.dateTime where request.header.operation == .read: tellClock(&request, device: &device)
    case OSCommand.dateTime: setClock(&request, device: &device)
    case OSCommand.bootLoader where !Device.bootLoader.isEmptyText && request.header.operation == .read:
      tellBootLoader(&request, Device.bootLoader)
    case OSCommand.reset where request.header.operation == .write: reset(&request, device: &device)
    case OSCommand.parameters where request.header.operation == .read: tellParameters(&request)
    case OSCommand.information where request.header.operation == .read:
      tellInformation(&request, device: &device)
    default: .failure(.unsupported)
    }
  }

  /// `{"d": text}` → `{"r": text}`
  private static func echo(_ request: inout SMPRequest) -> SMPOutcome {
    guard request.read(needed: SMPKeys(.echo)) else { return .failure(.invalid) }
    // The map, the key and the text's head, each in its shortest form, end at or before the text of the
    // request.
    request.answer.map(of: .echoed)
    request.answer.text(from: request.said.text.start, count: request.said.text.count)
    return .answered
  }

  /// `{}` → `{"datetime": text}`
  private static func tellClock<Device: ManagedDevice & ~Copyable>(
    _ request: inout SMPRequest, device: inout Device
  ) -> SMPOutcome {
    guard let unixMilliseconds = device.unixMilliseconds(at: request.now) else {
      return .failure(.clockNotSet)
    }
    request.answer.map(of: .dateTime)
    request.answer.textHead(DateTime.size)
    var text = request.answer.space(DateTime.size)
    guard text.count == DateTime.size else { return .failure(.tooLong) }
    return DateTime.write(unixMilliseconds, to: &text) ? .answered : .failure(.clockRefused)
  }

  /// `{"datetime": text}` → `{}`
  private static func setClock<Device: ManagedDevice & ~Copyable>(
    _ request: inout SMPRequest, device: inout Device
  ) -> SMPOutcome {
    guard request.read(needed: SMPKeys(.dateTime)),
      let unixMilliseconds = DateTime.parse(request.span(request.said.text))
    else { return .failure(.invalid) }
    guard device.setClock(unixMilliseconds: unixMilliseconds, at: request.now) else {
      return .failure(.clockRefused)
    }
    request.answer.map(0)
    return .answered
  }

  /// `{"query"?}` → `{"bootloader": text}`; no other query is supported.
  private static func tellBootLoader(_ request: inout SMPRequest, _ name: StaticString) -> SMPOutcome {
    guard request.read(optional: SMPKeys(.query)) else { return .failure(.invalid) }
    guard !request.said.has(.query) else { return .failure(.noAnswer) }
    request.answer.map(of: .bootLoader)
    request.answer.text(name)
    return .answered
  }

  /// `{"force"?: 1, "boot_mode"?: 0 | 1}` → `{}`. While everything is being erased, after which the device
  /// restarts by itself, only with `force`. Mode 1 starts the boot loader of a board that has one.
  private static func reset<Device: ManagedDevice & ~Copyable>(
    _ request: inout SMPRequest, device: inout Device
  ) -> SMPOutcome {
    guard request.read(optional: SMPKeys(.force) | .bootMode) else { return .failure(.invalid) }
    let mode = request.said.bootMode
    guard mode == 0 || mode == 1 && Device.entersBootLoader else { return .failure(.unsupported) }
    let erasing = device.factoryReset()
    guard request.said.force > 0 || erasing.done >= erasing.total else { return .failure(.busy) }
    if mode == 0 { device.restart(at: request.now) } else { device.enterBootLoader(at: request.now) }
    request.answer.map(0)
    return .answered
  }

  /// `{}` → `{"buf_size": bytes, "buf_count": packets}`
  private static func tellParameters(_ request: inout SMPRequest) -> SMPOutcome {
    request.answer.map(2)
    // The same in a session, in which less of it is for the body.
    let reserved = request.header.isSealed ? SealedPacket.tagSize : 0
    request.answer.field(.bufferSize, UInt32(clamping: request.answer.writer.whole.count &+ reserved))
    request.answer.field(.bufferCount, UInt32(clamping: request.bufferCount))
    return .answered
  }

  /// `{"format": characters}` → `{"output": text}`: the fields in their own order, independent of the order
  /// of the characters, with spaces between them. Without a format, the kernel name.
  private static func tellInformation<Device: ManagedDevice & ~Copyable>(
    _ request: inout SMPRequest, device: inout Device
  ) -> SMPOutcome {
    guard request.read(optional: SMPKeys(.format)) else { return .failure(.invalid) }
    guard let fields = fields(request.span(request.said.text)) else { return .failure(.invalidFormat) }
    request.answer.map(of: .output)
    // Its length is not known in advance: it is written behind the longest head.
    let start = request.answer.count &+ CBORWriter.longestHead
    let count: Int
    do {
      guard var text = request.answer.rest(from: start) else { return .failure(.tooLong) }
      switch write(fields, to: &text, device: &device) {
      case .success(let written): count = written
      case .failure(let failure): return .failure(failure)
      }
    }
    request.answer.text(from: start, count: count)
    return .answered
  }

  /// Writes fields to the start of `text`; returns their length.
  private static func write<Device: ManagedDevice & ~Copyable>(
    _ fields: UInt16, to text: inout MutableSpan<UInt8>, device: inout Device
  ) -> Result<Int, SMPFailure> {
    var count = 0
    var index: UInt8 = 0
    while index < InformationField.count {
      if fields &>> UInt16(index) & 1 != 0, let field = InformationField(rawValue: index) {
        let offset = count > 0 ? count &+ 1 : 0
        guard offset <= text.count else { return .failure(SMPFailure(.tooLong)) }
        var room = text._mutatingExtracting(offset...)
        let written = device.information(field, into: &room)
        guard written >= 0, written <= text.count &- offset else { return .failure(SMPFailure(.unknown)) }
        if written > 0 {
          if offset > 0 { text[count] = UInt8(ascii: " ") }
          count = offset &+ written
        }
      }
      index &+= 1
    }
    return count <= 0xFFFF ? .success(count) : .failure(SMPFailure(.tooLong))
  }

  /// The fields that a format requests, as bits numbered like `InformationField`; `nil` if it has an unknown
  /// character.
  private static func fields(_ format: Span<UInt8>) -> UInt16? {
    guard format.count > 0 else { return 1 }
    var fields: UInt16 = 0
    for index in 0..<format.count {
      if format[index] == UInt8(ascii: "a") {
        fields = 0x1FF
      } else if let field = InformationField(character: format[index]) {
        fields |= 1 &<< UInt16(field.rawValue)
      } else {
        return nil
      }
    }
    return fields
  }
}

extension StaticString {
  /// Whether it has no bytes.
  fileprivate var isEmptyText: Bool { !hasPointerRepresentation || utf8CodeUnitCount == 0 }
}
