import Foundation
import HeraldHostLink
import HeraldText

/// How a drive is looked at until something happens to it.
struct DriveWatch {
  /// How often at most.
  let rounds: Int
  /// What happens between two looks.
  let pause: () -> Void

  /// Twenty looks a second for so many seconds.
  static func seconds(_ count: Int) -> DriveWatch {
    DriveWatch(rounds: 20 * count) { Thread.sleep(forTimeInterval: 0.05) }
  }

  /// Polls until `happened`, which is passed the number of polls, returns true; whether it did.
  func wait(_ happened: (Int) -> Bool) -> Bool {
    for round in 0..<rounds {
      if happened(round) { return true }
      pause()
    }
    return happened(rounds)
  }
}

extension FlashFailure {
  /// What a drive has no way to do.
  static func driveCannot(_ what: String, _ location: String, advice: String? = nil) -> FlashFailure {
    FlashFailure(.cannot, "\(location) is a drive, which \(what)", state: .untouched, advice: advice)
  }

  /// What of `plan` does not go onto a drive although it fits the board: words for the chip's configuration.
  /// `nil` if all does.
  static func onDrive(_ plan: FlashPlan, _ location: String) -> FlashFailure? {
    for segment in plan.image.segments where !plan.board.firmware.contains(segment.address, segment.end) {
      return FlashFailure(
        .doesNotFit,
        "the image has words for the chip's configuration at 0x\(segment.address.hexadecimal(8)), which no drive takes",
        state: .untouched, advice: "write it through a debug probe: --via probe")
    }
    return nil
  }
}
