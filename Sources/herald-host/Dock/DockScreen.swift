import Foundation
import HeraldConsole
import HeraldHostLink

/// What the dock tells: lines for people, with those of the devices at work below them on a terminal, or an
/// object a line for programs. Thread-safe.
final class DockScreen: @unchecked Sendable {
  /// An event, for JSON output.
  struct Event: Encodable {
    let time: String
    let event: String
    var location: String?
    var serial: String?
    var phase: DockPhase?
    var result: DockResult?
    var error: ErrorRow?
    /// The seconds after which a failed device is tried again; `nil` if it is not.
    var retrySeconds: Int?
  }

  private let lock = NSLock()
  private let display: DisplayOptions
  private let showsEvents: Bool
  private let drawsLines: Bool
  private var lines: [(instance: String, text: String)] = []
  private var drawnLines = 0
  private var drawn = ContinuousClock.now

  /// If `isOnce`, the result is a table or one object, and events are not printed as JSON.
  init(_ display: DisplayOptions, isOnce: Bool) {
    self.display = display
    showsEvents = display.json && !isOnce
    drawsLines = !display.quiet && isatty(STDERR_FILENO) == 1
  }

  /// Tells of an event; `text` is for people.
  func say(_ event: Event, _ text: String?) {
    lock.withLock {
      erase()
      if showsEvents {
        try? Console.printJSON(event, isLine: true)
      } else if let text, !display.json, !display.quiet {
        Console.line("\(Console.date(PlausibleDate.now).suffix(8))  \(text)")
      }
      draw()
    }
  }

  /// Tells of an error, also with `--quiet`.
  func complain(_ error: HostLinkError) {
    lock.withLock {
      erase()
      Console.complain(error)
      draw()
    }
  }

  /// Shows what a device is doing; `nil` if it has ended.
  func update(_ instance: String, _ text: String?) {
    guard drawsLines else { return }
    lock.withLock {
      let index = lines.firstIndex { $0.instance == instance }
      if let text {
        if let index { lines[index].text = text } else { lines.append((instance, text)) }
        guard drawn.duration(to: .now) > .milliseconds(100) else { return }
      } else if let index {
        lines.remove(at: index)
      }
      erase()
      draw()
    }
  }

  private func draw() {
    guard drawsLines, !lines.isEmpty else { return }
    drawn = .now
    let most = max(1, Terminal.rows - 2)
    for line in lines.prefix(most) { write("\(line.text)\n") }
    if lines.count > most { write("… and \(lines.count - most) more\n") }
    drawnLines = min(lines.count, most) + (lines.count > most ? 1 : 0)
  }

  private func erase() {
    if drawnLines > 0 { write("\u{1B}[\(drawnLines)A\r\u{1B}[J") }
    drawnLines = 0
  }

  private func write(_ text: String) { FileHandle.standardError.write(Data(text.utf8)) }
}
