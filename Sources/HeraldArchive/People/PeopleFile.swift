import Foundation
import HeraldHostLink
import HeraldText

/// `people.csv`: who wore which device, when.
///
/// A file in UTF-8, RFC 4180, with a header line that names at least the columns `serial` and `name`; `role`,
/// `place`, `from` and `to` are optional, other columns are not read, and noted. `from` and `to` are a date,
/// `2026-09-14`, which begins at midnight and of which `to` includes the whole day, or a moment, `2026-09-14
/// 08:30`, before which `to` ends, both in the archive's time zone; a moment may have its distance from UTC
/// behind it, `2026-10-25 02:30 +01:00`; an empty field means since ever, or for ever. Text is compared in
/// Unicode's form NFC, and blanks within it are single ones. A device is with one person at a time; a person
/// may have several devices. The header may come again, with its columns in another order.
package struct PeopleFile: Equatable, Sendable {
  /// A line of the file.
  package struct Entry: Equatable, Sendable {
    /// The serial number of the device.
    package let serial: String
    /// The person who wears it.
    package let name: String
    /// What the person is, such as `nurse`.
    package let role: String
    /// Where the person belongs, such as `Ward 3`.
    package let place: String
    /// The first millisecond since 1970-01-01T00:00:00Z.
    package let from: Int64
    /// The last millisecond.
    package let to: Int64
    /// The number of the line.
    package let line: Int
  }

  /// The entries in the order of the file.
  package private(set) var entries: [Entry] = []
  /// Columns that are not known, and moments that clocks showed twice or not at all and how they were taken,
  /// in words with their line.
  package private(set) var notes: [String] = []

  /// The first ten notes, for people.
  package var remarks: [String] { notes.prefix(10).map { "the file of people, \($0)" } }

  /// The maximum size in bytes.
  static let mostBytes = 64 << 20
  /// The maximum length of a field, in Unicode scalars.
  static let mostScalars = 200
  private static let names = ["serial", "name", "role", "place", "from", "to"]
  private static let header = "its first line is serial,name,role,place,from,to"

  /// Parses a file.
  /// - Throws: `.usage` with the line if the file is too large or not UTF-8, a required column or field is
  ///   missing, a field is too long or has control characters, a serial number was damaged by a spreadsheet,
  ///   a date is invalid, two entries of a device overlap, or a person has two roles or places.
  package init(_ bytes: [UInt8], days: LocalDays) throws(HostLinkError) {
    guard bytes.count <= Self.mostBytes else {
      throw HostLinkError(.usage, "the file of people has more than \(Self.mostBytes >> 20) MiB")
    }
    let rows = try CSVRows(
      try Self.text(bytes), name: "the file of people", columns: ["serial", "name"]
    ).rows
    guard let first = rows.first else {
      throw HostLinkError(.usage, "the file of people is empty", advice: Self.header)
    }
    var columns = try Columns(first)
    note(columns)
    for row in rows.dropFirst() where !row.fields.allSatisfy({ $0.trimmed.isEmpty }) {
      // Files that were put together.
      if Columns.isHeader(row) {
        let next = try Columns(row)
        if next.unknown != columns.unknown { note(next) }
        columns = next
        continue
      }
      entries.append(try entry(row, columns, days))
    }
    try check()
  }

  /// Reads a file.
  /// - Throws: `.storage` if it cannot be read, and the errors of its contents.
  package init(reading path: String, days: LocalDays) throws(HostLinkError) {
    let bytes = try LocalFile.bytes(
      path, atMost: Self.mostBytes, missing: "name a file of people that exists")
    try self.init(bytes, days: days)
  }

  /// The text without a byte order mark.
  private static func text(_ bytes: [UInt8]) throws(HostLinkError) -> String {
    // Also without a mark at its start.
    if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF])
      || bytes.prefix(16).dropFirst().contains(0)
    {
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

  /// The indices of the known columns.
  private struct Columns {
    /// The number of the line of the header.
    let line: Int
    private(set) var count = 0
    /// The names of columns that are not known, as they are written.
    private(set) var unknown: [String] = []
    private var indices: [String: Int] = [:]

    init(_ row: CSVRows.Row) throws(HostLinkError) {
      line = row.line
      count = row.fields.count
      for (index, field) in row.fields.enumerated() {
        let name = field.lowercased().trimmed
        guard PeopleFile.names.contains(name) else {
          if !name.isEmpty { unknown.append(field.trimmed) }
          continue
        }
        guard indices.updateValue(index, forKey: name) == nil else {
          throw PeopleFile.mistake(row.line, "there are two columns \"\(name)\"", "remove one of them")
        }
      }
      guard indices["serial"] != nil, indices["name"] != nil else {
        throw HostLinkError(
          .usage, "the file of people has no columns \"serial\" and \"name\"", advice: PeopleFile.header)
      }
    }

    /// Whether a row is a header: no device has the serial number "serial" and belongs to somebody called
    /// "name".
    static func isHeader(_ row: CSVRows.Row) -> Bool {
      Set(["serial", "name"]).isSubset(of: row.fields.map { $0.lowercased().trimmed })
    }

    func field(_ name: String, of row: CSVRows.Row) -> String {
      guard let index = indices[name], row.fields.indices.contains(index) else { return "" }
      return TableText.original(
        SeenText.blanksJoined(row.fields[index]).precomposedStringWithCanonicalMapping)
    }
  }

  private mutating func entry(_ row: CSVRows.Row, _ columns: Columns, _ days: LocalDays)
    throws(HostLinkError) -> Entry
  {
    if row.fields.dropFirst(columns.count).contains(where: { !$0.trimmed.isEmpty }) {
      throw Self.mistake(
        row.line, "there are more fields than columns",
        "put a field that contains the separator in quotation marks: \"Doe, Jane\"")
    }
    let serial = columns.field("serial", of: row)
    let name = columns.field("name", of: row)
    let role = columns.field("role", of: row)
    let place = columns.field("place", of: row)
    for (column, text) in [("serial", serial), ("name", name), ("role", role), ("place", place)] {
      guard text.unicodeScalars.count <= Self.mostScalars else {
        throw Self.mistake(
          row.line, "\"\(column)\" has more than \(Self.mostScalars) characters", "shorten it")
      }
      guard text == PrintableText.name(text, limit: Self.mostScalars) else {
        throw Self.mistake(
          row.line, "\"\(column)\" has characters that cannot be shown",
          "type it anew: \(SeenText.spelled(text))")
      }
    }
    guard !serial.isEmpty, !name.isEmpty else {
      throw Self.mistake(
        row.line, "the serial number or the name is missing", "fill in both, or remove the line")
    }
    guard !Self.isSpreadsheetNumber(serial) else {
      throw Self.mistake(
        row.line,
        "a spreadsheet has made a number of the serial number: \(PrintableText.of(serial, limit: 40))",
        "format the column as text before the numbers are typed or pasted")
    }
    let from = try moment(columns.field("from", of: row), row.line, days, isEnd: false) ?? .min
    let to = try moment(columns.field("to", of: row), row.line, days, isEnd: true) ?? .max
    guard from <= to else {
      throw Self.mistake(row.line, "\"to\" is not after \"from\"", "exchange or correct the dates")
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
    try checkSpellings()
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

  /// Refuses two spellings that look the same: they are one person, device, role or place, who would
  /// otherwise be counted twice and meet herself.
  private func checkSpellings() throws(HostLinkError) {
    for (column, text) in [
      ("name", \Entry.name), ("serial", \Entry.serial), ("role", \Entry.role), ("place", \Entry.place),
    ] {
      var seen: [String: Entry] = [:]
      for entry in entries {
        let appearance = SeenText.appearance(entry[keyPath: text])
        guard let other = seen.updateValue(entry, forKey: appearance),
          other[keyPath: text] != entry[keyPath: text]
        else { continue }
        throw Self.mistake(
          entry.line,
          "\"\(column)\" looks like that of line \(other.line) and is another: \(SeenText.spelled(entry[keyPath: text])) and \(SeenText.spelled(other[keyPath: text]))",
          "type it in one way")
      }
    }
  }

  /// A date of a field; `nil` if it is empty. A time that clocks that are set forward skip is the moment of
  /// the change; of a time that there is twice, when they are set back, the first. Both are noted.
  private mutating func moment(_ text: String, _ line: Int, _ days: LocalDays, isEnd: Bool)
    throws(HostLinkError) -> Int64?
  {
    if text.isEmpty { return nil }
    if let day = LocalDays.day(text) {
      return isEnd ? days.begin(ofDay: day + 1) - 1 : days.begin(ofDay: day)
    }
    let length = text.utf8.count
    if length == 16 || length == 19, let local = UTCTimestamp.parse(length == 16 ? text + ":00" : text) {
      let time = days.moments(local: Int64(local))
      note(text, line, time, days)
      return isEnd ? time.moment - 1 : time.moment
    }
    let joined = text.replacing(" +", with: "+").replacing(" -", with: "-")
    guard joined.utf8.count > 19, let seconds = days.moment(joined) else {
      throw Self.mistake(
        line, "\"\(PrintableText.of(text, limit: 40))\" is not a date",
        "write 2026-09-14 or 2026-09-14 08:30, in local time")
    }
    return isEnd ? seconds * 1000 - 1 : seconds * 1000
  }

  /// Notes the columns of a header that are not known: `von` may be meant for `from`.
  private mutating func note(_ columns: Columns) {
    guard !columns.unknown.isEmpty else { return }
    let names = columns.unknown.prefix(10).map { "\"\(PrintableText.of($0, limit: 40))\"" }
    let rest = columns.unknown.count > 10 ? ", …" : ""
    notes.append(
      "line \(columns.line): \(names.joined(separator: ", "))\(rest) \(columns.unknown.count == 1 ? "is no column that is" : "are no columns that are") known, and not read: known are \(Self.names.joined(separator: ", "))"
    )
  }

  private mutating func note(_ text: String, _ line: Int, _ time: LocalDays.LocalTime, _ days: LocalDays) {
    let taken = days.localTime(of: time.moment, isToMinutes: true)
    if let second = time.second {
      notes.append(
        "line \(line): clocks showed \(text) twice; \(taken) is taken, the second is \(days.localTime(of: second, isToMinutes: true))"
      )
    } else if time.isSkipped {
      notes.append("line \(line): clocks were set forward past \(text); \(taken) is taken")
    }
  }

  fileprivate static func mistake(_ line: Int, _ what: String, _ advice: String) -> HostLinkError {
    HostLinkError(.usage, "the file of people, line \(line): \(what)", advice: advice)
  }
}

extension String {
  /// Without blanks at both ends.
  fileprivate var trimmed: String { SeenText.blanksJoined(self) }
}

/// Text as a reader sees it.
enum SeenText {
  /// Without blanks at both ends, and with one blank for those in a row, of whatever width. Line ends stay:
  /// they are no blanks.
  static func blanksJoined(_ text: String) -> String {
    var result = String.UnicodeScalarView()
    var isBlank = false
    for scalar in text.unicodeScalars {
      if scalar == "\t" || scalar.properties.generalCategory == .spaceSeparator {
        isBlank = !result.isEmpty
        continue
      }
      if isBlank { result.append(" ") }
      isBlank = false
      result.append(scalar)
    }
    return String(result)
  }

  /// What two texts that look the same have in common: without characters that are not seen, and with one
  /// form of letters that Unicode has in several (NFKC).
  static func appearance(_ text: String) -> String {
    var result = String.UnicodeScalarView()
    for scalar in text.precomposedStringWithCompatibilityMapping.unicodeScalars
    where !scalar.properties.isDefaultIgnorableCodePoint {
      result.append(scalar == "\u{2800}" ? " " : scalar)
    }
    return blanksJoined(String(result))
  }

  /// Text in quotation marks with what is not seen, or is not of the form NFKC, by its number:
  /// `"Ada<U+200D>"`.
  static func spelled(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      let isPlain =
        !scalar.properties.isDefaultIgnorableCodePoint && scalar.value != 0x2800
        && PrintableText.of(String(scalar)) == String(scalar)
        && String(scalar).precomposedStringWithCompatibilityMapping == String(scalar)
      let digits = String(scalar.value, radix: 16, uppercase: true)
      result +=
        isPlain ? String(scalar) : "<U+\(String(repeating: "0", count: max(0, 4 - digits.count)))\(digits)>"
    }
    return "\"\(result)\""
  }
}
