import Foundation

/// One row of docs/compliance.md.
struct ComplianceRow {
  let requirement: String
  let strength: String
  /// Paths below `Sources`.
  let implementations: [String]
  /// File below `Tests` and the name of a test in it.
  let tests: [(file: String, name: String)]
  /// What the tests' cell says if it names none.
  let testsText: String
}

/// docs/compliance.md and the folders it talks about, found from where this file is.
enum ComplianceTable {
  static let root: URL = {
    var root = URL(fileURLWithPath: #filePath)
    for _ in 0..<3 { root.deleteLastPathComponent() }
    return root
  }()

  /// What a cell says that names no test.
  static let noTest = "not yet"

  /// Every row that begins with a requirement's number.
  static func rows() throws -> [ComplianceRow] {
    let text = try String(contentsOf: root.appendingPathComponent("docs/compliance.md"), encoding: .utf8)
    return text.split(separator: "\n").filter { $0.hasPrefix("| HP-") }.map { line in
      let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
      let tests = cells.count > 4 ? cells[4] : ""
      return ComplianceRow(
        requirement: cells[0], strength: cells.count > 1 ? cells[1] : "",
        implementations: cells.count > 3 ? quoted(cells[3]) : [],
        tests: tests == noTest ? [] : tests.components(separatedBy: "<br>").map(test), testsText: tests)
    }
  }

  /// What stands between backquotes.
  private static func quoted(_ cell: String) -> [String] {
    cell.split(separator: "`", omittingEmptySubsequences: false).enumerated()
      .filter { $0.offset % 2 == 1 }.map { String($0.element) }
  }

  /// `` `file`: name ``
  private static func test(_ entry: String) -> (file: String, name: String) {
    let file = quoted(entry).first ?? ""
    let name = entry.components(separatedBy: "`: ").dropFirst().joined(separator: "`: ")
    return (file, name.trimmingCharacters(in: .whitespaces))
  }

  /// The text of a file below the package, without the line breaks that only its width asks for.
  static func text(of path: String) -> String? {
    try? String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
  }

  /// Whether a file has a test of this name: the first argument of a `@Test`, or a Python case or its
  /// docstring.
  static func has(_ name: String, in text: String, isSwift: Bool) -> Bool {
    guard isSwift else { return text.contains("\"\"\"" + name) || text.contains("def " + name + "(") }
    var rest = text[...]
    while let start = rest.range(of: "@Test(") {
      rest = rest[start.upperBound...]
      let argument = rest.drop { $0.isWhitespace }
      if argument.hasPrefix("\"" + name + "\"") { return true }
    }
    return false
  }

  /// Every Swift and Python file below `Tests` but those of this target.
  static func testFiles() -> [(path: String, text: String)] {
    let folder = root.appendingPathComponent("Tests")
    let paths = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String } ?? []
    return paths.sorted().filter { path in
      (path.hasSuffix(".swift") || path.hasSuffix(".py")) && !path.hasPrefix("ComplianceTests/")
    }.compactMap { path in text(of: "Tests/" + path).map { (path, $0) } }
  }

  /// Every `HP-` number in a text.
  static func requirements(in text: String) -> Set<String> {
    Set(
      text.components(separatedBy: "HP-").dropFirst().map { "HP-" + $0.prefix { $0.isASCII && $0.isNumber } }
        .filter { $0 != "HP-" })
  }
}
