/// What an export is about.
public struct ExportSelection: Equatable, Sendable {
  /// The names of the tables; `nil` for all but `minutes`, which is large.
  public var tables: Set<String>?
  /// The greatest attenuation of a minute that counts, in dB; `nil` for any.
  public var within: Int?
  /// Whether badges that nobody wears are somebody.
  public var withUnworn = false

  /// All tables but `minutes`, at any strength.
  public init() {}

  /// The names of all tables.
  public static var names: [String] { ArchiveTable.names }

  func has(_ table: String) -> Bool { tables?.contains(table) ?? (table != WindowTable.minutes.rawValue) }
}
