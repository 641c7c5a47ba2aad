import HeraldEmbedded
import HeraldEnergy
import HeraldHostLink
import HeraldText

/// What a report says of one device: how long it recorded, its battery and its faults.
struct ReportDevice: Sendable {
  /// The number of minutes without a record that are a gap; the same time ends a contact.
  static let gapMinutes = Int(ContactRules.silence / 60_000)
  /// The maximum number of listed gaps and times of lying, each: the longest ones.
  static let mostSpans = 20
  /// The maximum number of battery levels of a drawing.
  static let mostLevels = 500

  /// A time in milliseconds since 1970-01-01T00:00:00Z.
  struct Span: Equatable, Sendable {
    let begin: Int64
    let end: Int64
  }

  /// A level of the battery in percent.
  struct Level: Equatable, Sendable {
    let date: Int64
    let level: Int64
    let isExternal: Bool
  }

  let id: Int64
  /// The device's serial number and name, made printable.
  let serial: String
  let name: String
  /// The indices in `WardContent.whos` of those who wore it.
  var wearers: [Int] = []
  /// The last date at which somebody wears it by the file of people; `nil` if nobody ever does.
  var wornUntil: Int64?
  /// The first and the last date of a record; `nil` if there is none with a date.
  var first: Int64?
  var last: Int64?
  var readings = 0
  /// Readings of each day, by its number since 1970-01-01.
  var readingsOfDays: [Int64: Int] = [:]
  /// Readings of the whole log without a date.
  var undated = 0
  /// The number of minutes with a record.
  var activeMinutes = 0
  /// Pages that differ from those of the same number in the archive.
  var refusedPages = 0
  /// Events that the device counted but did not log.
  var dropped = 0
  /// The number of starts, and the dates of those after a fault, of which some may be unknown.
  var starts = 0
  var faults: [Int64?] = []
  var levels: [Level] = []
  /// The last of all levels.
  var latest: Level?
  /// How long the battery lasts from the last level on; `nil` if no pull has requested it.
  var outlook: BatteryOutlook?
  /// Whether its log was sealed at its last pull; `nil` if no pull has requested it.
  var isSealed: Bool?
  /// Times of at least a quarter of an hour without a record: number, milliseconds in all, and the longest.
  var gapCount = 0
  var gapTime: Int64 = 0
  var gaps: [Span] = []
  /// Milliseconds for which the motion sensor says that it was worn and that it lay.
  var worn: Int64 = 0
  var lying: Int64 = 0
  /// The times of lying, in order.
  var lyingSpans: [Span] = []

  /// The lowest level; `nil` if none is known.
  var lowest: Int64? { levels.map(\.level).min() }

  /// The longest spans, in chronological order.
  static func longest(_ spans: [Span]) -> [Span] {
    Array(
      spans.sorted { ($1.end - $1.begin, $0.begin) < ($0.end - $0.begin, $1.begin) }.prefix(mostSpans)
    ).sorted { $0.begin < $1.begin }
  }
}

/// Collects the devices of a report.
struct ReportDevices {
  private var devices: [ReportDevice] = []
  private var indices: [Int64: Int] = [:]
  /// For each device, spans of minutes since 1970, less than a gap apart in themselves.
  private var spans: [[ClosedRange<Int64>]] = []
  private let assignments: Assignments
  private let dates: ClosedRange<Int64>

  /// Queries everything but what was heard. `capacity` is that of the cells in mAh, `nil` for those of the
  /// boards.
  init(_ archive: Archive, _ period: ReportPeriod, capacity: Double?) throws(HostLinkError) {
    let connection = archive.connection
    assignments = try archive.assignments()
    // Dates that no log can have are those of a damaged archive.
    dates = period.dates(archive.days).clamped(to: 0...Int64(UTCTimestamp.latest))
    for row in try connection.rows("SELECT id, serial, name, undated FROM device ORDER BY serial") {
      indices[row.integer(0)] = devices.count
      var device = ReportDevice(
        id: row.integer(0), serial: row.text(1), name: PrintableText.of(row.text(2), limit: 60))
      device.undated = Int(count: row, 3)
      device.wornUntil = assignments.bySerial[device.serial]?.map(\.to).max()
      devices.append(device)
    }
    spans = Array(repeating: [], count: devices.count)
    for row in try connection.rows("SELECT device_id, COUNT(*) FROM refused GROUP BY device_id") {
      if let index = indices[row.integer(0)] { devices[index].refusedPages = Int(row.integer(1)) }
    }
    try readBattery(connection)
    try readPower(connection, capacity)
    try readSealing(connection)
    try readEvents(connection)
  }

