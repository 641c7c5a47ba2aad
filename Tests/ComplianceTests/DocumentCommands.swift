import Foundation

/// Command lines of this project's programs in documents, compared with the manual pages.
struct DocumentCommands {
  /// The long options of each command by its words, `herald-host log pull`.
  let options: [String: Set<String>]

  /// Of every command, without being in its page.
  private static let common: Set<String> = ["--help", "--version", "--generate-completion-script"]

  /// The commands of docs/man.
  static let ofThisPackage: DocumentCommands = {
    let pages = DocumentReferences.ofThisPackage.files.filter {
      $0.hasPrefix("docs/man/") && $0.hasSuffix(".1")
    }
    return DocumentCommands(
      options: Dictionary(
        uniqueKeysWithValues: pages.map { path in
          let name = path.dropFirst("docs/man/".count).dropLast(2).replacing(".", with: " ")
          return (String(name), options(of: ComplianceTable.text(of: path) ?? ""))
        }))
  }()

  /// The long options that a manual page lists: `-quiet` of a line that begins with `.Fl`, `.Op Fl` or
  /// `.It Fl`.
  private static func options(of page: String) -> Set<String> {
    var found: Set<String> = []
    for line in page.split(separator: "\n")
    where line.hasPrefix(".Fl ") || line.hasPrefix(".Op Fl ") || line.hasPrefix(".It Fl ") {
      for word in line.split(separator: " ").prefix(while: { $0 != "Ar" })
      where word.hasPrefix("-") && word.count > 2 {
        found.insert("-" + word)
      }
    }
    return found
  }

  /// The command lines of a document, in listings and between backquotes.
  static func lines(in document: String) -> [String] {
    document.components(separatedBy: "```").enumerated().flatMap { index, part -> [String] in
      index % 2 == 1
        ? part.replacing("\\\n", with: " ").components(separatedBy: "\n")
        : part.components(separatedBy: "`").enumerated().filter { $0.offset % 2 == 1 }.map {
          $0.element.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        }
    }
  }

  /// What is wrong with a command line, and how many commands it has.
  func complaints(about line: String) -> (commands: Int, wrong: [String]) {
    guard line.contains("herald-") else { return (0, []) }
    var wrong: [String] = []
    let commands = DocumentNumbers.matches(
      "(?:^|[\\s/(])(herald-(?:host|flash|node|controller))(?=\\s)([^#|;&)]*)", of: line)
    for command in commands {
      var words = command[1].split(separator: " ")[...]
      var name = command[0]
      while let word = words.first, options["\(name) \(word)"] != nil {
        name += " \(word)"
        words.removeFirst()
      }
      let further = options.filter { $0.key.hasPrefix(name + " ") }
      if !further.isEmpty, let word = words.first, word != "help", !word.hasPrefix("herald-"),
        word.wholeMatch(of: /[a-z][a-z\-]*/) != nil
      {
        wrong.append("\(name) has no command \(word)")
      }
      // What is named for a group of commands is an option of one of them.
      let known = further.values.reduce(options[name] ?? []) { $0.union($1) }.union(Self.common)
      for word in words {
        let option = word.drop { $0 == "[" || $0 == "(" }.prefix { $0 == "-" || $0.isLetter || $0.isNumber }
        if option.hasPrefix("--"), option.count > 2, !known.contains(String(option)) {
          wrong.append("\(name) has no option \(option)")
        }
      }
    }
    return (commands.count, wrong)
  }
}
