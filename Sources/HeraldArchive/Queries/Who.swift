import HeraldHostLink

/// Whom a row of an archive's tables is about.
package struct Who: Hashable, Comparable, Sendable, Encodable {
  /// What it is.
  package enum Kind: String, CaseIterable, Sendable, Encodable {
    /// A person of `people.csv`.
    case person
    /// A device to which no person is assigned at that time, by its serial number.
    case device
    /// A device that nobody wears: its motion sensor says that it lies, or people wear it at other times.
    case unworn
    /// A venue, by its beacon's payload.
    case place
    /// A payload that no known device sends, usually of a phone.
    case payload
    /// An address from which no payload was read.
    case address
  }

  /// The number of the row of `who`.
  package let id: Int64
  /// What it is.
  package let kind: Kind
  /// What people read; two may have the same label if their kinds differ.
  package let label: String
  /// What a person is, such as `nurse`; empty if unknown.
  package let role: String
  /// Where a person belongs, such as `Ward 3`; empty if unknown.
  package let place: String

  init(_ row: SQLRow, from column: Int) {
    id = row.integer(column)
    kind = Kind(rawValue: row.text(column + 1)) ?? .address
    label = row.text(column + 2)
    role = row.text(column + 3)
    place = row.text(column + 4)
  }

  /// By kind, then by label.
  package static func < (left: Who, right: Who) -> Bool {
    (left.rank, left.label, left.id) < (right.rank, right.label, right.id)
  }

  private var rank: Int { Kind.allCases.firstIndex(of: kind) ?? 0 }

  /// The columns that `init` takes.
  static let columns = "id, kind, label, role, place"
}
