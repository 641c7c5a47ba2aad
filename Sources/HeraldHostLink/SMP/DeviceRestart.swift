import HeraldDeviceLink
import HeraldEmbedded
import HeraldHAL

/// The cause of a device's start.
public struct DeviceRestart: Equatable, Sendable, Codable {
  /// The processor's registers at the fault that ended the previous run, as far as known.
  public struct Registers: Equatable, Sendable, Codable {
    /// Program counter.
    public let pc: UInt32
    /// Link register.
    public let lr: UInt32
    /// Program status register.
    public let psr: UInt32
    /// Configurable fault status register; 0 on a Cortex-M0.
    public let faultStatus: UInt32
    /// The fault address; 0 if unknown.
    public let faultAddress: UInt32
  }

  /// The cause, as a number of `RestartCause`.
  public let cause: UInt8
  /// The mode of operation, as a number of `StartMode`.
  public let mode: UInt8
  /// The number of consecutive starts caused by faults in short runs.
  public let streak: UInt32
  /// The number of starts caused by faults since power-on.
  public let faults: UInt32
  /// The duration of the previous run in seconds.
  public let lasted: UInt32
  /// The registers at the fault; `nil` if no fault was the cause.
  public let registers: Registers?

  /// Parses the response; `nil` if a field is missing or out of its range.
  init?(_ body: CBORValue) {
    guard let cause = body[SMPKey.cause]?.number32, let mode = body[SMPKey.mode]?.number32,
      let streak = body[SMPKey.streak]?.number32, let faults = body[SMPKey.faults]?.number32,
      let lasted = body[SMPKey.lasted]?.number32, cause <= 255, mode <= 255
    else { return nil }
    self.cause = UInt8(cause)
    self.mode = UInt8(mode)
    self.streak = streak
    self.faults = faults
    self.lasted = lasted
    if let pc = body[SMPKey.programCounter]?.number32, let lr = body[SMPKey.linkRegister]?.number32,
      let psr = body[SMPKey.programStatus]?.number32, let status = body[SMPKey.faultStatus]?.number32,
      let address = body[SMPKey.faultAddress]?.number32
    {
      registers = Registers(pc: pc, lr: lr, psr: psr, faultStatus: status, faultAddress: address)
    } else {
      registers = nil
    }
  }

  /// The cause as text.
  public var reason: String { RestartCause(rawValue: cause)?.words ?? "for reason \(cause)" }

  /// The functions disabled in the device's mode; `nil` if none are.
  public var limitation: String? {
    switch StartMode(rawValue: mode) {
    case .normal: nil
    case .safe: "safe mode: no radio until it restarts by itself"
    case .bare: "safe mode: no radio and no log until it restarts by itself"
    case nil: "mode \(mode)"
    }
  }
}

extension RestartCause {
  /// The restart cause and its details as text.
  public var words: String {
    switch self {
    case .powerOn: "power came on"
    case .resetLine: "reset from outside"
    case .requested: "asked to restart"
    case .watchdog: "watchdog"
    case .panic: "panic"
    case .fault: "processor fault"
    case .stackOverflow: "stack overflow"
    case .safeModeOver: "safe mode was over"
    case .lockup: "processor locked up"
    }
  }
}

extension DeviceClient {
  /// The cause of the device's start; `nil` if it does not store the cause.
  public func restart() throws(HostLinkError) -> DeviceRestart? {
    let request = ManagementRequest("why it started", .read, .herald, HeraldCommand.restart)
    do {
      return DeviceRestart(try client.ask(request))
    } catch  where error.cause == .refused {
      return nil
    }
  }

  /// Has the device commit its log and restart into the boot loader of its board.
  /// - Returns: `false`, without effect, if it has none that it can start. A firmware that does not know boot
  ///   modes restarts without entering it, and returns `true`.
  public func enterBootLoader() throws(HostLinkError) -> Bool {
    let request = ManagementRequest(
      "to start its boot loader", .write, .os, OSCommand.reset, isRepeatable: false
    ) { writer in
      writer.map(1)
      writer.key(.bootMode)
      writer.unsigned(1)
    }
    switch try client.outcome(of: request) {
    case .success: return true
    case .failure(let failure):
      guard failure.is(SMPFailure(.unsupported)) else { throw failure.error(request, at: client.location) }
      return false
    }
  }
}
