import HeraldEmbedded
import HeraldHAL

/// The start mode, from how the previous run ended: the cause of the restart, and which parts are enabled.
///
/// A fault soon after start-up is likely to recur. After `limit` of them in a row the device starts without
/// its radio, and after one more without its log: in that state the device can report what happened and
/// receive other firmware, and it does not wear out the flash. It leaves safe mode by itself, by a restart
/// after five minutes, which double each time up to four hours. A run of ten minutes resets the count.
public struct StartDecision: BitwiseCopyable, Sendable {
  /// How many faults of short runs in a row are too many.
  public static var limit: UInt8 { 3 }
  /// A run that ends before counts as short.
  public static var shortRun: UInt32 { 120 }
  /// After this many seconds of a normal run earlier faults are cleared.
  public static var longRun: UInt32 { 600 }

  /// The restart report.
  public let report: RestartReport
  /// The record of this run.
  public let run: RetainedMemory.Run

  /// Decides, from the record of the previous run in `memory` and the reset reason of the chip: `hint` is its
  /// register, `nil` if it has none or no bit is set.
  public init(_ memory: inout RetainedMemory, hint: RestartCause?) {
    let fault = memory.takeFault()
    let before = memory.run()
    let cause = fault?.cause ?? hint ?? before?.intent ?? (before == nil ? .powerOn : .resetLine)
    // The record of a run does not count after a loss of power: its contents are then random, or outdated.
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
      // One more fault soon after is sufficient to return to it.
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

  /// How long safe mode lasts when it is entered for the n-th time.
  public static func safeTime(_ starts: UInt8) -> Interval {
    let doublings = UInt32(min(max(starts, 1) &- 1, 6))
    return .minutes(min(5 &<< doublings, 240))
  }
}
