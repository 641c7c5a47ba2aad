/// What an export is about.
package struct ExportSelection: Equatable, Sendable {
  /// The names of the tables; `nil` for all but `minutes`, which is large.
  package var tables: Set<String>?
  /// The greatest attenuation of a minute that counts, in dB; `nil` for any.
  package var within: Int?
  /// Whether badges that nobody wears are somebody.
  package var withUnworn = false

  /// All tables but `minutes`, at any strength.
  package init() {}

  /// The names of all tables.
  package static var names: [String] { ArchiveTable.names }

  func has(_ table: String) -> Bool { tables?.contains(table) ?? (table != WindowTable.minutes.rawValue) }
}
