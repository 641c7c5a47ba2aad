import HeraldImages

/// A session with one board, from its identification on.
package struct FlashSession {
  /// The programmer of the board.
  package let programmer: any Programmer
  /// The identification of the board.
  package let identification: BoardIdentification

  /// The result of writing.
  package struct Outcome: Equatable, Sendable {
    /// Bytes of the image.
    package let bytes: Int
    /// Whether they were compared afterwards. If not, this programming method cannot read back, and only its
    /// own status was checked.
    package let isVerified: Bool
    /// Whether a start was commanded; if not, the board starts by itself.
    package let isReset: Bool
  }

  /// Identifies the board.
  package init(_ programmer: any Programmer) throws(FlashFailure) {
    self.programmer = programmer
    identification = try programmer.identify()
  }

  /// The board: `wanted`, if it matches; else the only match, for which the image may be used.
  /// - Throws: `.doesNotFit` if it is another or none that is known, `.usage` if it can be several.
  package func board(_ wanted: BoardDescription?, for image: FirmwareImage?) throws(FlashFailure)
    -> BoardDescription
  {
    guard !identification.boards.isEmpty else {
      throw FlashFailure(
        .doesNotFit, "what is at \(programmer.location) is no board that herald-flash knows",
        state: .untouched, advice: "`herald-flash boards` says which it knows")
    }
    if let wanted {
      if identification.boards.contains(wanted) { return wanted }
      let seen = identification.boards.map(\.name).joined(separator: " or ")
      throw FlashFailure(
        .doesNotFit, "the board at \(programmer.location) is a \(seen), not a \(wanted.name)",
        state: .untouched, advice: "name the right one with --board, or the right place with --to")
    }
    var candidates = identification.boards
    if let named = candidates.first(where: { $0.name == image?.builtFor }) { candidates = [named] }
    guard candidates.count == 1 else {
      throw FlashFailure(
        .link(.usage),
        "the board at \(programmer.location) can be a \(candidates.map(\.name).joined(separator: " or a "))",
        state: .untouched, advice: "say which with --board")
    }
    return candidates[0]
  }

  /// A plan for this board.
  /// - Throws: `.doesNotFit`; `.locked` if its memory is locked and the plan does not erase all.
  package func plan(_ image: FirmwareImage, for board: BoardDescription, erasesAll: Bool) throws(FlashFailure)
    -> FlashPlan
  {
    let plan = try FlashPlan(image: image, board: board, erasesAll: erasesAll)
    guard !identification.isLocked || erasesAll else { throw lockedFailure() }
    return plan
  }

  /// The failure for reading or writing a locked chip.
  package func lockedFailure() -> FlashFailure {
    FlashFailure(
      .locked, "the chip at \(programmer.location) is locked", state: .untouched,
      advice:
        "what it holds can only be erased: `herald-flash write --erase-all` erases everything, log and settings too, and unlocks it"
    )
  }

  /// Writes, compares, and starts the image. A failure after the last write is reported as such for every
  /// programming method.
  package func write(_ plan: FlashPlan, isReset: Bool = true, progress: (FlashProgress) -> Void)
    throws(FlashFailure) -> Outcome
  {
    try programmer.write(plan, progress: progress)
    // If the old firmware runs until the new one is started, it continues to run after any failure from here.
    let isApart = programmer.stateHalfWay == .beside
    let isVerified = try attempt(isApart ? .beside : .unverified) { () throws(FlashFailure) in
      do throws(FlashFailure) {
        try programmer.verify(plan, progress: progress)
      } catch {
        guard error.cause == .different else { throw error }
        // What was written just now is not there: to write it again is no remedy.
        throw FlashFailure(
          error.cause, error.what, state: error.state,
          advice:
            "try another cable or port, or another programming method; if it remains, the board is broken")
      }
    }
    var isStarted = false
    if isReset {
      isStarted = try attempt(isApart ? .unknown : isVerified ? .written : .unverified) {
        () throws(FlashFailure) in try programmer.reset()
      }
    }
    return Outcome(bytes: plan.image.byteCount, isVerified: isVerified, isReset: isStarted)
  }

  /// Performs a step; `false` if this programming method does not have it. After a failure the board is in
  /// this state.
  private func attempt(_ state: FlashFailure.BoardState, _ step: () throws(FlashFailure) -> Void)
    throws(FlashFailure) -> Bool
  {
    do {
      try step()
      return true
    } catch {
      guard error.cause == .cannot else { throw error.with(state) }
      return false
    }
  }
}
