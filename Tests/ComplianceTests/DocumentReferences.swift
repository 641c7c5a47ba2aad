import Foundation

/// What the documents name: files, types of tests, tests by their names, and each other. `docs`, the DocC
/// catalogues, the README files and CONTRIBUTING.md.
struct DocumentReferences {
  /// Something that a document names.
  enum Reference: Hashable {
    /// A file or folder of the package.
    case file(String)
    /// A file that has tests, or a type of them.
    case tests(String)
    /// The beginning of a test's name, in the file or type before it.
    case test(of: String, name: String)
    /// A file from where the document is, and a heading in it.
    case link(String, heading: String?)
  }

  /// Files by their paths below the package, folders included, without what is built.
  let files: Set<String>
  /// The ends of these paths, from any folder on.
  private let ends: Set<String>
  /// The names of the tests and suites of each file of tests, by what documents may call the file: the name
  /// of a type in it, or the end of its path, without `.swift`.
  private let testNames: [String: [String]]

  /// Folders below which everything is made or fetched.
  private static let made: Set<String> = [".build", ".git", ".swiftpm"]

  /// Of the package this file is in, looked at once.
  static let ofThisPackage = DocumentReferences()

  private init() {
    var files: Set<String> = []
    let enumerator = FileManager.default.enumerator(atPath: ComplianceTable.root.path)
    while let path = enumerator?.nextObject() as? String {
      if Self.made.contains(URL(fileURLWithPath: path).lastPathComponent) {
        enumerator?.skipDescendants()
      } else {
        files.insert(path)
      }
    }
    let tests = files.filter { $0.hasPrefix("Tests/") && ($0.hasSuffix(".swift") || $0.hasSuffix(".py")) }
    self.init(
      files: files,
      tests: Dictionary(uniqueKeysWithValues: tests.map { ($0, ComplianceTable.text(of: $0) ?? "") }))
  }

  /// Of these files, among which are these of tests.
  init(files: Set<String>, tests: [String: String]) {
    self.files = files
    ends = Set(files.flatMap(Self.ends))
    var testNames: [String: [String]] = [:]
    for (path, text) in tests {
      let names = Self.testNames(in: text)
      let ends = Self.ends(of: path).map { $0.hasSuffix(".swift") ? String($0.dropLast(6)) : $0 }
      for key in Set(ends + Self.types(in: text)) { testNames[key, default: []] += names }
    }
    self.testNames = testNames
  }

  /// A path, and what is left of it without its first folder, its first two, and so on.
  private static func ends(of path: String) -> [String] {
    var ends = [path]
    while let slash = ends[ends.count - 1].firstIndex(of: "/") {
      let end = ends[ends.count - 1]
      ends.append(String(end[end.index(after: slash)...]))
    }
    return ends
  }

  /// The names of the types that a file declares.
  private static func types(in text: String) -> [String] {
    ["struct ", "enum ", "class "].flatMap { keyword in
      text.components(separatedBy: keyword).dropFirst().map { rest in
        String(rest.prefix { $0.isLetter || $0.isNumber })
      }
    }
  }

