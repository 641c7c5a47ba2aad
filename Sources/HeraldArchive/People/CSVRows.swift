import HeraldHostLink

/// The rows of a file in the format of RFC 4180 that a person has made, usually with a spreadsheet: fields
/// are separated by commas, semicolons or tabs; lines end with CR LF, LF or CR. The separator is the one that
/// a first line `sep=;` names, which is no row, or else the one that gives the header the columns it must
/// have, whatever is in quotation marks.
struct CSVRows {
  /// A row.
  struct Row {
    let fields: [String]
    /// The number of the line on which it begins.
    let line: Int
  }

  private(set) var rows: [Row] = []

  /// The maximum number of rows.
  private static let mostRows = 1_000_000

  private let name: String
  private let separator: Unicode.Scalar
  private var fields: [String] = []
  private var field = ""
  /// Whether the field is one in quotation marks that has ended.
  private var isClosed = false
  private var line = 1
  private var start = 1

  /// Parses text; `name` is what it is called in errors, `columns` are those that the header must have, in
  /// small letters.
  /// - Throws: `.usage` with the line if a quotation mark is not closed or text follows it, or there are
  ///   too
  ///   many rows.
  init(_ text: String, name: String, columns: Set<String>) throws(HostLinkError) {
    self.name = name
    let (text, named) = Self.withoutSeparatorLine(text)
    separator = named ?? Self.separator(of: text, columns)
    if named != nil { (line, start) = (2, 2) }
    var scalars = text.makeIterator()
    var next = scalars.next()
    var isQuoted = false
    while let scalar = next {
      next = scalars.next()
      switch scalar {
      case "\"" where isQuoted && next == "\"":
        field.unicodeScalars.append(scalar)
        next = scalars.next()
      case "\"" where isQuoted: (isQuoted, isClosed) = (false, true)
      case _ where isQuoted:
        if scalar == "\n" { line += 1 }
        field.unicodeScalars.append(scalar)
      case "\"" where field.isEmpty && !isClosed: isQuoted = true
      case separator: endField()
      case "\r" where next == "\n": break
      case "\n", "\r": try endRow()
      case _ where isClosed:
        guard scalar == " " else {
          throw mistake(
            "text follows a closing quotation mark", "write \"\" for a quotation mark within a field")
        }
      default: field.unicodeScalars.append(scalar)
      }
    }
    guard !isQuoted else { throw mistake("a quotation mark is not closed", "close it") }
    if !field.isEmpty || !fields.isEmpty || isClosed { try endRow() }
  }

  private mutating func endField() {
    fields.append(field)
    (field, isClosed) = ("", false)
  }

  private mutating func endRow() throws(HostLinkError) {
    guard rows.count < Self.mostRows else {
      throw HostLinkError(.usage, "\(name) has more than \(Self.mostRows) lines")
    }
    endField()
    rows.append(Row(fields: fields, line: start))
    fields = []
    line += 1
    start = line
  }

  private func mistake(_ what: String, _ advice: String) -> HostLinkError {
    HostLinkError(.usage, "\(name), line \(start): \(what)", advice: advice)
  }

  /// The text behind a first line `sep=;`, and the separator that it names.
  private static func withoutSeparatorLine(_ text: String) -> (Substring.UnicodeScalarView, Unicode.Scalar?) {
    let scalars = text.unicodeScalars[...]
    let line = scalars.prefix { $0 != "\n" && $0 != "\r" }
    guard line.count == 5, String(Substring(line.prefix(4))).lowercased() == "sep=", let named = line.last
    else {
      return (scalars, nil)
    }
    let rest = scalars[line.endIndex...]
    let end = rest.starts(with: ["\r", "\n"]) ? 2 : rest.isEmpty ? 0 : 1
    return (rest.dropFirst(end), named)
  }

  /// The separator that gives a header the columns; spreadsheets of countries with a decimal comma write
  /// semicolons.
  private static func separator(of text: Substring.UnicodeScalarView, _ columns: Set<String>)
    -> Unicode.Scalar
  {
    let candidates: [Unicode.Scalar] = [",", ";", "\t"]
    return candidates.first { columns.isSubset(of: names(of: text, separatedBy: $0)) } ?? ","
  }

  /// The fields of the first row in small letters, without blanks around them.
  private static func names(
    of text: Substring.UnicodeScalarView, separatedBy separator: Unicode.Scalar
  ) -> Set<String> {
    var names: Set<String> = []
    var name = String.UnicodeScalarView()
    var isQuoted = false
    func end() {
      names.insert(String(name).lowercased().filter { !$0.isWhitespace })
      name.removeAll()
    }
    for scalar in text {
      if scalar == "\"" {
        isQuoted.toggle()
      } else if !isQuoted, scalar == separator {
        end()
      } else if !isQuoted, scalar == "\n" || scalar == "\r" {
        break
      } else {
        name.append(scalar)
      }
    }
    end()
    return names
  }
}
