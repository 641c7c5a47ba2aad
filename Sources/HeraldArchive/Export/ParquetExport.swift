import HeraldHostLink

/// Writes what a data set of Parquet files has beside tables: by which rules it was made, and the readings.
struct ParquetExport {
  private let archive: Archive
  private var rules: ContactRules { archive.rules }

  init(_ archive: Archive) { self.archive = archive }

  /// Writes by which rules the tables were made.
  func mark(
    _ folder: ExportFolder, _ selection: ExportSelection, _ replacement: Replacement
  ) throws(HostLinkError) {
    var entries: [String: any Sendable] = [
      "schema": ArchiveSchema.version, "zone": rules.zone, "window": rules.window,
      "band_limits": rules.bandLimits, "assumed_power": rules.assumedPower,
    ]
    if let within = selection.within { entries["within"] = within }
    try TableFolder.mark(folder.path, entries, replacement)
  }

  /// Writes the readings by day and device.
  func exportReadings(
    to folder: ExportFolder, _ export: inout Archive.Export, _ progress: (Int, Int) -> Void
  ) throws(HostLinkError) {
    var table = Archive.Export.Table(name: "readings")
    var days: [String: [Int64]] = [:]
    let groups = try DeviceGroup.all(in: archive)
    let count = groups.reduce(0) { $0 + $1.devices.count }
    let assignments = try archive.assignments()
    for group in groups {
      try archive.derive(group) { device throws(HostLinkError) in
        try archive.input(of: device, assignments)
      } _: { input, pages throws(HostLinkError) in
        let scan = try Archive.scan(pages, input.clock)
        return (input.context.serial, try ReadingPartitions(pages, scan, input.context, to: folder))
      } taking: { (serial, written) throws(HostLinkError) in
        table.rows += written.readings
        table.files += written.days.count
        export.leftOut += written.leftOut
        days[ExportFolder.log(of: serial)] = written.days
      }
      progress(days.count, count)
    }
    folder.removeReadings(except: days)
    export.tables.append(table)
  }
}
