import ArgumentParser
import HeraldConsole
import HeraldFlash
import HeraldText

/// `herald-flash list`
struct List: ParsableCommand, ReportsFailures {
  static let configuration = CommandConfiguration(
    abstract: "Lists every board that can be reached, on every way in.",
    discussion: """
      Boards that cannot be used now are listed, too, with what is in the way. Serial boot loaders and devices on serial lines are not asked without being \
      named: name them with --to.

      Example: `herald-flash list --via probe`
      """)

  @OptionGroup var search: SearchOptions
  @OptionGroup var display: DisplayOptions

  var changesBoard: Bool { false }

  private struct Row: Encodable {
    let location: String
    let boards: [String]
    let details: [String: String]
    let locked: Bool
    let usable: Bool
    let obstacle: String?
    let advice: String?
  }

  private struct Rows: Encodable {
    let devices: [Row]
  }

  func run() throws {
    let found = search.found()
    let rows = found.map { board in
      Row(
        location: board.location, boards: board.identification?.boards.map(\.name) ?? [],
        details: Dictionary(
          (board.identification?.details ?? []).map { ($0.name, $0.value) },
          uniquingKeysWith: { first, _ in first }
        ),
        locked: board.identification?.isLocked ?? false, usable: board.obstacle == nil,
        obstacle: board.obstacle?.what, advice: board.obstacle?.advice)
    }
    try display.show(Rows(devices: rows)) { Self.list(found) }
  }

  private static func list(_ found: [FoundBoard]) {
    guard !found.isEmpty else {
      Console.line("No board found.")
      return
    }
    var rows = [["WHERE", "BOARD", ""]]
    for board in found {
      let names = board.identification?.boards.map(\.name).joined(separator: " or ") ?? ""
      var remarks = (board.identification?.details ?? []).map { "\($0.name) \($0.value)" }
      if board.identification?.isLocked == true { remarks.append("locked") }
      if let obstacle = board.obstacle { remarks.append(obstacle.what) }
      rows.append([
        PrintableText.of(board.location, limit: 256), names.isEmpty ? "?" : names,
        remarks.joined(separator: ", "),
      ])
    }
    Console.printTable(rows)
    for advice in Set(found.compactMap { $0.obstacle?.advice }).sorted() { Console.line("  → \(advice)") }
  }
}
