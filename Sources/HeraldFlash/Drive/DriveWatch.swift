import Foundation
import HeraldHostLink
import HeraldText

/// Polls a drive for a change.
struct DriveWatch {
  /// The maximum number of polls.
  let rounds: Int
  /// Waits between two polls.
  let pause: () -> Void

  /// Twenty polls per second for `count` seconds.
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
  /// The failure for an operation that a drive does not support.
  static func driveCannot(_ what: String, _ location: String, advice: String? = nil) -> FlashFailure {
    FlashFailure(.cannot, "\(location) is a drive, which \(what)", state: .untouched, advice: advice)
  }

  /// The failure for a `plan` with words for the chip's configuration, which cannot be written through a
  /// drive; `nil` if it has none.
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
