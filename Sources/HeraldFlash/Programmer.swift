import HeraldHostLink

/// An open programming interface: a debug probe, a drive, a boot loader or a running device.
///
/// Before writing, the caller identifies the board, checks that image and board are compatible, and shows
/// both to the user. A programmer throws `FlashFailure`, which contains the state of the board; it reports
/// success only for confirmed results.
///
/// The caller performs `write`, `verify` and `reset` in this order. A programming method without one of these
/// steps throws `.cannot`, which the caller ignores: a drive, for example, restarts its board by itself.
package protocol Programmer: AnyObject {
  /// The location of the board, in the form of `--to`.
  var location: String { get }

  /// Identifies the connected board.
  func identify() throws(FlashFailure) -> BoardIdentification
  /// Writes the `plan`, and nothing else. If it erases all, a debug lock is removed first.
  func write(_ plan: FlashPlan, progress: (FlashProgress) -> Void) throws(FlashFailure)
  /// Compares the `plan` with the contents of the board. Throws `.different` at the first byte that differs,
  /// and `.cannot` if the programming method cannot read back.
  func verify(_ plan: FlashPlan, progress: (FlashProgress) -> Void) throws(FlashFailure)
  /// Erases the pages that `scope` covers on `board`.
  func erase(_ scope: EraseScope, of board: BoardDescription, progress: (FlashProgress) -> Void)
    throws(FlashFailure)
  /// Closes the debug port of `board`, and tries to read its memory afterwards. Throws `.cannot` if the
  /// programming method or the chip cannot do it.
  func lock(_ board: BoardDescription) throws(FlashFailure)
  /// Restarts the firmware.
  func reset() throws(FlashFailure)
  /// Releases the board. Safe to call twice.
  func close()
  /// The state of the board if writing is aborted.
  var stateHalfWay: FlashFailure.BoardState { get }
  /// Information or advice for the user after `plan` was written; `nil` if there is none.
  func remark(after plan: FlashPlan) -> String?
}

extension Programmer {
  /// By default part of the new firmware is written.
  package var stateHalfWay: FlashFailure.BoardState { .partlyWritten }
  /// By default there is nothing to say after a write.
  package func remark(after plan: FlashPlan) -> String? { nil }
  /// By default there is no debug port to close.
  package func lock(_ board: BoardDescription) throws(FlashFailure) {
    throw FlashFailure(
      .cannot, "the debug port of the board at \(location) can be closed by a debug probe only",
      state: .untouched, advice: "connect a probe, and name it with --to probe:…")
  }
}
