import HeraldText

/// The text about events that a device counted but did not log.
public struct DroppedEventsText: Equatable, Sendable {
  /// The number of dropped events, and the consequence.
  public let what: String
  /// The meaning, and the recommended action.
  public let advice: String

  /// `nil` if `count` is 0. The number is in the log, the reason only in the device's counters.
  public init?(_ count: Int) {
    guard count > 0 else { return nil }
    what =
      "\(count.groupedDigits) \(count == 1 ? "event is" : "events are") not in this log: the device heard more strangers than it keeps records of (a flood of made-up "
      + "advertisements does that), or the flash of its log took no records."
    advice =
      "if it was strangers, the records of everybody whose payload was read are complete; `herald-host stats` counts them since the device's last start as "
      + "strangers_refused and readings_refused. If dropped and flash_errors of the group log count up instead, take the device out of use"
  }
}
