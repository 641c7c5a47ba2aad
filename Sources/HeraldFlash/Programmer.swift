import HeraldHostLink

/// A way onto a board: a debug probe, a drive, a boot loader or a running device, opened.
///
/// Before anything is written the caller asks what is there, checks that image and board fit, and shows both
/// to the person. A programmer throws `FlashFailure`, which says what state the board is in; it never reports
/// success for what it has not seen.
///
/// The caller does what belongs to writing one after the other: `write`, `verify`, `reset`. A programming
/// method that has no such step throws `.cannot`, which the caller takes for what it is: a drive restarts its
/// board by itself.
public protocol Programmer: AnyObject {
  /// Where it leads, in the words of `--to`.
  var location: String { get }

  /// What is at the other end.
  func look() throws(FlashFailure) -> BoardIdentification
  /// Writes what `plan` says, and nothing else. If that erases all, a lock against debugging goes first.
  func write(_ plan: FlashPlan, progress: (FlashProgress) -> Void) throws(FlashFailure)
  /// Compares what `plan` says with what the board holds. Throws `.different` at the first byte that differs,
  /// and `.cannot` where this way can read nothing back.
  func verify(_ plan: FlashPlan, progress: (FlashProgress) -> Void) throws(FlashFailure)
  /// Erases the pages that `scope` covers on `board`.
  func erase(_ scope: EraseScope, of board: BoardDescription, progress: (FlashProgress) -> Void)
    throws(FlashFailure)
  /// Starts the firmware anew.
  func reset() throws(FlashFailure)
  /// Gives the board back. Safe to call twice.
  func close()
  /// The state of the board if writing is aborted.
  var stateHalfWay: FlashFailure.BoardState { get }
  /// What a person has to know or do after `plan` was written; `nil` if there is nothing.
  func remark(after plan: FlashPlan) -> String?
}

extension Programmer {
  /// Part of the new firmware.
  public var stateHalfWay: FlashFailure.BoardState { .partlyWritten }
  public func remark(after plan: FlashPlan) -> String? { nil }
}
