import Foundation
import HeraldHostLink
import HeraldText

/// `people.csv`: who wore which device, when.
///
/// A file in UTF-8, RFC 4180, with a header line that names at least the columns `serial` and `name`;
/// `role`, `place`, `from` and `to` are optional, other columns are ignored. `from` and `to` are a date,
/// `2026-09-14`, which begins at midnight and of which `to` includes the whole day, or a moment,
/// `2026-09-14 08:30`, before which `to` ends, both in the archive's time zone; an empty field means since
/// ever, or for ever. Text is compared in Unicode's form NFC. A device is with one person at a time; a
/// person may have several devices.
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

  /// The maximum size in bytes.
  static let mostBytes = 64 << 20
  /// The maximum length of a field, in Unicode scalars.
  static let mostScalars = 200
  private static let header = "its first line is serial,name,role,place,from,to"

  /// Parses a file.
  /// - Throws: `.usage` with the line if the file is too large or not UTF-8, a required column or field is
  ///   missing, a field is too long or has control characters, a serial number was damaged by a spreadsheet,
  ///   a date is invalid, two entries of a device overlap, or a person has two roles or places.
  public init(_ bytes: [UInt8], days: LocalDays) throws(HostLinkError) {
    guard bytes.count <= Self.mostBytes else {
      throw HostLinkError(.usage, "the file of people has more than \(Self.mostBytes >> 20) MiB")
    }
    let rows = try CSVRows(try Self.text(bytes), name: "the file of people").rows
    guard let first = rows.first else {
      throw HostLinkError(.usage, "the file of people is empty", advice: Self.header)
    }
    let columns = try Columns(first)
    for row in rows.dropFirst() where !row.fields.allSatisfy({ $0.trimmed.isEmpty }) {
      entries.append(try Self.entry(row, columns, days))
    }
    try check()
  }

  /// Reads a file.
  /// - Throws: `.storage` if it cannot be read, and the errors of its contents.
  public init(reading path: String, days: LocalDays) throws(HostLinkError) {
    guard let data = FileManager.default.contents(atPath: path) else {
      throw HostLinkError(
        .storage, "\(PrintableText.of(path, limit: 256)) cannot be read",
        advice: "name a file of people that exists")
    }
    try self.init([UInt8](data), days: days)
  }

  /// The text without a byte order mark.
  private static func text(_ bytes: [UInt8]) throws(HostLinkError) -> String {
    if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) {
      throw HostLinkError(
        .usage, "the file of people is UTF-16, not UTF-8",
        advice: "save it as \"CSV UTF-8\" in the spreadsheet, or convert it: iconv -f utf-16 -t utf-8")
    }
    let body = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes[3...] : bytes[...]
    if let text = String(validating: body, as: UTF8.self) { return text }
    let lines = body.split(separator: 0x0A, omittingEmptySubsequences: false)
    let line = lines.firstIndex { String(validating: $0, as: UTF8.self) == nil } ?? 0
    throw mistake(
      line + 1, "this is not UTF-8",
      "save it as \"CSV UTF-8\" in the spreadsheet, or convert it: iconv -f latin1 -t utf-8")
  }

  /// The places of the known columns.
  private struct Columns {
    private(set) var count = 0
    private var places: [String: Int] = [:]

    init(_ row: CSVRows.Row) throws(HostLinkError) {
      count = row.fields.count
      for (place, field) in row.fields.enumerated() {
        let name = field.lowercased().trimmed
        guard ["serial", "name", "role", "place", "from", "to"].contains(name) else { continue }
        guard places.updateValue(place, forKey: name) == nil else {
          throw PeopleFile.mistake(row.line, "there are two columns \"\(name)\"", "remove one of them")
        }
      }
      guard places["serial"] != nil, places["name"] != nil else {
        throw HostLinkError(
          .usage, "the file of people has no columns \"serial\" and \"name\"", advice: PeopleFile.header)
      }
    }

    func field(_ name: String, of row: CSVRows.Row) -> String {
      guard let place = places[name], row.fields.indices.contains(place) else { return "" }
      return row.fields[place].trimmed.precomposedStringWithCanonicalMapping
    }
  }

  private static func entry(_ row: CSVRows.Row, _ columns: Columns, _ days: LocalDays) throws(HostLinkError)
    -> Entry
  {
    if row.fields.dropFirst(columns.count).contains(where: { !$0.trimmed.isEmpty }) {
      throw mistake(
        row.line, "there are more fields than columns",
        "put a field that contains the separator in quotation marks: \"Doe, Jane\"")
    }
    let serial = columns.field("serial", of: row)
    let name = columns.field("name", of: row)
    let role = columns.field("role", of: row)
    let place = columns.field("place", of: row)
    for (column, text) in [("serial", serial), ("name", name), ("role", role), ("place", place)] {
      guard text.unicodeScalars.count <= mostScalars else {
        throw mistake(row.line, "\"\(column)\" has more than \(mostScalars) characters", "shorten it")
      }
      guard text == PrintableText.name(text, limit: mostScalars) else {
        throw mistake(row.line, "\"\(column)\" has characters that cannot be shown", "type it anew")
      }
    }
    guard !serial.isEmpty, !name.isEmpty else {
      throw mistake(
        row.line, "the serial number or the name is missing", "fill in both, or remove the line")
    }
    guard !isSpreadsheetNumber(serial) else {
      throw mistake(
        row.line,
        "a spreadsheet has made a number of the serial number: \(PrintableText.of(serial, limit: 40))",
        "format the column as text before the numbers are typed or pasted")
    }
    let from = try moment(columns.field("from", of: row), row.line, days, isEnd: false) ?? .min
    let to = try moment(columns.field("to", of: row), row.line, days, isEnd: true) ?? .max
    guard from <= to else {
      throw mistake(row.line, "\"to\" is not after \"from\"", "exchange or correct the dates")
    }
    return Entry(serial: serial, name: name, role: role, place: place, from: from, to: to, line: row.line)
  }

  /// Whether this is how spreadsheets show numbers with many digits: `1.23457E+15`.
  private static func isSpreadsheetNumber(_ serial: String) -> Bool {
    let parts = serial.split(separator: "E+", omittingEmptySubsequences: false)
    guard parts.count == 2, !parts[1].isEmpty, parts[1].allSatisfy(\.isNumber) else { return false }
    let mantissa = parts[0].split(whereSeparator: { $0 == "." || $0 == "," }).joined()
    return !mantissa.isEmpty && mantissa.count + 1 >= parts[0].count && mantissa.allSatisfy(\.isNumber)
  }

  private func check() throws(HostLinkError) {
    var bySerial: [String: [Entry]] = [:]
    var byName: [String: Entry] = [:]
    for entry in entries {
      bySerial[entry.serial, default: []].append(entry)
      if let other = byName[entry.name], other.role != entry.role || other.place != entry.place {
        throw Self.mistake(
          entry.line,
          "\(PrintableText.name(entry.name)) has another role or place than in line \(other.line)",
          "give a person one role and one place; two people need two names")
      }
      byName[entry.name] = entry
    }
    for serial in bySerial.keys.sorted() {
      let sorted = (bySerial[serial] ?? []).sorted { ($0.from, $0.line) < ($1.from, $1.line) }
      for (one, other) in zip(sorted, sorted.dropFirst()) where other.from <= one.to {
        throw Self.mistake(
          max(one.line, other.line),
          "device \(PrintableText.of(one.serial)) is with \(PrintableText.name(one.name)) (line \(one.line)) and with \(PrintableText.name(other.name)) (line \(other.line)) at the same time",
          "let \"to\" of one end before \"from\" of the other")
      }
    }
  }

  /// A date of a field; `nil` if it is empty. A time that a clock that is set forward skips is the moment
  /// at which it is; of a time that there is twice, when it is set back, the first.
  private static func moment(_ text: String, _ line: Int, _ days: LocalDays, isEnd: Bool)
    throws(HostLinkError) -> Int64?
  {
    if text.isEmpty { return nil }
    if let day = LocalDays.day(text) {
      return isEnd ? days.begin(ofDay: day + 1) - 1 : days.begin(ofDay: day)
    }
    let length = text.utf8.count
    guard length == 16 || length == 19, let local = UTCTimestamp.parse(length == 16 ? text + ":00" : text)
    else {
      throw mistake(
        line, "\"\(PrintableText.of(text, limit: 40))\" is not a date",
        "write 2026-09-14 or 2026-09-14 08:30, in local time")
    }
    let moment = days.moment(local: Int64(local))
    return isEnd ? moment - 1 : moment
  }

  fileprivate static func mistake(_ line: Int, _ what: String, _ advice: String) -> HostLinkError {
    HostLinkError(.usage, "the file of people, line \(line): \(what)", advice: advice)
  }
}

extension String {
  /// Without blanks at both ends.
  fileprivate var trimmed: String {
    let blanks: [Character] = [" ", "\t", "\u{A0}"]
    return String(drop { blanks.contains($0) }.reversed().drop { blanks.contains($0) }.reversed())
  }
}
