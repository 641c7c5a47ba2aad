import HeraldParquet

/// A table that an export writes: the rows of a table or a view of the archive, with its columns.
struct ArchiveTable {
  /// How the rows are divided into partitions.
  enum Partition {
    /// Not at all.
    case none
    /// By the column `day`, the first one, which the rows of a file do not repeat.
    case byDay
    /// By the civil day of the date in a column.
    case byDate(String)
  }

  let name: String
  let columns: [ParquetColumn]
  /// A query of the columns, in their order; rows of one partition follow each other.
  let sql: String
  let partition: Partition

  /// All tables in the database; readings are in its pages.
  ///
  /// Contacts are in the order of quarters of an hour, at which all time zones change the day; within one by
  /// device, which makes their files smaller.
  static let all: [ArchiveTable] = [
    ArchiveTable(
      "contacts",
      who("observer") + who("subject") + [
        text("device"), date("begin_ms"), date("end_ms"), number("seconds"), number("readings"),
        number("gaps"),
      ] + bands, from: "contacts", order: "begin_ms / 900000, device, observer_id, subject_id, begin_ms",
      .byDate("begin_ms")),
    ArchiveTable(
      "meetings",
      [number("day")] + who("who") + who("other") + [
        number("seconds"), number("readings"), number("directions"),
      ] + bands, from: "meetings", order: "day, who_id, other_id", .byDay),
    ArchiveTable(
      "directions",
      [number("day")] + who("observer") + who("subject") + [
        text("device"), number("seconds"), number("readings"),
      ]
        + bands, from: "directions", order: "day, observer_id, subject_id, device", .byDay),
    ArchiveTable(
      "devices",
      [
        text("serial"), text("name"), text("system"), text("version"), number("readings"), number("undated"),
        number("lost"), date("first_ms", isOptional: true), date("last_ms", isOptional: true),
      ], from: "device", order: "serial", .none),
    ArchiveTable(
      "persons", [text("name"), text("role"), text("place")], from: "person", order: "name", .none),
    ArchiveTable(
      "assignments",
      [text("serial"), text("person"), date("from_ms", isOptional: true), date("to_ms", isOptional: true)],
      from: "(SELECT a.serial, p.name AS person, a.from_ms, a.to_ms FROM assignment a "
        + "JOIN person p ON p.id = a.person_id) x", order: "serial, from_ms", .none),
    ArchiveTable(
      "batteries",
      [text("serial"), date("unix_ms", isOptional: true), number("level"), truth("is_external")],
      from:
        "(SELECT d.serial, b.unix_ms, b.level, b.is_external FROM battery b JOIN device d ON d.id = b.device_id) x",
      order: "serial, unix_ms", .none),
    ArchiveTable(
      "events", [text("serial"), date("unix_ms", isOptional: true), text("kind"), number("value")],
      from:
        "(SELECT d.serial, e.unix_ms, e.kind, e.value FROM device_event e JOIN device d ON d.id = e.device_id) x",
      order: "serial, unix_ms", .none),
  ]

  /// Whether the first column is the day, which the path of a partition has.
  var isDayFirst: Bool { if case .byDay = partition { true } else { false } }

  /// The value of a column. A date outside the years 1970 to 9999 is no value, as not all readers can have
  /// it; the first and last moments of 64 bits are "always" in the archive.
  func value(of row: SQLRow, _ column: Int) -> SQLValue {
    let value = row.values.indices.contains(column) ? row.values[column] : .null
    guard columns[column].kind == .timestamp, case .integer(let moment) = value,
      !ExportFolder.dates.contains(moment)
    else { return value }
    return columns[column].isOptional ? .null : .integer(min(max(moment, 0), ExportFolder.dates.upperBound))
  }

  private init(
    _ name: String, _ columns: [ParquetColumn], from source: String, order: String, _ partition: Partition
  ) {
    self.name = name
    self.columns = columns
    self.partition = partition
    sql = "SELECT \(columns.map(\.name).joined(separator: ", ")) FROM \(source) ORDER BY \(order)"
  }

  private static let bands = ArchiveSchema.bands.map(number)

  /// The columns of one of the two of a row: number, label, kind, role and place.
  private static func who(_ name: String) -> [ParquetColumn] {
    [number("\(name)_id"), text(name)] + ["kind", "role", "place"].map { text("\(name)_\($0)") }
  }

  private static func text(_ name: String) -> ParquetColumn { ParquetColumn(name, .string) }
  private static func number(_ name: String) -> ParquetColumn { ParquetColumn(name, .int64) }
  private static func truth(_ name: String) -> ParquetColumn { ParquetColumn(name, .boolean) }
  private static func date(_ name: String, isOptional: Bool = false) -> ParquetColumn {
    ParquetColumn(name, .timestamp, isOptional: isOptional)
  }
}