  private mutating func readBattery(_ connection: any ArchiveConnection) throws(HostLinkError) {
    let range: [SQLValue] = [.integer(dates.lowerBound), .integer(dates.upperBound)]
    var counts: [Int64: Int] = [:]
    for row in try connection.rows(
      "SELECT device_id, COUNT(*) FROM battery WHERE unix_ms BETWEEN ? AND ? GROUP BY device_id", range)
    {
      counts[row.integer(0)] = Int(row.integer(1))
    }
    var seen: [Int64: Int] = [:]
    try connection.query(
      """
      SELECT device_id, unix_ms, level, is_external FROM battery WHERE unix_ms BETWEEN ? AND ?
      ORDER BY device_id, unix_ms
      """, range
    ) { (row: SQLRow) throws(HostLinkError) in
      let id = row.integer(0)
      guard let index = indices[id] else { return }
      record(index, row.integer(1))
      let level = ReportDevice.Level(
        date: row.integer(1), level: min(max(0, row.integer(2)), 100), isExternal: row.integer(3) != 0)
      devices[index].latest = level
      let number = seen[id, default: 0]
      seen[id] = number + 1
      guard number % ((counts[id] ?? 0) / ReportDevice.mostLevels + 1) == 0 else { return }
      devices[index].levels.append(level)
    }
  }

  /// How long batteries last, from the last levels and the currents at the last pulls.
  private mutating func readPower(_ connection: any ArchiveConnection, _ capacity: Double?)
    throws(HostLinkError)
  {
    guard try connection.hasTable("device_power") else { return }
    for row in try connection.rows("SELECT device_id, board, nanoamperes, not_known FROM device_power") {
      guard let index = indices[row.integer(0)] else { continue }
      guard let nanoamperes = row.optionalInteger(2) else {
        let reason = PrintableText.of(row.text(3), limit: 120)
        devices[index].outlook = .unknown(reason.isEmpty ? "the device did not say" : reason)
        continue
      }
      let latest = devices[index].latest
      devices[index].outlook = BatteryOutlook(
        board: PrintableText.of(row.text(1), limit: 40), current: .success(Double(nanoamperes) / 1e6),
        level: latest.map { Int($0.level) }, isExternal: latest?.isExternal ?? false, capacity: capacity)
    }
  }

  private mutating func readSealing(_ connection: any ArchiveConnection) throws(HostLinkError) {
    guard try connection.hasTable("device_sealing") else { return }
    for row in try connection.rows("SELECT device_id, is_sealed FROM device_sealing") {
      if let index = indices[row.integer(0)] { devices[index].isSealed = row.integer(1) != 0 }
    }
  }

  private mutating func readEvents(_ connection: any ArchiveConnection) throws(HostLinkError) {
    var motion: (index: Int, date: Int64, state: Int64)?
    try connection.query(
      "SELECT device_id, unix_ms, kind, value FROM device_event ORDER BY device_id, unix_ms", []
    ) { (row: SQLRow) throws(HostLinkError) in
      guard let index = indices[row.integer(0)] else { return }
      let date = row.optionalInteger(1)
      if let date, !dates.contains(date) { return }
      if let date { record(index, date) }
      switch row.text(2) {
      case "started": devices[index].starts += 1
      case "restarted": devices[index].faults.append(date)
      case "dropped":
        devices[index].dropped =
          devices[index].dropped.plus(Int(count: row, 3))
      default: break
      }
      guard let date, row.text(2) == "motion" || row.text(2) == "started" else { return }
      if let motion { close(motion, at: motion.index == index ? date : nil) }
      motion = row.text(2) == "motion" ? (index, date, row.integer(3)) : nil
    }
    if let motion { close(motion, at: nil) }
    open = open.filter { devices.indices.contains($0.index) }
  }

