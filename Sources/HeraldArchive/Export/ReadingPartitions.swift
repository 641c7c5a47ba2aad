import HeraldEmbedded
import HeraldHostLink

/// Writes the readings of one device, a file for each day.
///
/// It uses no database, so that several devices can be written at the same time.
struct ReadingPartitions {
  /// The maximum number of days of a device, ten years: a device whose clock jumps cannot make more files.
  static let mostDays = 3653

  /// The days of which there are files, in ascending order, counted from 1970-01-01.
  private(set) var days: [Int64] = []
  /// The number of readings that were written.
  private(set) var readings = 0
  /// The number of readings without a date, or of days beyond `mostDays`.
  private(set) var leftOut = 0

  private let scan: DeviceScan
  private let folder: ExportFolder
  private let calendar: LocalDays
  private let serial: String
  private let log: String
  private let mostDays: Int

  /// Writes the readings of a device below `folder`.
  /// - Throws: `.storage` if a file cannot be written.
  init(
    _ pages: any DevicePages, _ scan: DeviceScan, _ context: DeviceDerivation.Context,
    to folder: ExportFolder, mostDays: Int = ReadingPartitions.mostDays
  ) throws(HostLinkError) {
    self.scan = scan
    self.folder = folder
    self.mostDays = mostDays
    calendar = context.days
    serial = context.serial
    log = ExportFolder.log(of: serial)
    for chunk in try Division(pages, scan, calendar).chunks {
      let isOneDay = chunk.days.lowerBound == chunk.days.upperBound
      let dates =
        chunk.days == .min ... .max
        ? .min ... .max
        : calendar.begin(ofDay: chunk.days.lowerBound)...calendar.begin(ofDay: chunk.days.upperBound + 1) - 1
      var collector = ReadingCollector(scan, context, dates)
      if isOneDay {
        // There may be any number of readings.
        try write(chunk.days.lowerBound, &collector, chunk.pages, pages)
      } else {
        var rows: [DecodedReading] = []
        var visit = PageVisit()
        try pages.forEach(chunk.pages) { collector.add($1, index: $0, &visit) { rows.append($0) } }
        try write(&rows, since: chunk.days.lowerBound, collector.whos)
      }
    }
    days.sort()
    leftOut = scan.readings - readings
  }

  /// Whether a further day may be written.
  private func isRoom(_ day: Int64) -> Bool { days.count < mostDays && ExportFolder.hasName(day) }

  /// Writes readings of several days, the first of which is `first` or later. Where clocks are put back
  /// across midnight, the readings of the repeated time stay with the later day, whose file is not written
  /// twice.
  private mutating func write(_ rows: inout [DecodedReading], since first: Int64, _ whos: [WhoKey])
    throws(HostLinkError)
  {
    // The log is in order unless the device's clock was set back.
    if !zip(rows, rows.dropFirst()).allSatisfy({ $0.date <= $1.date }) { rows.sort { $0.date < $1.date } }
    var start = 0
    while start < rows.count {
      let day = max(first, calendar.day(of: rows[start].date))
      let end = rows[start...].firstIndex { calendar.day(of: $0.date) > day } ?? rows.count
      defer { start = end }
      guard isRoom(day) else { continue }
      var file = try ReadingFile(folder.file("readings", day: day, log: log), scan, serial: serial)
      for row in rows[start..<end] { try file.append(row, whos) }
      try finish(&file, day, whos)
    }
  }

  /// Writes the readings of one day as they are decoded.
  private mutating func write(
    _ day: Int64, _ collector: inout ReadingCollector, _ indices: [Int]?, _ pages: any DevicePages
  ) throws(HostLinkError) {
    guard isRoom(day) else { return }
    var file = try ReadingFile(folder.file("readings", day: day, log: log), scan, serial: serial)
    var visit = PageVisit()
    var rows: [DecodedReading] = []
    try pages.forEach(indices) { index, page throws(HostLinkError) in
      rows.removeAll(keepingCapacity: true)
      collector.add(page, index: index, &visit) { rows.append($0) }
      let whos = collector.whos
      for row in rows { try file.append(row, whos) }
    }
    try finish(&file, day, collector.whos)
  }

  private mutating func finish(_ file: inout ReadingFile, _ day: Int64, _ whos: [WhoKey])
    throws(HostLinkError)
  {
    guard file.rows > 0 else { return }
    readings += file.rows
    try file.finish(whos)
    days.append(day)
  }
}
