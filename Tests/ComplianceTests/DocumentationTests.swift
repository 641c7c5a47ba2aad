import Foundation
import Testing

/// Public declarations have documentation comments, except where a comment could only repeat what is
/// documented elsewhere: cases of enumerations, members that satisfy a requirement of a documented protocol,
/// `init()` and `init(rawValue:)`.
///
/// The formatter's rule for this has no exemptions, so it is off in `.swift-format`.
@Suite("Documentation comments")
struct DocumentationTests {
  /// Requirements of protocols of the standard library and of packages.
  private static let foreign: Set<String> = [
    "description", "debugDescription", "hash", "rawValue", "next", "errorDescription", "log", "run",
    "validate", "main", "configuration", "defaultValueDescription",
  ]

  /// Comments that say nothing.
  private static let empty: Set<String> = [
    "/// Does nothing.", "/// Nothing.", "/// None.", "/// There is none.", "/// The only one there is.",
    "/// The value.", "/// Whether it has.", "/// Whether it is.", "/// No.", "/// Yes.",
  ]

  /// The sources of the modules, by path.
  private let files: [(path: String, lines: [Substring])]

  init() throws {
    files = try DocumentReferences.ofThisPackage.files.sorted()
      .filter { $0.hasPrefix("Sources/") && $0.hasSuffix(".swift") }
      .map { path in
        let text = try #require(ComplianceTable.text(of: path))
        return (path, text.split(separator: "\n", omittingEmptySubsequences: false))
      }
  }

  /// Read once, as a literal is read each time that it is evaluated. Nothing changes it.
  nonisolated(unsafe) private static let declaration =
    /^ *(?:@\w+(?:\([^)]*\))? )*(?:public|package) (?:\w+(?:\(set\))? )*(?:func|var|let|init|subscript|struct|class|enum|protocol|typealias|actor)\b *(`?\w*)/

  /// The name that a declaration for other modules declares; `nil` for another line.
  private static func visibleName(_ line: Substring) -> Substring? {
    guard line.utf8.contains(UInt8(ascii: "p")), line.contains("public ") || line.contains("package ") else {
      return nil
    }
    return line.firstMatch(of: declaration)?.1
  }

  /// The names that a file's protocols require.
  private static func requirements(_ lines: [Substring]) -> Set<String> {
    var names: Set<String> = []
    var isInside = false
    for line in lines {
      if ["protocol ", "public protocol ", "package protocol "].contains(where: line.hasPrefix) {
        isInside = !line.contains("}")
      }
      if line.hasPrefix("}") { isInside = false }
      guard isInside, !line.contains("///"),
        let match = line.firstMatch(of: /\b(?:func|var|typealias|associatedtype) `?(\w+)/)
      else {
        continue
      }
      names.insert(String(match.1))
    }
    return names
  }

  /// Whether the declaration in `lines[index]` has a documentation comment above it and its attributes, which
  /// may have several lines.
  private static func isDocumented(_ lines: [Substring], _ index: Int) -> Bool {
    // Beginnings of lines that belong to another declaration, and not to an attribute of this one.
    let ends = ["}", "public ", "package ", "private ", "let ", "var ", "func ", "case ", "import "]
    var above = index
    while above > 0 {
      above -= 1
      let text = lines[above].drop { $0 == " " }
      if text.hasPrefix("///") { return true }
      if text.isEmpty || ends.contains(where: text.hasPrefix) { return false }
    }
    return false
  }

  @Test(
    "Every declaration for other modules has a documentation comment, or satisfies a requirement that has one"
  )
  func all() {
    let requirements = files.reduce(into: Self.foreign) { $0.formUnion(Self.requirements($1.lines)) }
    #expect(requirements.count > 100)
    for file in files {
      for (index, line) in file.lines.enumerated() {
        guard let name = Self.visibleName(line), !Self.isDocumented(file.lines, index),
          !requirements.contains(String(name.filter { $0 != "`" })),
          !line.contains("init()"), !line.contains("(rawValue"), !line.contains("override ")
        else { continue }
        Issue.record("\(file.path):\(index + 1) \(name)")
      }
    }
  }

  @Test("No documentation comment says nothing")
  func empties() {
    for file in files {
      for (index, line) in file.lines.enumerated() {
        let text = line.drop { $0 == " " }
        guard text.hasPrefix("///"), text.utf8.count < 32 else { continue }
        #expect(!Self.empty.contains(String(text)), "\(file.path):\(index + 1)")
      }
    }
  }
}
