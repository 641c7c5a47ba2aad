/// A drive that takes a file, programs what is in it by itself, and gives nothing back.
protocol WriteOnlyDrive: Programmer {
  /// What to do before all of it is tried again.
  static var again: String { get }
}

extension WriteOnlyDrive {
  /// The drive went away when it was needed.
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
