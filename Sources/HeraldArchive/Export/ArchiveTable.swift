import HeraldHostLink
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

  /// Where the rows are.
  enum Source {
    /// A query of the columns, in their order; rows of one partition follow each other.
    case query(String)
    /// The windows of each direction, of which rows are made.
    case windows(WindowTable)
  }

  let name: String
  let columns: [ParquetColumn]
  let source: Source
  let partition: Partition

  /// The names of all tables; readings are in the pages of the archive.
  static let names = ["readings"] + tables(ExportSelection()).map(\.name) + [WindowTable.minutes.rawValue]

  /// The tables of a selection, without readings.
  static func all(_ selection: ExportSelection) -> [ArchiveTable] {
    let tables =
      tables(selection) + [
        limited(
          .minutes,
          directionColumns([date("minute_ms"), number("windows"), number("attenuation", isOptional: true)]))
      ]
    return tables.filter { selection.has($0.name) }
  }

  /// The rows of a table, in their order.
  func rows(of archive: Archive, _ selection: ExportSelection, _ body: (SQLRow) throws(HostLinkError) -> Void)
    throws(HostLinkError)
  {
    switch source {
    case .query(let sql): try archive.connection.query(sql, [], body)
    case .windows(let table): try WindowRows(archive, selection).rows(table, body)
    }
  }

  private static func directionColumns(_ more: [ParquetColumn]) -> [ParquetColumn] {
    [number("day")] + who("observer") + who("subject") + [text("device")] + more
  }

  /// A table that is made of windows.
  private static func limited(_ table: WindowTable, _ columns: [ParquetColumn]) -> ArchiveTable {
    ArchiveTable(table.rawValue, columns, .windows(table), table == .contacts ? .byDate("begin_ms") : .byDay)
  }

  /// The tables that are in the database.
  ///
  /// Contacts are in the order of quarters of an hour, at which all time zones change the day; within one by
  /// device, which makes their files smaller.
  private static func tables(_ selection: ExportSelection) -> [ArchiveTable] {
    // The measurements of a minute are not counted.
    let readings = number("readings", isOptional: selection.within != nil)
    let contact =
      who("observer") + who("subject") + [
        text("device"), date("begin_ms"), date("end_ms"), number("seconds"), readings, number("gaps"),
      ] + bands
    let meeting =
      [number("day")] + who("who") + who("other") + [number("seconds"), readings, number("directions")]
      + bands
    let direction = directionColumns([number("seconds"), readings] + bands)
    func view(_ name: String) -> String {
      "(\(ArchiveSchema.view(name, withUnworn: selection.withUnworn))) x"
    }
    let derived =
      selection.within == nil
      ? [
        ArchiveTable(
          "contacts", contact, from: view("contacts"),
          order: "begin_ms / 900000, device, observer_id, subject_id, begin_ms", .byDate("begin_ms")),
        ArchiveTable("meetings", meeting, from: view("meetings"), order: "day, who_id, other_id", .byDay),
        ArchiveTable("near", meeting, from: view("near"), order: "day, who_id, other_id", .byDay),
        ArchiveTable(
          "directions", direction, from: view("directions"), order: "day, observer_id, subject_id, device",
          .byDay),
      ]
      : [
        limited(.contacts, contact), limited(.meetings, meeting), limited(.near, meeting),
        limited(.directions, direction),
      ]
    return derived + stored
  }

  private static let stored: [ArchiveTable] = [
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
    ArchiveTable(
      "coverage",
      [text("serial"), date("from_ms", isOptional: true), date("to_ms", isOptional: true), text("state")],
      from:
        "(SELECT d.serial, c.from_ms, c.to_ms, c.state FROM coverage c JOIN device d ON d.id = c.device_id) x",
      order: "serial, from_ms", .none),
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

  private init(_ name: String, _ columns: [ParquetColumn], _ source: Source, _ partition: Partition) {
    (self.name, self.columns, self.source, self.partition) = (name, columns, source, partition)
  }

  private init(
    _ name: String, _ columns: [ParquetColumn], from table: String, order: String, _ partition: Partition
  ) {
    let names = columns.map(\.name).joined(separator: ", ")
    self.init(name, columns, .query("SELECT \(names) FROM \(table) ORDER BY \(order)"), partition)
  }

  private static let bands = ArchiveSchema.bands.map { number($0) }

  /// The columns of one of the two of a row: number, label, kind, role and place.
  private static func who(_ name: String) -> [ParquetColumn] {
    [number("\(name)_id"), text(name)] + ["kind", "role", "place"].map { text("\(name)_\($0)") }
  }

  private static func text(_ name: String) -> ParquetColumn { ParquetColumn(name, .string) }
  private static func number(_ name: String, isOptional: Bool = false) -> ParquetColumn {
    ParquetColumn(name, .int64, isOptional: isOptional)
  }
  private static func truth(_ name: String) -> ParquetColumn { ParquetColumn(name, .boolean) }
  private static func date(_ name: String, isOptional: Bool = false) -> ParquetColumn {
    ParquetColumn(name, .timestamp, isOptional: isOptional)
  }
}
