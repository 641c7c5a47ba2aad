import HeraldConsole
import HeraldHostLink
import HeraldText

extension Console {
  /// Prints an error and its advice to standard error.
  static func complain(_ error: HostLinkError) {
    note("herald-host: \(error.what)")
    if let advice = error.advice { note("  → \(advice)") }
  }

  /// `1 page`, `2,000 pages`.
  static func count(_ number: Int, _ noun: String) -> String {
    "\(number.groupedDigits) \(noun)\(number == 1 ? "" : "s")"
  }

  /// The date to the second, in UTC.
  static func date(_ unixMilliseconds: UInt64) -> String {
    String(UTCTimestamp.text(unixMilliseconds).prefix(19))
  }

  /// The date of a JSON value to the second, as people read it.
  static func date(_ json: String) -> String { String(json.prefix(19).replacing("T", with: " ")) }

  /// Bytes in the unit that suits.
  static func size(_ bytes: Int) -> String {
    if bytes < 10_000 { return "\(bytes) bytes" }
    return bytes < 10_000_000 ? "\(bytes / 1000) kB" : "\(bytes / 1_000_000) MB"
  }
}

/// Names and values to print, one pair a line.
struct Facts {
  private var rows: [[String]] = []

  /// Adds a pair, unless there is no value.
  mutating func add(_ name: String, _ value: String) {
    if value.contains(where: { $0 != " " }) { rows.append(["\(name):", value]) }
  }

  func print() { Console.printTable(rows) }
}

extension DeviceAccess.State {
  /// The access state of a device, as text.
  var words: String {
    switch self {
    case .locked: "locked: whoever has its access key"
    case .setUp: "set-up: it has no access key yet, and serves no log"
    case .open: "open: everybody with a cable"
    }
  }
}
