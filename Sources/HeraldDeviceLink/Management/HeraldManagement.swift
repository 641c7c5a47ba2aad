import HeraldEmbedded

/// Group 72: the log, page by page or as a stream, why the device started, and what happens now (docs/wire-formats.md).
enum HeraldManagement {
  @inline(never)
  static func respond<Device: ManagedDevice & ~Copyable>(
    to request: SMPRequest, in buffer: inout MutableSpan<UInt8>, device: inout Device
  ) -> SMPOutcome {
    if request.asks(.read, HeraldCommand.logStatus) {
      return status(in: &buffer, at: request.now, device: &device)
    }
    if request.asks(.read, HeraldCommand.logRead) { return read(request, in: &buffer, device: &device) }
    if request.asks(.read, HeraldCommand.restart) { return restart(in: &buffer, device: &device) }
    if request.header.command == HeraldCommand.factoryReset {
      return factoryReset(request, in: &buffer, device: &device)
    }
    if request.asks(.write, HeraldCommand.acknowledge) {
      return acknowledge(request, in: &buffer, device: &device)
    }
    if request.asks(.read, HeraldCommand.logStream) { return stream(request, in: &buffer, device: &device) }
    if Device.hasLive, request.asks(.read, HeraldCommand.live) {
      return live(in: &buffer, at: request.now, device: &device)
    }
    return .failure(SMPFailure(.unsupported))
  }

  /// `{}` → `{"epoch", "first", "last", "open", "page", "boot", "keep", "now", "unix"?}`
  private static func status<Device: ManagedDevice & ~Copyable>(
    in buffer: inout MutableSpan<UInt8>, at now: Instant, device: inout Device
  ) -> SMPOutcome {
    let status = device.logStatus()
    let unix = device.unixMilliseconds(at: now)
    var writer = CBORWriter(buffer._mutatingExtracting(0...), from: SMPHeader.size)
    writer.map(unix == nil ? 8 : 9)
    writer.text(SMPKey.epoch)
    writer.unsigned(status.epoch)
    writer.text(SMPKey.first)
    writer.unsigned(status.oldest)
    writer.text(SMPKey.last)
    writer.unsigned(status.newest)
    writer.text(SMPKey.open)
    writer.unsigned(UInt32(clamping: status.openBytes))
    writer.text(SMPKey.page)
    writer.unsigned(UInt32(clamping: status.pageSize))
    writer.text(SMPKey.boot)
    writer.unsigned(status.boot)
    writer.text(SMPKey.keep)
    writer.unsigned(UInt32(status.keptDays))
    writer.text(SMPKey.now)
    writer.unsigned(now.milliseconds)
    if let unix {
      writer.text(SMPKey.unix)
      writer.unsigned(unix)
    }
    return writer.outcome
  }

  /// `{}` → `{"cause", "mode", "streak", "faults", "lasted"}`, and after a fault `"pc", "lr", "psr", "cfsr", "far"`.
  private static func restart<Device: ManagedDevice & ~Copyable>(
    in buffer: inout MutableSpan<UInt8>, device: inout Device
  ) -> SMPOutcome {
    guard let report = device.restartReport() else { return .failure(SMPFailure(.unsupported)) }
    var writer = CBORWriter(buffer._mutatingExtracting(0...), from: SMPHeader.size)
    writer.map(report.cause.isFault ? 10 : 5)
    writer.text(SMPKey.cause)
    writer.unsigned(UInt32(report.cause.rawValue))
    writer.text(SMPKey.mode)
    writer.unsigned(UInt32(report.mode.rawValue))
    writer.text(SMPKey.streak)
    writer.unsigned(UInt32(report.streak))
    writer.text(SMPKey.faults)
    writer.unsigned(report.faults)
    writer.text(SMPKey.lasted)
    writer.unsigned(report.lasted)
    guard report.cause.isFault else { return writer.outcome }
    writer.text(SMPKey.programCounter)
    writer.unsigned(report.programCounter)
    writer.text(SMPKey.linkRegister)
    writer.unsigned(report.linkRegister)
    writer.text(SMPKey.programStatus)
    writer.unsigned(report.programStatus)
    writer.text(SMPKey.faultStatus)
    writer.unsigned(report.faultStatus)
    writer.text(SMPKey.faultAddress)
    writer.unsigned(report.faultAddress)
    return writer.outcome
  }

  /// To write: `{"epoch"}`, that of the log, so that nothing but this very log is erased, and that once → as read.
  /// To read: `{}` → `{"done", "of", "bad"}`, zeros while there is no reset.
  private static func factoryReset<Device: ManagedDevice & ~Copyable>(
    _ request: SMPRequest, in buffer: inout MutableSpan<UInt8>, device: inout Device
  ) -> SMPOutcome {
    if request.header.operation == .write {
      guard let epoch = LogPlace(request, in: buffer)?.epoch else { return .failure(SMPFailure(.invalid)) }
      if device.factoryReset().total == 0 {
        guard epoch == device.logStatus().epoch else { return .failure(.otherEpoch) }
        guard device.beginFactoryReset() else { return .failure(.resetNotNoted) }
      }
    }
    let progress = device.factoryReset()
    var writer = CBORWriter(buffer._mutatingExtracting(0...), from: SMPHeader.size)
    writer.map(3)
    writer.text(SMPKey.done)
    writer.unsigned(progress.done)
    writer.text(SMPKey.total)
    writer.unsigned(progress.total)
    writer.text(SMPKey.failed)
    writer.unsigned(progress.failed)
    return writer.outcome
  }

  /// `{"seq", "off"?, "len"?}` → `{"seq", "off", "len", "data"}`. The data is read from the flash into its place in the packet.
  private static func read<Device: ManagedDevice & ~Copyable>(
    _ request: SMPRequest, in buffer: inout MutableSpan<UInt8>, device: inout Device
  ) -> SMPOutcome {
    guard let place = LogPlace(request, in: buffer), let sequence = place.sequence else {
      return .failure(SMPFailure(.invalid))
    }
    guard let readable = device.logReadableBytes(sequence: sequence), readable >= 0 else {
      return .failure(.pageGone)
    }
    guard place.offset <= readable else { return .failure(.beyondPage) }
    var writer = CBORWriter(buffer._mutatingExtracting(0...), from: SMPHeader.size)
    writer.map(4)
    writer.text(SMPKey.sequence)
    writer.unsigned(sequence)
    writer.text(SMPKey.offset)
    writer.unsigned(UInt32(clamping: place.offset))
    writer.text(SMPKey.length)
    writer.unsigned(UInt32(clamping: readable))
    writer.text(SMPKey.data)
    let room = writer.remaining &- CBORWriter.headSize(UInt32(clamping: writer.remaining))
    guard !writer.overflowed, room >= 0 else { return .failure(SMPFailure(.tooLong)) }
    let count = min(place.length, min(readable &- place.offset, room))
    writer.byteStringHead(count)
    let start = writer.count
    guard count > 0 else { return .success(start) }
    var data = buffer._mutatingExtracting(start..<(start &+ count))
    guard device.readLog(sequence: sequence, offset: place.offset, into: &data) == count else {
      return .failure(.logUnreadable)
    }
    return .success(start &+ count)
  }
}
