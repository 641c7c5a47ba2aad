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
  /// The texts of the files of tests.
  private let tests: [String: String]

  /// Folders below which everything is made or fetched.
  private static let made: Set<String> = [".build", ".git", ".swiftpm"]

  /// Of the package this file is in.
  init() {
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
    self.tests = tests
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
    word.wholeMatch(of: /[A-Z][A-Za-z0-9]*Tests/) != nil
      || word.wholeMatch(of: /(Tests\/[A-Za-z0-9_\/]*)?[a-z_]*test[a-z0-9_]*\.py/) != nil
  }

  // MARK: Looking

  /// Whether there is what a document names.
  func has(_ reference: Reference, in document: String) -> Bool {
    switch reference {
    case .file(let path):
      let path = path.hasSuffix("/") ? String(path.dropLast()) : path
      return files.contains { $0 == path || $0.hasSuffix("/" + path) }
    case .tests(let name): return !texts(of: name).isEmpty || files.contains("Tests/" + name)
    case .test(let type, let name): return texts(of: type).contains { Self.has(name, in: $0) }
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

  /// The files in which tests of this name are: a file's name, or a type in one.
  private func texts(of name: String) -> [String] {
    if name.hasSuffix(".py") {
      return tests.filter { $0.key == name || $0.key.hasSuffix("/" + name) }.map(\.value)
    }
    return tests.filter { path, text in
      path.hasSuffix("/\(name).swift") || text.contains("struct \(name)") || text.contains("enum \(name)")
        || text.contains("class \(name)")
    }.map(\.value)
  }

  /// Whether a file has a test or suite whose name begins so, perhaps behind a requirement's number; a name
  /// that is cut off ends in `…`.
  static func has(_ name: String, in text: String) -> Bool {
    let isCut = name.hasSuffix("…")
    let start = isCut ? name.dropLast().trimmingCharacters(in: .whitespaces) : name
    return text.matches(of: /@(?:Test|Suite)\(\s*"((?:[^"\\]|\\.)*)"/).contains { match in
      let found = match.output.1.replacing(/^(HP-[0-9]+ )+/, with: "")
      return isCut
        ? found.hasPrefix(start) || match.output.1.hasPrefix(start)
        : found == start || match.output.1 == start
    }
  }

  /// What a heading is called in a link.
  private static func anchor(of heading: Substring) -> String {
    heading.drop { $0 == "#" }.trimmingCharacters(in: .whitespaces).lowercased()
      .filter { $0.isLetter || $0.isNumber || $0 == " " || $0 == "-" || $0 == "_" }
      .replacingOccurrences(of: " ", with: "-")
  }
}
