import HeraldConsole
import Logging

/// Writes what is logged with `--verbose` to standard error, a line per message.
struct ConsoleLogHandler: LogHandler {
  var logLevel = Logger.Level.info
  var metadata: Logger.Metadata = [:]

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) { Console.note("herald-host: \(event.level): \(event.message)") }
}
