import ArgumentParser
import HeraldHostLink

/// The option of commands that give this computer's date to devices or records.
struct ClockOptions: ParsableArguments {
  @Flag(
    name: .customLong("trust-clock"),
    help:
      "This computer's date is right, although the device or the records say another one, or NTP does not keep it."
  )
  var trustsClock = false

  /// The rules for clocks.
  var clockGuard: ClockGuard { ClockGuard(insists: trustsClock) }
}
