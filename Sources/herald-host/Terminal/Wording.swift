import HeraldConsole
import HeraldHostLink
import HeraldText

extension Console {
  /// Ends what goes on for as long as somebody reads it.
  /// - Throws: `.storage` if output could not be written.
  static func check() throws(HostLinkError) {
    if hasFailed { throw HostLinkError(.storage, complaint ?? "standard error cannot be written") }
  }

  /// Prints an error and its advice to standard error.
  static func complain(_ error: HostLinkError) {
    note("herald-host: \(error.what)")
    if let advice = error.advice { note("  → \(advice)") }
  }

  /// `1 page`, `2,000 pages`.
  static func count(_ number: Int, _ noun: String) -> String {
    "\(number.groupedDigits) \(noun)\(number == 1 ? "" : "s")"
  }

  /// The date in UTC with a resolution of 1 s.
  static func date(_ unixMilliseconds: UInt64) -> String {
    String(UTCTimestamp.text(unixMilliseconds).prefix(19))
  }

  /// The date of a JSON value with a resolution of 1 s, in the form for display.
  static func date(_ json: String) -> String { String(json.prefix(19).replacing("T", with: " ")) }

  /// A size in bytes, with a suitable unit.
  static func size(_ bytes: Int) -> String {
    if bytes < 10_000 { return "\(bytes) bytes" }
    return bytes < 10_000_000 ? "\(bytes / 1000) kB" : "\(bytes / 1_000_000) MB"
  }
}

/// Names and values to be printed, one pair per line.
struct Facts {
  private var rows: [[String]] = []

  /// Adds a pair unless the value is empty.
  mutating func add(_ name: String, _ value: String) {
    if value.contains(where: { $0 != " " }) { rows.append(["\(name):", value]) }
  }

  func print() { Console.printTable(rows) }
}

extension DeviceAccess.State {
  /// The access state of a device, as text.
  var words: String {
    switch self {
    case .locked: "locked: hosts with its access key"
    case .setUp: "set-up: it has no access key yet, and serves no log"
    case .open: "open: everybody with a cable"
    }
  }
}
