import Foundation
import HeraldConsole
import Logging

/// Writes a line per message to standard error: time, level, text.
struct PlainLogHandler: LogHandler {
  var logLevel: Logger.Level
  var metadata: Logger.Metadata = [:]

  /// How long a message may wait for its reader, in milliseconds.
  private static let patience: Int32 = 1000

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    var parts = tm()
    gmtime_r(&now.tv_sec, &parts)
    let time = String(
      format: "%02d:%02d:%02d.%03d", parts.tm_hour, parts.tm_min, parts.tm_sec, now.tv_nsec / 1_000_000)
    Console.note("\(time) \(event.level) \(event.message)", patience: Self.patience)
  }
}
