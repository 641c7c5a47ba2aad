import HeraldHostLink

extension ProbeProgrammer {
  /// Closes the debug port of an nRF52 (UICR.APPROTECT), and checks that it is closed: the control access
  /// port has to say so, and a read of the memory has to fail. Nothing is changed if it is closed already.
  ///
  /// Refused for an nRF51, whose protection does not keep a debugger out, and for a chip without a program,
  /// of which nothing could be used afterwards.
  package func lock(_ board: BoardDescription) throws(FlashFailure) {
    let seen = try carryOut { () throws(ProbeError) in try examine() }
    guard seen.hasControl else {
      throw FlashFailure(
        .cannot, "the chip at \(location) has no lock that keeps a debugger out", state: .untouched,
        advice:
          "an nRF51 cannot be protected, and its log is read through the debug port: see docs/security.md"
      )
    }
    if !seen.isLocked {
      let chip = try usableChip(for: board)
      let start = try carryOut { () throws(ProbeError) in
        try port.perform { $0.readWord(board.firmware.start) }.first ?? .max
      }
      guard start != .max else {
        throw FlashFailure(
          .cannot, "there is no program on the \(chip.name) at \(location)", state: .untouched,
          advice: "write one first: `herald-flash write --board \(board.name)`")
      }
    }
    let isClosed = try carryOut { () throws(ProbeError) in
      if try control.isLocked() != true { try close(board) }
      return try isUnreadable(board)
    }
    guard isClosed else {
      throw FlashFailure(
        .link(.refused), "the memory of the chip at \(location) is readable still", state: .untouched,
        advice: "switch the board off and on, and run the same command again: it checks first")
    }
  }

  /// Writes the lock, and resets the chip twice: by the core, which starts the firmware without a debugger,
  /// and by the control access port, which is there whatever the first reset did.
  private func close(_ board: BoardDescription) throws(ProbeError) {
    guard let chip = try examine().chip else { return }
    try stopCore(chip)
    try flash.close()
    try core.restart()
    try control.resetChip()
    (hasCore, examination) = (false, nil)
  }

  /// Whether the control access port says that the memory is locked, and a read of it fails.
  private func isUnreadable(_ board: BoardDescription) throws(ProbeError) -> Bool {
    guard try control.isLocked() == true else { return false }
    do throws(ProbeError) {
      _ = try port.perform { $0.readWord(board.firmware.start) }
    } catch .fault {
      try port.recover()
      return try control.isLocked() == true
    }
    return false
  }
}
