/// A drive that programs a file copied to it, and does not support reading back.
protocol WriteOnlyDrive: Programmer {
  /// The action required before another attempt.
  static var again: String { get }
}

extension WriteOnlyDrive {
  /// The failure for a drive that was removed during the operation.
  func gone(_ state: FlashFailure.BoardState) -> FlashFailure {
    FlashFailure(.link(.link), "the drive \(location) is gone", state: state, advice: Self.again)
  }

  func verify(_ plan: FlashPlan, progress: (FlashProgress) -> Void) throws(FlashFailure) {
    throw .driveCannot("reads nothing back", location)
  }

  func erase(_ scope: EraseScope, of board: BoardDescription, progress: (FlashProgress) -> Void)
    throws(FlashFailure)
  {
    throw .driveCannot("only writes", location, advice: "erase through a debug probe: --via probe")
  }

  func reset() throws(FlashFailure) { throw .driveCannot("restarts its board by itself", location) }

  func close() {}
}
