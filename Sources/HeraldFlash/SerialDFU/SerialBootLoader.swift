import HeraldHostLink
import HeraldText

/// A programmer for a boot loader on a serial port, which only receives an application, checks it, and starts
/// it.
protocol SerialBootLoader: Programmer {
  /// The vendor of the boot loader.
  var owner: String { get }
  /// The method by which it verifies an application.
  var check: String { get }
}

extension SerialBootLoader {
  func verify(_ plan: FlashPlan, progress: (FlashProgress) -> Void) throws(FlashFailure) {
    throw cannot("reads nothing back: it compares \(check) itself")
  }

  func erase(_ scope: EraseScope, of board: BoardDescription, progress: (FlashProgress) -> Void)
    throws(FlashFailure)
  {
    throw cannot("only writes", advice: "erase through a debug probe: --via probe")
  }

  func reset() throws(FlashFailure) { throw cannot("starts the firmware by itself") }

  /// Throws if `plan` is not possible, before anything is sent.
  func makeSure(_ plan: FlashPlan) throws(FlashFailure) {
    for segment in plan.image.segments where !plan.board.firmware.contains(segment.address, segment.end) {
      throw FlashFailure(
        .doesNotFit,
        "the image has words for the chip's configuration at 0x\(segment.address.hexadecimal(8)), which the boot loader does not take",
        state: .untouched, advice: "write it through a debug probe: --via probe")
    }
    guard !plan.erasesAll else {
      throw cannot("erases nothing but what it writes", advice: "leave out --erase-all")
    }
    guard try identify().boards.contains(plan.board) else {
      throw FlashFailure(
        .doesNotFit, "what is at \(location) is no \(plan.board.name)", state: .untouched,
        advice: "name the right board with --board, or the right port with --to")
    }
  }

  private func cannot(_ what: String, advice: String? = nil) -> FlashFailure {
    FlashFailure(.cannot, "\(owner)'s boot loader at \(location) \(what)", state: .untouched, advice: advice)
  }
}
