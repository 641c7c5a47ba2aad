import HeraldEmbedded
import HeraldHAL

/// The start mode, determined from the end of the previous run: the cause of the restart, and the enabled
/// parts.
///
/// A fault soon after start-up is likely to recur. After `limit` consecutive faults the device starts without
/// its radio, and after one more without its log: in that state it can report the fault and receive other
/// firmware, and does not wear out the flash. It leaves safe mode by a restart after five minutes, a time
/// that doubles with each entry up to four hours. A run of ten minutes resets the count.
public struct StartDecision: BitwiseCopyable, Sendable {
  /// The number of consecutive short runs with a fault after which safe mode is entered.
  public static var limit: UInt8 { 3 }
  /// The length in seconds below which a run is short.
  public static var shortRun: UInt32 { 120 }
  /// The length in seconds of a normal run after which earlier faults are cleared.
  public static var longRun: UInt32 { 600 }

  /// The restart report.
  public let report: RestartReport
  /// The record of this run.
  public let run: RetainedMemory.Run

  /// Decides from the record of the previous run in `memory` and the chip's reset reason: `hint` is that of
  /// its reset register, `nil` if it has none or no bit is set.
  public init(_ memory: inout RetainedMemory, hint: RestartCause?) {
    let fault = memory.takeFault()
    let before = memory.run()
    let cause = fault?.cause ?? hint ?? before?.intent ?? (before == nil ? .powerOn : .resetLine)
    // After a loss of power the record is random or outdated, and is ignored.
    let last = cause == .powerOn ? RetainedMemory.Run() : before ?? RetainedMemory.Run()
    var run = RetainedMemory.Run()
    run.faults = last.faults
    if cause.isFault {
      run.faults &+= 1
      let isSoon = last.uptime < Self.shortRun || last.mode != .normal
      run.streak = isSoon ? (last.streak == .max ? .max : last.streak &+ 1) : 1
      run.safeStarts = last.safeStarts
      if last.mode != .normal {
        run.mode = .bare
      } else if run.streak >= Self.limit {
        run.mode = .safe
      }
      if run.mode != .normal, run.safeStarts < .max { run.safeStarts &+= 1 }
    } else if cause == .safeModeOver {
      // One more early fault is sufficient to enter safe mode again.
      run.streak = Self.limit &- 1
      run.safeStarts = last.safeStarts
    }
    var report = RestartReport(cause: cause, mode: run.mode)
    report.streak = run.streak
    report.faults = run.faults
    report.lasted = last.uptime
    if let fault {
      report.programCounter = fault.programCounter
      report.linkRegister = fault.linkRegister
      report.programStatus = fault.programStatus
      report.faultStatus = fault.faultStatus
      report.faultAddress = fault.faultAddress
    }
    self.report = report
    self.run = run
    memory.note(run)
  }

  /// The duration of safe mode at its n-th entry.
  public static func safeTime(_ starts: UInt8) -> Interval {
    let doublings = UInt32(min(max(starts, 1) &- 1, 6))
    return .minutes(min(5 &<< doublings, 240))
  }
}
