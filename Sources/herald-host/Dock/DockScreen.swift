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
    /// The person who wears the device; `nil` if nobody is known to.
    var person: String?
    var phase: DockPhase?
    var result: DockResult?
    var error: ErrorRow?
    /// The seconds after which a failed device is tried again; `nil` if it is not.
    var retrySeconds: Int?
    /// How many of today's devices were collected, and who is missing; `nil` without persons.
    var collected: String?
    /// The length of a step of this computer's date; negative if it was set back.
    var stepMilliseconds: Int64?
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

  /// Tells of an event; `text`, and `more` on lines of their own below it, are for people.
  func say(_ event: Event, _ text: String?, _ more: [String] = []) {
    lock.withLock {
      erase()
      if showsEvents {
        try? Console.printJSON(event, isLine: true)
      } else if let text, !display.json, !display.quiet {
        Console.line("\(Console.date(PlausibleDate.now).suffix(8))  \(text)")
        for line in more { Console.line("          \(line)") }
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
    var texts = lines.prefix(most).map(\.text)
    if lines.count > most { texts.append("… and \(lines.count - most) more") }
    Console.draw(texts.flatMap { [.text($0), .newLine] })
    drawnLines = texts.count
  }

  private func erase() {
    if drawnLines > 0 { Console.draw([.eraseLines(drawnLines)]) }
    drawnLines = 0
  }
}
