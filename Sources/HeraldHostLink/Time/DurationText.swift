/// Durations as text for display.
public enum DurationText {
  /// `2 d 3 h`, `1 h 02 min`, `3 min 20 s` or `7 s`.
  public static func of(seconds: some BinaryInteger) -> String {
    switch seconds {
    case 86_400...: return "\(seconds / 86_400) d \(seconds % 86_400 / 3600) h"
    case 3600...:
      let minutes = seconds % 3600 / 60
      return "\(seconds / 3600) h \(minutes < 10 ? "0" : "")\(minutes) min"
    case 60...: return "\(seconds / 60) min \(seconds % 60) s"
    default: return "\(seconds) s"
    }
  }
}
