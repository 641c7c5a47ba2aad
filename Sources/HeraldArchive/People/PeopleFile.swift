import Foundation
import HeraldHostLink
import HeraldText

/// `people.csv`: who wore which device, when.
///
/// A file in UTF-8, RFC 4180, with a header line that names at least the columns `serial` and `name`; `role`,
/// `place`, `from` and `to` are optional, other columns are ignored. `from` and `to` are a date, `2026-09-14`,
/// which begins at midnight and of which `to` includes the whole day, or a moment, `2026-09-14 08:30`, both in
/// the archive's time zone; an empty field means since ever, or for ever.
public struct PeopleFile: Equatable, Sendable {
  /// A line of the file.
  public struct Entry: Equatable, Sendable {
    /// The serial number of the device.
    public let serial: String
    /// The person who wears it.
    public let name: String
    /// What the person is, such as `nurse`.
    public let role: String
    /// Where the person belongs, such as `Ward 3`.
    public let place: String
    /// The first millisecond since 1970-01-01T00:00:00Z.
    public let from: Int64
    /// The last millisecond.
    public let to: Int64
    /// The number of the line.
    public let line: Int
  }

  /// The entries in the order of the file.
  public private(set) var entries: [Entry] = []

  /// The maximum number of lines.
  private static let mostLines = 1_000_000

