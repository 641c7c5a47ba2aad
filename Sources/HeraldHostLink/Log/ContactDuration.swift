/// The time of presence of a person, as used in the table of a pull, the report, `contact_events.csv` and the
/// exports.
///
/// Time is divided into windows of 30 s, aligned to UTC. The duration of a contact is 30 s for each window in
/// which the peer was detected, its payload read, or its RSSI measured, but at most the time from its begin
/// to its end plus one window. The duration of several contacts is the sum. The unit is whole seconds.
public enum ContactDuration {
  /// The length of a window, in milliseconds.
  static let window: UInt64 = 30_000

  /// The duration of a contact with signs in `windows` windows of `length` seconds, from `begin` to `end` in
  /// milliseconds.
  package static func seconds(windows: Int, of length: Int = 30, begin: UInt64, end: UInt64) -> Int {
    let longest = Int(clamping: (max(begin, end) - begin) / 1000) + length
    return min(windows.multipliedReportingOverflow(by: length).partialValue, longest)
  }
}
