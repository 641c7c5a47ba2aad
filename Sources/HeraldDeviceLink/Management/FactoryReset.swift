import HeraldEmbedded
import HeraldHAL

/// Where a device is with erasing everything: the log first, then what its board keeps, then a restart.
@usableFromInline
struct FactoryReset: BitwiseCopyable {
  /// What is being done.
  @usableFromInline
  enum Phase: UInt8, BitwiseCopyable {
    /// Nobody has looked whether one was cut short.
    case unknown
    case none
    case log
    case board
    /// The host may still ask how it went.
    case done
    case restarting
  }

  @usableFromInline var phase = Phase.unknown
  @usableFromInline var progress = FactoryResetProgress()
  @usableFromInline var restartAt = Instant.start

  @usableFromInline
  init() {}

  /// How long a device that has been reset waits until it restarts.
  @usableFromInline static var timeout: Interval { .seconds(2) }
}

extension ManagedNode where RadioType: ~Copyable {
  /// Continues with a factory reset, one that was cut short before this start included, by an erasure a call.
  /// To be called in every round of the loop, before the node is polled: a log that is to go is not opened.
  /// Returns when to be called again at the latest.
  public mutating func tendFactoryReset(at now: Instant) -> Instant {
    switch reset.phase {
    case .unknown:
      reset.phase = .none
      guard board.settings.isResetNoted() else { return .never }
      erase()
      return now
    case .none: return .never
    case .log:
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
      // What is left in memory goes with the restart.
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

  /// Notes the reset and begins with it.
  public mutating func beginFactoryReset() -> Bool {
    guard board.settings.noteReset() else { return false }
    erase()
    return true
  }

  /// How far it is.
  public mutating func factoryReset() -> FactoryResetProgress { reset.progress }
}