  /// Parses a file.
  /// - Throws: `.usage` with the line if the file is not UTF-8, a required column or field is missing, a date
  ///   is invalid, two entries of a device overlap, or a person has two roles or places.
  public init(_ bytes: [UInt8], days: LocalDays) throws(HostLinkError) {
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw HostLinkError(
        .usage, "the file of people is not UTF-8",
        advice: "save it as \"CSV UTF-8\" in the spreadsheet, or convert it: iconv -f latin1 -t utf8")
    }
    let rows = try Self.rows(
      text.unicodeScalars.first == "\u{FEFF}" ? String(text.unicodeScalars.dropFirst()) : text)
    guard let header = rows.first else {
      throw HostLinkError(
        .usage, "the file of people is empty", advice: "its first line is serial,name,role,place,from,to")
    }
    let names = header.fields.map { $0.lowercased().trimmed }
    func column(_ name: String) -> Int? { names.firstIndex(of: name) }
    guard let serial = column("serial"), let name = column("name") else {
      throw HostLinkError(
        .usage, "the file of people has no columns \"serial\" and \"name\"",
        advice: "its first line is serial,name,role,place,from,to")
    }
    for row in rows.dropFirst() {
      func field(_ column: Int?) -> String {
        guard let column, row.fields.indices.contains(column) else { return "" }
        return row.fields[column].trimmed
      }
      if row.fields.allSatisfy({ $0.trimmed.isEmpty }) { continue }
      let who = (serial: field(serial), name: field(name))
      guard !who.serial.isEmpty, !who.name.isEmpty else {
        throw Self.mistake(
          row.line, "the serial number or the name is missing", "fill in both, or remove the line")
      }
      let from = try Self.moment(field(column("from")), row.line, days, isEnd: false) ?? .min
      let to = try Self.moment(field(column("to")), row.line, days, isEnd: true) ?? .max
      guard from <= to else {
        throw Self.mistake(row.line, "\"to\" is before \"from\"", "exchange the dates")
      }
      entries.append(
        Entry(
          serial: who.serial, name: who.name, role: field(column("role")), place: field(column("place")),
          from: from, to: to, line: row.line))
    }
    try check()
  }

  /// Reads a file.
  /// - Throws: `.storage` if it cannot be read, and the errors of its contents.
  public init(reading path: String, days: LocalDays) throws(HostLinkError) {
    guard let data = FileManager.default.contents(atPath: path) else {
      throw HostLinkError(.storage, "\(path) cannot be read", advice: "name a file of people that exists")
    }
    try self.init([UInt8](data), days: days)
  }

  private func check() throws(HostLinkError) {
    var bySerial: [String: [Entry]] = [:]
    var byName: [String: Entry] = [:]
    for entry in entries {
      bySerial[entry.serial, default: []].append(entry)
      if let other = byName[entry.name], other.role != entry.role || other.place != entry.place {
        throw Self.mistake(
          entry.line,
          "\(PrintableText.of(entry.name)) has another role or place than in line \(other.line)",
          "give a person one role and one place; two people need two names")
      }
      byName[entry.name] = entry
    }
    for list in bySerial.values {
      let sorted = list.sorted { ($0.from, $0.line) < ($1.from, $1.line) }
      for (one, other) in zip(sorted, sorted.dropFirst()) where other.from <= one.to {
        throw Self.mistake(
          max(one.line, other.line),
          "device \(PrintableText.of(one.serial)) is with \(PrintableText.of(one.name)) (line \(one.line)) and with \(PrintableText.of(other.name)) (line \(other.line)) at the same time",
          "let \"to\" of one end before \"from\" of the other")
      }
    }
  }

  /// A date of a field; `nil` if it is empty.
  private static func moment(_ text: String, _ line: Int, _ days: LocalDays, isEnd: Bool)
    throws(HostLinkError)
    -> Int64?
  {
    if text.isEmpty { return nil }
    if let day = LocalDays.day(text) {
      return isEnd ? days.begin(ofDay: day + 1) - 1 : days.begin(ofDay: day)
    }
    guard let local = UTCTimestamp.parse(text.utf8.count == 16 ? text + ":00" : text) else {
      throw mistake(
        line, "\"\(PrintableText.of(text, limit: 40))\" is not a date", "write 2026-09-14 or 2026-09-14 08:30"
      )
    }
    let guess = Int64(local) - days.offset(at: Int64(local)) * 1000
    let moment = Int64(local) - days.offset(at: guess) * 1000
    return isEnd ? moment - 1 : moment
  }

  private static func mistake(_ line: Int, _ what: String, _ advice: String) -> HostLinkError {
    HostLinkError(.usage, "the file of people, line \(line): \(what)", advice: advice)
  }

  // MARK: RFC 4180

  private struct Row {
    var fields: [String]
    let line: Int
  }

  /// The separator of the header line: spreadsheets of some countries write semicolons.
  private static func separator(of text: String) -> Unicode.Scalar {
    let header = text.unicodeScalars.prefix { $0 != "\n" }
    return header.contains(";") && !header.contains(",") ? ";" : ","
  }

  private static func rows(_ text: String) throws(HostLinkError) -> [Row] {
    var rows: [Row] = []
    var fields: [String] = []
    var field = ""
    var isQuoted = false
    var line = 1
    var start = 1
    let separator = separator(of: text)
    var scalars = text.unicodeScalars.makeIterator()
    var next = scalars.next()
    func append() throws(HostLinkError) {
      guard rows.count < mostLines else {
        throw HostLinkError(.usage, "the file of people has more than \(mostLines) lines")
      }
      rows.append(Row(fields: fields, line: start))
    }
    while let scalar = next {
      next = scalars.next()
      if isQuoted {
        if scalar == "\"" {
          if next == "\"" {
            field.unicodeScalars.append(scalar)
            next = scalars.next()
          } else {
            isQuoted = false
          }
        } else {
          if scalar == "\n" { line += 1 }
          field.unicodeScalars.append(scalar)
        }
        continue
      }
      switch scalar {
      case "\"" where field.isEmpty: isQuoted = true
      case separator:
        fields.append(field)
        field = ""
      case "\r" where next == "\n": break
      case "\n":
        fields.append(field)
        try append()
        (fields, field) = ([], "")
        line += 1
        start = line
      default: field.unicodeScalars.append(scalar)
      }
    }
    guard !isQuoted else {
      throw mistake(start, "a quotation mark is not closed", "close it")
    }
    if !field.isEmpty || !fields.isEmpty {
      fields.append(field)
      try append()
    }
    return rows
  }
}

extension String {
  /// Without blanks at both ends.
  fileprivate var trimmed: String {
    let blanks: [Character] = [" ", "\t", "\u{A0}"]
    return String(drop { blanks.contains($0) }.reversed().drop { blanks.contains($0) }.reversed())
  }
}
