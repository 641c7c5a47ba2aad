import Foundation

/// One item of docs/compliance.md.
struct ComplianceRow {
  let requirement: String
  let strength: String
  /// Paths below `Sources`.
  let implementations: [String]
  /// File below `Tests` and the name of a test in it.
  let tests: [(file: String, name: String)]
  /// What the item says if it names none.
  let testsText: String
}

/// docs/compliance.md and the folders it talks about, found from where this file is.
enum ComplianceTable {
  static let root: URL = {
    var root = URL(fileURLWithPath: #filePath)
    for _ in 0..<3 { root.deleteLastPathComponent() }
    return root
  }()

  /// What an item says that names no test.
  static let noTest = "not yet"

  /// Every item that begins with a requirement's number.
  static func rows() throws -> [ComplianceRow] {
    let text = try String(contentsOf: root.appendingPathComponent("docs/compliance.md"), encoding: .utf8)
    return text.components(separatedBy: "\n- **HP-").dropFirst().map { row("HP-" + $0) }
  }

  /// `HP-01** M: …`, up to an empty line: then lines for files, for each test, and for a deviation.
  private static func row(_ item: String) -> ComplianceRow {
    let paragraph = item.components(separatedBy: "\n\n")[0]
    let lines = paragraph.components(separatedBy: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
    let head = lines[0].components(separatedBy: "** ")
    let strength = head.count > 1 ? head[1].components(separatedBy: ":")[0] : ""
    return ComplianceRow(
      requirement: head[0], strength: strength,
      implementations: lines.filter { $0.hasPrefix("- files: ") }.flatMap { quoted($0) },
      tests: lines.filter { $0.hasPrefix("- `") }.map { test($0) },
      testsText: lines.contains("- " + noTest) ? noTest : "")
  }

  /// What stands between backquotes.
  private static func quoted(_ line: String) -> [String] {
    line.split(separator: "`", omittingEmptySubsequences: false).enumerated()
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
  /// docstring. A name that is cut off ends in `…`, and is the beginning of a single test's name.
  static func has(_ name: String, in text: String, isSwift: Bool) -> Bool {
    let isCut = name.hasSuffix("…")
    let beginning = isCut ? String(name.dropLast()) : name
    guard isSwift else { return text.contains("\"\"\"" + beginning) || text.contains("def " + name + "(") }
    var count = 0
    var rest = text[...]
    while let start = rest.range(of: "@Test(") {
      rest = rest[start.upperBound...]
      let argument = rest.drop { $0.isWhitespace }
      if argument.hasPrefix("\"" + beginning + (isCut ? "" : "\"")) { count += 1 }
    }
    return isCut ? count == 1 : count > 0
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