  /// States of the motion sensor that last until the last record.
  private var open: [(index: Int, date: Int64, state: Int64)] = []

  private mutating func close(_ motion: (index: Int, date: Int64, state: Int64), at end: Int64?) {
    guard let end else {
      open.append(motion)
      return
    }
    guard end > motion.date else { return }
    switch MotionState(rawValue: UInt8(clamping: motion.state)) {
    case .worn: devices[motion.index].worn += end - motion.date
    case .lying:
      devices[motion.index].lying += end - motion.date
      devices[motion.index].lyingSpans.append(ReportDevice.Span(begin: motion.date, end: end))
    case .unknown, nil: break
    }
  }

  /// Notes a record at a date.
  private mutating func record(_ index: Int, _ date: Int64) {
    devices[index].first = min(devices[index].first ?? date, date)
    devices[index].last = max(devices[index].last ?? date, date)
    append(date / 60_000...date / 60_000, index)
  }

  private mutating func append(_ minutes: ClosedRange<Int64>, _ index: Int) {
    if let last = spans[index].last, minutes.lowerBound >= last.lowerBound,
      minutes.lowerBound <= last.upperBound + Int64(ReportDevice.gapMinutes)
    {
      spans[index][spans[index].count - 1] = last.lowerBound...max(last.upperBound, minutes.upperBound)
    } else {
      spans[index].append(minutes)
    }
  }

  /// Adds what a device heard of one subject on one day.
  mutating func add(_ id: Int64, day: Int64, readings: Int, _ windows: DayWindows) {
    guard let index = indices[id] else { return }
    devices[index].readings = devices[index].readings.plus(readings)
    devices[index].readingsOfDays[day] = devices[index].readingsOfDays[day, default: 0].plus(readings)
    let most = Int64(UTCTimestamp.latest / 60_000)
    let minutes = windows.minutes.lazy.map(\.number).filter { (0...most).contains($0) }
    for minute in minutes { append(minute...minute, index) }
    if let first = minutes.first, let last = minutes.last {
      let dates = (first * 60_000, last * 60_000 + 59_999)
      devices[index].first = min(devices[index].first ?? dates.0, dates.0)
      devices[index].last = max(devices[index].last ?? dates.1, dates.1)
    }
  }

  /// The devices with everything that was added.
  consuming func finish(_ whos: [ReportWho]) -> [ReportDevice] {
    for motion in open { close(motion, at: devices[motion.index].last) }
    let gap = Int64(ReportDevice.gapMinutes)
    for index in devices.indices {
      var merged: [ClosedRange<Int64>] = []
      for span in spans[index].sorted(by: { $0.lowerBound < $1.lowerBound }) {
        if let last = merged.last, span.lowerBound <= last.upperBound + gap {
          merged[merged.count - 1] = last.lowerBound...max(last.upperBound, span.upperBound)
        } else {
          merged.append(span)
        }
      }
      devices[index].activeMinutes = merged.reduce(0) { $0 + Int($1.upperBound - $1.lowerBound + 1) }
      let gaps = zip(merged, merged.dropFirst()).map {
        ReportDevice.Span(begin: ($0.upperBound + 1) * 60_000, end: $1.lowerBound * 60_000)
      }
      devices[index].gapCount = gaps.count
      devices[index].gapTime = gaps.reduce(0) { $0 + $1.end - $1.begin }
      devices[index].gaps = ReportDevice.longest(gaps)
      devices[index].wearers = wearers(of: devices[index], whos)
    }
    return devices
  }

  private func wearers(of device: ReportDevice, _ whos: [ReportWho]) -> [Int] {
    guard let first = device.first, let last = device.last else { return [] }
    let names = (assignments.bySerial[device.serial] ?? []).filter { $0.from <= last && $0.to >= first }
      .map(\.person)
    let labels = Set(names.map { PrintableText.of($0, limit: 80) })
    return whos.indices.filter { index in
      whos[index].kind == "person" && labels.contains(whos[index].label)
        || whos[index].kind == "device" && whos[index].label == PrintableText.of(device.serial, limit: 80)
    }
  }
}
