import Foundation
import HeraldHostLink

/// Writes what a data set of Parquet files has beside tables: by which rules it was made, and the readings.
struct ParquetExport {
  private let archive: Archive
  private var rules: ContactRules { archive.rules }

  init(_ archive: Archive) { self.archive = archive }

  private struct Mark: Encodable {
    let schema: Int64
    let zone: String
    let window: Int
    let bandLimits: [Int]
    let assumedPower: Int
  }

  /// Writes by which rules the tables were made.
  func mark(_ folder: ExportFolder) throws(HostLinkError) {
    let mark = Mark(
      schema: ArchiveSchema.version, zone: rules.zone, window: rules.window, bandLimits: rules.bandLimits,
      assumedPower: rules.assumedPower)
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys]
    encoder.keyEncodingStrategy = .convertToSnakeCase
    let file = try ReplacedFile("\(folder.path)/\(ExportFolder.markName)")
    try file.append([UInt8]((try? encoder.encode(mark)) ?? Data()) + [0x0A])
    try file.finish()
  }

  /// Writes the readings by day and device.
  func exportReadings(
    to folder: ExportFolder, _ export: inout Archive.Export, _ progress: (Int, Int) -> Void
  ) throws(HostLinkError) {
    var table = Archive.Export.Table(name: "readings")
    var days: [String: [Int64]] = [:]
    let groups = try archive.groups()
    let count = groups.reduce(0) { $0 + $1.devices.count }
    let assignments = try archive.assignments()
    for group in groups {
      try archive.derive(group) { device throws(HostLinkError) in
        try archive.input(of: device, assignments)
      } _: { input, pages throws(HostLinkError) in
        let scan = try Archive.scan(pages, input.clocks)
        return (input.context.serial, try ReadingPartitions(pages, scan, input.context, to: folder))
      } taking: { (serial, written) throws(HostLinkError) in
        table.rows += written.readings
        table.files += written.days.count
        export.leftOut += written.leftOut
        days[DeviceFolder.name(serial: serial, location: "")] = written.days
      }
      progress(days.count, count)
    }
    folder.removeReadings(except: days)
    export.tables.append(table)
  }
}
