import HeraldEmbedded
import Logging
import Synchronization
import Testing

@testable import herald_node

@Suite("Event output of the node")
struct EventReporterTests {
  /// Keeps what is said.
  private final class ReportedLines: Sendable {
    let lines = Mutex<[String]>([])
  }

  private struct CollectingLogHandler: LogHandler {
    let said: ReportedLines
    var logLevel = Logger.Level.warning
    var metadata = Logger.Metadata()
    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
      get { metadata[key] }
      set { metadata[key] = newValue }
    }
    func log(event: Logging.LogEvent) { said.lines.withLock { $0.append("\(event.level) \(event.message)") } }
  }

  @Test("A fault that stays is reported once, and again when the radio's state has changed")
  func faults() {
    let said = ReportedLines()
    var reporter = EventReporter(Logger(label: "test") { _ in CollectingLogHandler(said: said) })
    for _ in 0..<5 { reporter.note(.fault, "an event could not be logged", 0, 0, at: .start) }
    #expect(said.lines.withLock { $0 } == ["warning an event could not be logged"])
    reporter.didUpdateState(.off, at: .start)
    reporter.note(.fault, "an event could not be logged", 0, 0, at: .start)
    #expect(said.lines.withLock { $0.filter { $0.hasPrefix("warning") }.count } == 2)
  }
}
