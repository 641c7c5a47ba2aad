import HeraldEmbedded
import HeraldHAL

/// Group 72: the log, page by page or as a stream, the restart cause, and live events (docs/wire-formats.md).
enum HeraldManagement {
  @inline(never)
  static func respond<Device: ManagedDevice & ~Copyable>(
    to request: inout SMPRequest, device: inout Device
  ) -> SMPOutcome {
    if request.header.command == HeraldCommand.logStatus { return status(&request, device: &device) }
    if request.asks(.read, HeraldCommand.logRead) { return read(&request, device: &device) }
    if request.asks(.read, HeraldCommand.restart) { return restart(&request, device: &device) }
    if request.header.command == HeraldCommand.factoryReset { return factoryReset(&request, device: &device) }
    if request.asks(.write, HeraldCommand.acknowledge) { return acknowledge(&request, device: &device) }
    if request.asks(.read, HeraldCommand.logStream) { return stream(&request, device: &device) }
    if Device.hasLive, request.asks(.read, HeraldCommand.live) { return live(&request, device: &device) }
    if Device.hasSignal, request.asks(.write, HeraldCommand.signal) {
      return signal(&request, device: &device)
    }
    return .failure(.unsupported)
  }

  /// `{}` → `{"epoch", "first", "last", "open", "page", "boot", "keep", "now", "id", "port"?, "unix"?}`. To
  /// write: the log is committed first, only for hosts that may read it.
  private static func status<Device: ManagedDevice & ~Copyable>(
    _ request: inout SMPRequest, device: inout Device
  ) -> SMPOutcome {
    if request.header.operation == .write { device.commitLog(at: request.now) }
    let status = device.logStatus()
    let unix = device.unixMilliseconds(at: request.now)
    let port = device.debugPort()
    request.answer.map(9 &+ (port == .notKnown ? 0 : 1) &+ (unix == nil ? 0 : 1))
    request.answer.field(.epoch, status.epoch)
    request.answer.field(.first, status.oldest)
    request.answer.field(.last, status.newest)
    request.answer.field(.open, UInt32(clamping: status.openBytes))
    request.answer.field(.page, UInt32(clamping: status.pageSize))
    request.answer.field(.boot, status.boot)
    request.answer.field(.keep, UInt32(status.keptDays))
    request.answer.key(.now)
    request.answer.unsigned(request.now.milliseconds)
    identify(&request, device: &device)
    if port != .notKnown {
      request.answer.key(.debugPort)
      request.answer.boolean(port == .open)
    }
    if let unix {
      request.answer.key(.unix)
      request.answer.unsigned(unix)
    }
    return .answered
  }

  /// The field `id`. Not inlined: the hash is not on the stack while the log is committed.
  @inline(never)
  private static func identify<Device: ManagedDevice & ~Copyable>(
    _ request: inout SMPRequest, device: inout Device
  ) {
    var identifier = DeviceIdentifier()
    device.identify(&identifier)
    request.answer.key(.identifier)
    request.answer.byteString(identifier.bytes)
  }

  /// `{}` → `{"cause", "mode", "streak", "faults", "lasted"}`, and after a fault
  /// `"pc", "lr", "psr", "cfsr", "far"`.
  private static func restart<Device: ManagedDevice & ~Copyable>(
    _ request: inout SMPRequest, device: inout Device
  ) -> SMPOutcome {
    guard let report = device.restartReport() else { return .failure(.unsupported) }
    request.answer.map(report.cause.isFault ? 10 : 5)
    request.answer.field(.cause, UInt32(report.cause.rawValue))
    request.answer.field(.mode, UInt32(report.mode.rawValue))
    request.answer.field(.streak, UInt32(report.streak))
    request.answer.field(.faults, report.faults)
    request.answer.field(.lasted, report.lasted)
    guard report.cause.isFault else { return .answered }
    request.answer.field(.programCounter, report.programCounter)
    request.answer.field(.linkRegister, report.linkRegister)
    request.answer.field(.programStatus, report.programStatus)
    request.answer.field(.faultStatus, report.faultStatus)
    request.answer.field(.faultAddress, report.faultAddress)
    return .answered
  }

  /// To write: `{"epoch"}`, that of the log, so that exactly this log is erased, and only once → as read.
  /// Without a session a board with a button requires it to be pressed before. To
  /// read: `{}` → `{"done", "of", "bad"}`, zeros while there is no reset.
  private static func factoryReset<Device: ManagedDevice & ~Copyable>(
    _ request: inout SMPRequest, device: inout Device
  ) -> SMPOutcome {
    if request.header.operation == .write {
      guard request.read(needed: SMPKeys(.epoch), optional: .logPosition) else { return .failure(.invalid) }
      if device.factoryReset().total == 0 {
        guard request.said.epoch == device.logStatus().epoch else { return .failure(.otherEpoch) }
        // A sealed request is one of a session.
        guard request.header.isSealed || device.takeResetPermission(at: request.now) else {
          return .failure(.resetNotPermitted)
        }
        guard device.beginFactoryReset() else { return .failure(.resetNotNoted) }
      }
    }
    let progress = device.factoryReset()
    request.answer.map(3)
    request.answer.field(.done, progress.done)
    request.answer.field(.total, progress.total)
    request.answer.field(.failed, progress.failed)
    return .answered
  }
}
