import Foundation
import HeraldHostLink
import HeraldText

/// The persons whom a report is about, if it is not about everybody: a person, or all with a role. It has
/// them, and everybody whom they met.
package struct ReportFocus: Equatable, Sendable {
  /// The rows of `who`.
  let whos: Set<Int64>
  /// The persons of `people.csv` among them.
  let persons: Set<String>
  /// How a title names them.
  let name: String

  /// The persons with a name or serial number, and with a role; `nil` stands for any.
  /// - Throws: `.usage` if there is nobody.
  package init?(_ archive: Archive, person: String?, role: String?) throws(HostLinkError) {
    guard person != nil || role != nil else { return nil }
    var conditions: [String] = []
    var arguments: [SQLValue] = []
    if let person {
      // Names are stored in Unicode's form NFC; serial numbers as they are.
      conditions.append("(label = ? OR label = ?)")
      arguments += [.text(person), .text(person.precomposedStringWithCanonicalMapping)]
    }
    if let role {
      conditions.append("role = ?")
      arguments.append(.text(role.precomposedStringWithCanonicalMapping))
    }
    let condition = conditions.joined(separator: " AND ")
    let rows = try archive.connection.rows(
      "SELECT id FROM who WHERE kind IN ('person', 'device') AND \(condition) ORDER BY id", arguments)
    whos = Set(rows.map { $0.integer(0) })
    let names = try archive.connection.rows(
      "SELECT name FROM person WHERE \(condition.replacing("label =", with: "name ="))", arguments)
    persons = Set(names.map { $0.text(0) })
    guard !whos.isEmpty || !persons.isEmpty else {
      let what = [
        person.map { "is called \(PrintableText.name($0))" },
        role.map { "has the role \(PrintableText.name($0))" },
      ]
      .compactMap(\.self).joined(separator: " and ")
      throw HostLinkError(
        .usage, "nobody in \(archive.location) \(what)",
        advice: "names and roles are those of people.csv, letter by letter")
    }
    name = [person, role.map { "role \($0)" }].compactMap(\.self).map { PrintableText.of($0, limit: 80) }
      .joined(separator: ", ")
  }

  /// The numbers for a list of SQL.
  var list: String { whos.isEmpty ? "-1" : whos.sorted().map(String.init).joined(separator: ",") }
}
