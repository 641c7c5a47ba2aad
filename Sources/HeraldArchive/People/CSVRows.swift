import HeraldHostLink

/// The rows of a file in the format of RFC 4180 that a person has made, usually with a spreadsheet: fields
/// are separated by commas, or by semicolons or tabs if the first line has those and no comma; lines end
/// with CR LF, LF or CR.
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

  /// Parses text; `name` is what it is called in errors.
  /// - Throws: `.usage` with the line if a quotation mark is not closed or text follows it, or there are
  ///   too
  ///   many rows.
  init(_ text: String, name: String) throws(HostLinkError) {
    self.name = name
    separator = Self.separator(of: text)
    var scalars = text.unicodeScalars.makeIterator()
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

  /// The separator of the header line: spreadsheets of countries with a decimal comma write semicolons.
  private static func separator(of text: String) -> Unicode.Scalar {
    let header = text.unicodeScalars.prefix { $0 != "\n" && $0 != "\r" }
    if header.contains(",") { return "," }
    return header.contains(";") ? ";" : header.contains("\t") ? "\t" : ","
  }
}
