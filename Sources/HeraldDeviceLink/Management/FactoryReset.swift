import HeraldEmbedded
import HeraldHAL

/// The progress of a factory reset: the log is erased first, then the board's settings, then the device
/// restarts.
struct FactoryReset: BitwiseCopyable {
  /// The present step.
  enum Phase: UInt8, BitwiseCopyable {
    /// Not yet known whether a reset was interrupted.
    case unknown
    case none
    case log
    case board
    /// Complete; the host may still request the result.
    case done
    case restarting
  }

  var phase = Phase.unknown
  var progress = FactoryResetProgress()
  var restartAt = Instant.start

  init() {}

  /// How long a device that has been reset waits until it restarts.
  static var timeout: Interval { .seconds(2) }

  /// How long a reset waits between two checks of a supply that is too low.
  static var supplyInterval: Interval { .seconds(1) }
}

extension ManagedNode where RadioType: ~Copyable {
  /// Continues with a factory reset, including one that was interrupted before this start, with one erasure
  /// per call. To be called in every round of the loop, before the node is polled: a log that is to be erased
  /// is not opened. Returns when to be called again at the latest.
  public mutating func continueFactoryReset(at now: Instant) -> Instant {
    switch reset.phase {
    case .unknown:
      reset.phase = .none
      guard board.settings.isResetNoted() else { return .never }
      erase()
      return now
    case .none: return .never
    case .log:
      guard node.core.log.isReady() else { return now + FactoryReset.supplyInterval }
      if !node.core.log.eraseNext() { reset.progress.failed &+= 1 }
      reset.progress.done &+= 1
      if node.core.log.pagesToErase == 0 { reset.phase = .board }
      return now
    case .board:
      board.eraseElsewhere()
      guard board.settings.eraseNext() else { return now }
      reset.progress.done = reset.progress.total
      reset.phase = .done
      reset.restartAt = now + FactoryReset.timeout
      return reset.restartAt
    case .done:
      guard now >= reset.restartAt else { return reset.restartAt }
      // The contents of memory are lost with the restart.
      reset.phase = .restarting
      board.restart(at: now)
      return .never
    case .restarting: return .never
    }
  }

  private mutating func erase() {
    node.core.log.beginErasing()
    reset.phase = .log
    reset.progress.total = UInt32(truncatingIfNeeded: node.core.log.pagesToErase &+ 1)
  }

  /// Records the reset and begins it.
  public mutating func beginFactoryReset() -> Bool {
    guard board.settings.noteReset() else { return false }
    erase()
    return true
  }

  /// By the board.
  public mutating func takeResetPermission(at now: Instant) -> Bool { board.takeResetPermission(at: now) }

  /// The progress.
  public mutating func factoryReset() -> FactoryResetProgress { reset.progress }
}