  /// The names of the tests and suites of a file.
  private static func testNames(in text: String) -> [String] {
    let name = /\s*"((?:[^"\\]|\\.)*)"/
    return ["@Test(", "@Suite("].flatMap { attribute in
      text.components(separatedBy: attribute).dropFirst().compactMap { rest in
        rest.prefixMatch(of: name).map { String($0.output.1) }
      }
    }
  }

  /// The documents, by their paths.
  var documents: [String] {
    files.filter { $0.hasSuffix(".md") && ComplianceTable.text(of: $0) != nil }.sorted()
  }

  // MARK: Reading

  /// Everything that a document names, of the kinds that are checked.
  static func references(in text: String) -> Set<Reference> {
    var found: Set<Reference> = []
    let prose = withoutListings(text)
    for word in words(prose, "`", "`") {
      if isPath(word) { found.insert(.file(word)) }
      if isTests(word) { found.insert(.tests(word)) }
    }
    // `Type` "name", "name"
    let parts = prose.components(separatedBy: "`")
    for (index, part) in parts.enumerated() where index > 0 && index % 2 == 0 && isTests(parts[index - 1]) {
      var rest = part[...]
      while let name = rest.firstMatch(of: /^,?\s*"([^"]+)"/) {
        found.insert(.test(of: parts[index - 1], name: String(name.output.1)))
        rest = rest[name.range.upperBound...]
      }
    }
    for match in prose.matches(of: /\]\(([^)\s]+)\)/) {
      let target = String(match.output.1)
      guard !target.contains("://"), !target.hasPrefix("mailto:") else { continue }
      let halves = target.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false).map(
        String.init)
      found.insert(.link(halves[0], heading: halves.count > 1 ? halves[1] : nil))
    }
    return found
  }

  /// A text without what stands between lines of three backquotes.
  private static func withoutListings(_ text: String) -> String {
    text.components(separatedBy: "```").enumerated().filter { $0.offset % 2 == 0 }.map(\.element).joined()
  }

  private static func words(_ text: String, _ open: Character, _ close: Character) -> [String] {
    text.split(separator: open, omittingEmptySubsequences: false).enumerated()
      .filter { $0.offset % 2 == 1 }.map { String($0.element) }
  }

  /// Whether this is the path of a source, or of what is in one of the package's own folders; not a pattern,
  /// and nothing that is made.
  private static func isPath(_ word: String) -> Bool {
    guard word.wholeMatch(of: /[A-Za-z0-9_+.\/-]+/) != nil, !word.contains("NAME"), !word.contains("myboard"),
      !word.hasPrefix("/"), !word.hasPrefix(".build")
    else { return false }
    return word.hasSuffix(".swift") || word.hasSuffix(".py") || word.hasPrefix("script/")
      || word.hasPrefix("Tests/") || word.hasPrefix("Sources/")
      || word.hasPrefix("docs/") || word.hasPrefix("Examples/")
  }

  private static func isTests(_ word: String) -> Bool {
    // Few words end like this; the patterns take long.
    word.hasSuffix("Tests") && word.wholeMatch(of: /[A-Z][A-Za-z0-9]*Tests/) != nil
      || word.hasSuffix(".py")
        && word.wholeMatch(of: /(Tests\/[A-Za-z0-9_\/]*)?[a-z_]*test[a-z0-9_]*\.py/) != nil
  }

  // MARK: Looking

  /// Whether there is what a document names.
  func has(_ reference: Reference, in document: String) -> Bool {
    switch reference {
    case .file(let path):
      let path = path.hasSuffix("/") ? String(path.dropLast()) : path
      return ends.contains(path)
    case .tests(let name): return testNames[name] != nil || files.contains("Tests/" + name)
    case .test(let type, let name): return Self.has(name, in: testNames[type] ?? [])
    case .link(let path, let heading):
      let base = ComplianceTable.root.appendingPathComponent(document)
      let target =
        path.isEmpty
        ? base : base.deletingLastPathComponent().appendingPathComponent(path).standardizedFileURL
      guard FileManager.default.fileExists(atPath: target.path) else { return false }
      guard let heading else { return true }
      let text = (try? String(contentsOf: target, encoding: .utf8)) ?? ""
      return Self.withoutListings(text).split(separator: "\n")
        .contains { $0.hasPrefix("#") && Self.anchor(of: $0) == heading }
    }
  }

  /// Whether one of these is the name of a test that a document names, perhaps behind a requirement's number;
  /// a name that is cut off ends in `…`.
  static func has(_ name: String, in testNames: [String]) -> Bool {
    let isCut = name.hasSuffix("…")
    let start = isCut ? name.dropLast().trimmingCharacters(in: .whitespaces) : name
    return testNames.contains { full in
      let found = full.replacing(/^(HP-[0-9]+ )+/, with: "")
      return isCut ? found.hasPrefix(start) || full.hasPrefix(start) : found == start || full == start
    }
  }

  /// What a heading is called in a link.
  private static func anchor(of heading: Substring) -> String {
    heading.drop { $0 == "#" }.trimmingCharacters(in: .whitespaces).lowercased()
      .filter { $0.isLetter || $0.isNumber || $0 == " " || $0 == "-" || $0 == "_" }
      .replacingOccurrences(of: " ", with: "-")
  }
}
